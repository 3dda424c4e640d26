"""Days counted from today ("yesterday", "next friday", "3 weeks ago"): read here for questions, arguments and texts."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import TypeAlias

from scrubjay.text.word_lists import WEEKDAYS

__all__ = ["DAY", "LENGTHS", "NEAR_DAYS", "PERIODS", "Days", "away", "months", "near_day", "period", "weekday"]

Days: TypeAlias = tuple[date, date]  # the first and the last

DAY = timedelta(days=1)
NEAR_DAYS = {  # how many days from today
    "day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tonight": 0,
    "tomorrow": 1,
    "day after tomorrow": 2,
}
PERIODS = ("week", "weekend", "month", "quarter", "year")
MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
LENGTHS = {"hour": 1 / 24, "day": 1, "week": 7, "weekend": 7, "fortnight": 14, "month": 30, "year": 365}  # in days
LENGTHS |= dict.fromkeys(WEEKDAYS, 7)


def near_day(name: str, today: date) -> date:
    return today + DAY * NEAR_DAYS[name]


def weekday(name: str, today: date, step: int) -> date:
    """The next day of that name after today; with a step of -1 the last one before today."""
    ahead = (WEEKDAYS.index(name) - today.weekday()) % 7
    return today + DAY * (ahead - 7 if step < 0 else ahead or 7)


def period(name: str, today: date, step: int) -> Days:
    """The week, weekend, month, quarter or year of today; with a step of 1 the next one, of -1 the last one."""
    if name in ("week", "weekend"):
        monday = today - DAY * today.weekday() + DAY * 7 * step
        return (monday + DAY * 5 if name == "weekend" else monday), monday + DAY * 6
    length = MONTHS_IN[name]
    first = _months_later(today.replace(day=1), length * step - (today.month - 1) % length)
    return months(first.year, first.month, length)


def away(today: date, count: int, unit: str) -> date:
    """The day that is `count` units after today; before it, if the count is negative."""
    if unit in ("month", "year"):
        return _months_later(today, count * MONTHS_IN[unit])
    return today + DAY * int(count * LENGTHS[unit])


def months(year: int, month: int, count: int) -> Days:
    """The days of `count` whole months from that one on."""
    last = _months_later(date(year, month, 1), count - 1)
    return date(year, month, 1), last.replace(day=monthrange(last.year, last.month)[1])


def _months_later(day: date, count: int) -> date:
    """The same day of another month, or that month's last day if it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
