"""Checks of what callers give: each returns the value as it is used, or raises `Invalid` and says what to give."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast, get_args

from scrubjay.dates.arguments import deadline
from scrubjay.errors import Invalid
from scrubjay.files import patterns
from scrubjay.text.secret_scan import find_secrets
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.text.words import WORD
from scrubjay.types import Trust, limits

__all__ = [
    "aliases",
    "confidence",
    "count",
    "expiry",
    "file_path",
    "importance",
    "kind",
    "long_text",
    "memory_id",
    "memory_text",
    "metadata",
    "one_of",
    "paths",
    "position",
    "several",
    "short_text",
    "space_name",
    "split_text",
    "split_turn",
    "tags",
    "trust",
    "whole_text",
]

SPACE_NAME = re.compile(r"\w[\w.@:+-]{0,99}")
KIND = re.compile(r"[a-z][a-z0-9_-]{0,49}")
LARGEST_COUNT = 2**31


def memory_id(id: Any) -> int:
    if isinstance(id, bool) or not isinstance(id, int) or not 0 < id < 2**63:
        raise Invalid(f"{quoted(id)} is no memory's id; ids are whole numbers from 1 on.")
    return id


def count(name: str, value: Any, most: int = LARGEST_COUNT - 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise Invalid(f"{name} must be a whole number from 0 to {most}, not {quoted(value)}.")
    return value


def several(name: str, value: Any) -> list[Any]:
    """A list, or anything else that gives values one after the other; one text would give its letters."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise Invalid(f"{name} must be a list, not {quoted(value)}.")
    return list(value)


def one_of(name: str, value: Any, words: Any) -> Any:
    """One of the words of a Literal."""
    if value not in get_args(words):
        raise Invalid(f"{name} must be one of {', '.join(get_args(words))}, not {quoted(value)}.")
    return value


def file_path(name: str, value: Any) -> Path:
    """A path of this machine; ~ is the user's own folder."""
    if not isinstance(value, str | os.PathLike):
        raise Invalid(f"{name} must be a path, not {quoted(value)}.")
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise Invalid(f"{name} is in the folder of a user that is not known: {quoted(value)}.") from None


def space_name(space: Any) -> str:
    if not isinstance(space, str) or not SPACE_NAME.fullmatch(space):
        raise Invalid(
            f"{quoted(space)} is no name for a space; use letters, digits and . _ - @ : + (no slash, no blank)."
        )
    if found := find_secrets(space):
        raise Invalid(f"A space cannot be named by what looks like a secret ({found[0].kind}).")
    return space


def split_text(item: Any) -> tuple[str, dict[str, Any]]:
    """The text of an item, and its other fields."""
    if not isinstance(item, Mapping) or "text" not in item:
        raise Invalid('Each item must be an object with at least a "text".')
    fields = dict(item)
    return fields.pop("text"), fields


def split_turn(item: Any) -> tuple[str, dict[str, Any]]:
    """The same of a turn, which may be {"speaker", "text"} or, as chat programs write it, {"role", "content"}."""
    if not isinstance(item, Mapping) or not {"role", "content"} & set(item):
        return split_text(item)
    if not {"role", "content"} <= set(item) or {"speaker", "text"} & set(item):
        raise Invalid('A turn has either "speaker" and "text", or "role" and "content".')
    fields = dict(item)
    content = fields.pop("content")
    if not isinstance(content, str):
        content = _joined_parts(content)
    return content, {"speaker": fields.pop("role"), **fields}


def _joined_parts(content: Any) -> str:
    """The text of a message of several parts; images and calls of tools are left out."""
    parts: list[Any] = list(content) if isinstance(content, list | tuple) else [None]
    if not all(isinstance(part, Mapping) for part in parts):
        raise Invalid('The "content" of a turn is text, or a list of parts such as {"type": "text", "text": "…"}.')
    return "\n\n".join(str(part["text"]) for part in parts if isinstance(part.get("text"), str))


def whole_text(name: str, value: Any) -> str:
    """Text that can be encoded: half of a surrogate pair cannot."""
    if not isinstance(value, str):
        raise Invalid(f"{name} must be text, not {type(value).__name__}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Invalid(f"{name} holds half a character (a lone surrogate); decode it first.") from None
    return value


def long_text(name: str, value: Any, most: int = limits.TEXT_CHARACTERS) -> str:
    text = whole_text(name, value)
    if len(text) > most:
        raise limits.too_long(name, len(text), most)
    return text


def short_text(name: str, value: Any, most: int = limits.SHORT_CHARACTERS) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > most:
        raise Invalid(f"{name} must be text of 1 to {most} characters.")
    return long_text(name, value).strip()


def memory_text(text: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise Invalid("The text is empty; say what to remember.")
    return long_text("text", text)


def kind(value: Any) -> str:
    given = value.strip().lower() if isinstance(value, str) else ""
    if not KIND.fullmatch(given):
        raise Invalid(f"{quoted(value)} is no kind; use one lower-case word, e.g. fact, preference, decision or task.")
    return given


def tags(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Invalid('tags must be a list of words, e.g. ["ui", "theme"].')
    limits.check_tags(value)
    return tuple(dict.fromkeys(short_text("A tag", tag, limits.TAG_CHARACTERS) for tag in value))


def aliases(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Invalid('aliases must be a list of names, e.g. ["pg", "Postgres"].')
    limits.check_aliases(value)
    names = tuple(dict.fromkeys(short_text("An alias", alias, limits.ALIAS_CHARACTERS) for alias in value))
    if wordless := [name for name in names if not WORD.search(name)]:
        raise Invalid(f"{quoted(wordless[0])} is no alias; an alias has at least one letter or digit.")
    return names


def paths(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Invalid('paths must be a list of patterns, e.g. ["src/auth/**"].')
    limits.check_paths(value)
    given = [short_text("A path", path, limits.PATH_CHARACTERS) for path in value]
    return tuple(dict.fromkeys(patterns.checked(given, "name files")))


def metadata(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Invalid('metadata must be a JSON object, e.g. {"ticket": 7}.')
    try:
        plain = json.loads(whole_text("metadata", json.dumps(dict(value), ensure_ascii=False, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(f"metadata must be plain JSON: {problem}.") from None
    limits.check_metadata(plain)
    return cast("dict[str, Any]", plain)


def importance(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10:
        raise Invalid(f"importance must be a whole number from 1 to 10, not {quoted(value)}.")
    return value


def confidence(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:  # nan is not, either
        raise Invalid(f"confidence must be a number from 0 to 1, not {quoted(value)}.")
    return float(value)


def trust(value: Any) -> Trust:
    if value not in get_args(Trust):
        raise Invalid(f"trust must be user, agent or external, not {quoted(value)}.")
    return cast("Trust", value)


def position(value: Any) -> int:
    return count("position", value)


def expiry(value: Any, now: datetime) -> datetime:
    moment = deadline(value, "expires_at", now)
    if moment <= now:
        raise Invalid(f"expires_at lies in the past ({moment:%Y-%m-%d %H:%M} UTC); give a later time.")
    return moment
