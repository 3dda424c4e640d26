"""Timestamps: always with a time zone, stored in UTC. A date without a time means the whole local day."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import TypeAlias

from scrubjay.errors import Invalid
from scrubjay.text.secret_scan.quoting import quoted

__all__ = [
    "Clock",
    "Moment",
    "end_of",
    "from_nanoseconds",
    "in_local_time",
    "in_utc",
    "iso",
    "local_day",
    "now",
    "start_of",
]

Moment: TypeAlias = datetime | date | str
Clock: TypeAlias = Callable[[], datetime]


def now() -> datetime:
    return datetime.now(UTC)


def from_nanoseconds(time: int) -> datetime:
    """A file's modification time; now if it is not a valid time."""
    try:
        return datetime.fromtimestamp(time / 1e9, UTC)
    except (ValueError, OverflowError, OSError):
        return now()


def start_of(given: Moment, name: str) -> datetime:
    """The given moment, or the first moment of the given day."""
    parsed = _parse(given, name)
    if isinstance(parsed, datetime):
        return parsed
    return _local_midnight(parsed, 0, name)


def end_of(given: Moment, name: str) -> datetime:
    """The given moment, or the last moment of the given day."""
    parsed = _parse(given, name)
    if isinstance(parsed, datetime):
        return parsed
    return _local_midnight(parsed, 1, name) - timedelta(microseconds=1)


def in_local_time(moment: datetime) -> datetime:
    """The moment as it is shown. The first and the last day of the calendar have no local time in some places."""
    try:
        return moment.astimezone()
    except (OverflowError, ValueError):
        return moment


def local_day(moment: datetime) -> str:
    """The local date."""
    return in_local_time(moment).date().isoformat()


def in_utc(given: datetime, name: str) -> datetime:
    """The same moment in UTC; without a time zone, it is not known which one is meant."""
    if given.tzinfo is None:
        raise Invalid(f"{name} has no time zone; use e.g. datetime.now(timezone.utc), or a date alone.")
    return _checked(lambda: given.astimezone(UTC), name)


def _parse(given: Moment, name: str) -> datetime | date:
    if isinstance(given, str):
        given = _read(given, name)
    if isinstance(given, datetime):
        return in_utc(given, name)
    if isinstance(given, date):
        return given
    raise Invalid(f"{name} must be a datetime, a date or an ISO 8601 string, not {type(given).__name__}.")


def iso(text: str) -> datetime | date | None:
    """The date or time that an ISO 8601 text means; None for any other text."""
    for read in (date.fromisoformat, datetime.fromisoformat):
        with suppress(ValueError):
            return read(text)
    return None


def _read(given: str, name: str) -> datetime | date:
    """Read ISO 8601. A time without a zone is local, since a person typed it."""
    moment = iso(given)
    if moment is None:
        raise Invalid(f"{name} is not a date or time: {quoted(given)}; write 2026-11-15 or 2026-11-15T09:30.")
    if not isinstance(moment, datetime) or moment.tzinfo:
        return moment
    return _checked(moment.astimezone, name)


def _local_midnight(day: date, days_later: int, name: str) -> datetime:
    def convert() -> datetime:
        midnight = datetime.combine(day + timedelta(days_later), time())
        local = midnight.astimezone()
        if local.date() < midnight.date():  # clocks jump over this midnight: the day begins after it
            local = midnight.replace(fold=1).astimezone()
        return local.astimezone(UTC)

    return _checked(convert, name)


def _checked(convert: Callable[[], datetime], name: str) -> datetime:
    try:
        return convert()
    except (OverflowError, ValueError, OSError):
        raise Invalid(f"{name} is out of range; years from 2 to 9998 work.") from None
