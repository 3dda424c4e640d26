"""What a reader of another program's file gives: texts with fields, known by a name that stays the same."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from scrubjay.memory.guard import shortened
from scrubjay.types import limits

__all__ = ["Item", "brief", "moment", "strings", "without"]

MILLISECONDS_FROM = 1e11  # a larger number of seconds lies beyond the year 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One text of another program."""

    key: str  # names it in its file, also when that is written again
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)  # as `add` takes them
    at: datetime | None = None  # when it was said or stored; None: not known
    changed_at: datetime | None = None
    session: str | None = None  # of a turn
    speaker: str | None = None
    position: int = 0
    replaced_by: str | None = None  # the key of another item
    replaced_at: datetime | None = None


def moment(value: Any) -> datetime | None:
    """A time as programs write it: ISO 8601, or seconds or milliseconds since 1970."""
    try:
        if isinstance(value, bool) or value is None or value == "":
            return None
        if isinstance(value, int | float):
            seconds = value / 1000 if abs(value) > MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC) if math.isfinite(seconds) else None
        found = datetime.fromisoformat(str(value).strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def brief(text: str) -> str:
    """A name or a title that is no longer than one may be."""
    return shortened(text, limits.SHORT_CHARACTERS)


def strings(value: Any) -> list[str]:
    """A list of words, given as a list, as JSON, or with commas between them."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = value.replace(";", ",").split(",")
    found = value if isinstance(value, list) else []
    words = [one.strip() for one in found if isinstance(one, str) and one.strip()]
    return [shortened(word, limits.TAG_CHARACTERS) for word in words[: limits.TAGS]]


def without(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """What is left of an object when these fields have found their place."""
    return {name: value for name, value in given.items() if name not in names and value not in (None, "", [], {})}
