"""Questions that name a time or none, the days that each means, and whether a reading agrees."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

from scrubjay.dates.spans import times

__all__ = ["BEGINNING", "Asked", "Days", "is_right", "ours", "questions"]

FILE = Path(__file__).parents[1] / "data" / "dates.json"
BEGINNING = date(1900, 1, 1)
AGREES = 0.5  # of the days that either means, at least so many are meant by both

Days = tuple[date, date]


class Asked(NamedTuple):
    """A question, when it is asked, in which language, and the days that it is about, if any."""

    text: str
    now: datetime
    language: str
    days: Days | None


def questions() -> list[Asked]:
    return [
        Asked(one["text"], datetime.fromisoformat(part["now"]), one["language"], _days(one["first"], one["last"]))
        for part in json.loads(FILE.read_text(encoding="utf-8"))
        for one in part["questions"]
    ]


def _days(first: str | None, last: str | None) -> Days | None:
    return (date.fromisoformat(first) if first else BEGINNING, date.fromisoformat(last)) if last else None


def is_right(asked: Asked, found: Sequence[Days]) -> bool:
    """Whether any of them is about the time that is meant; nothing has been remembered after today."""
    if asked.days is None:
        return not found
    return any(_agrees(asked.days, days, asked.now.date()) for days in found)


def _agrees(meant: Days, found: Days, today: date) -> bool:
    both = (min(meant[1], found[1], today) - max(meant[0], found[0])).days + 1
    either = (min(max(meant[1], found[1]), today) - min(meant[0], found[0])).days + 1
    return both >= AGREES * either


def ours(asked: Asked) -> list[Days]:
    found = times(asked.text, asked.now).spans
    return [(span.start.astimezone().date(), span.end.astimezone().date()) for span in found[:1]]
