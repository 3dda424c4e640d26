"""Reads times that are given as arguments (since, until, due, expires): "last week", "tomorrow", "in 2 weeks".

Times in questions are read in questions.py; both use the forms of grammar.py.

A phrase becomes a span of whole local days, or one moment if it counts hours or minutes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timedelta

from scrubjay.dates.grammar import FORMS, MONTHS, NUMBERS, SEASONS, WEEKDAYS, any_of, number
from scrubjay.dates.questions import Span, times
from scrubjay.dates.relative import NEAR_DAYS, PERIODS, Days, away, months, near_day, period, weekday
from scrubjay.dates.timestamps import Moment, end_of, iso, start_of
from scrubjay.dates.translate import in_english
from scrubjay.errors import Invalid
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["deadline", "first_moment", "last_moment"]

MAX_PHRASE_CHARACTERS = 100
PAST_EXAMPLES = "2026-11-15, 2026-11-15T09:30, yesterday, last week or 3 days ago"
FUTURE_EXAMPLES = "2026-11-15, 2026-11-15T09:30, tomorrow, next friday or in 2 weeks"
QUESTIONS = ("what happened {}", "what happened on {}", "what happened in {}")
COUNT = rf"(?:a )?(?P<count>{any_of(NUMBERS)}|\d{{1,4}})"
UNIT = r"(?P<unit>minute|hour|day|week|fortnight|month|year)s?"
AGO = rf"{COUNT} {UNIT} ago"  # these are compiled when they are first used: few processes need them
AHEAD = rf"(?=in |within |.* from )(?:in |within )?{COUNT} {UNIT}(?: from (?:now|today))?"
NAMED = (
    r"(?P<end>end of (?:the )?)?(?:(?P<which>this|next|coming) )?"
    rf"(?P<name>{any_of((*PERIODS, *WEEKDAYS, *SEASONS, *MONTHS))})"
)


def first_moment(given: Moment, name: str, now: datetime) -> datetime:
    """The given moment, or the first moment of the given day or phrase: for `since`."""
    span = _span(given, now, (_past, _future))
    return span.start if span else _read(start_of, given, name, PAST_EXAMPLES)


def last_moment(given: Moment, name: str, now: datetime) -> datetime:
    """The given moment, or the last moment of the given day or phrase: for `until`."""
    span = _span(given, now, (_past, _future))
    return span.end if span else _read(end_of, given, name, PAST_EXAMPLES)


def deadline(given: Moment, name: str, now: datetime) -> datetime:
    """The given moment, or the last moment of the given day or phrase, a future one first: for due dates, expiry."""
    span = _span(given, now, (_future, _past))
    return span.end if span else _read(end_of, given, name, FUTURE_EXAMPLES)


def _read(read: Callable[[Moment, str], datetime], given: Moment, name: str, examples: str) -> datetime:
    if isinstance(given, str) and iso(given) is None:
        raise Invalid(f"{name} is not a date or time: {quoted(given)}; write e.g. {examples}.")
    return read(given, name)


def _span(given: Moment, now: datetime, ways: tuple[Callable[[str, datetime], Span | None], ...]) -> Span | None:
    if not isinstance(given, str) or len(given) > MAX_PHRASE_CHARACTERS or iso(given) is not None:
        return None
    text = " ".join(given.casefold().split()).removeprefix("the ")
    if text == "now":
        return Span(now, now)
    with suppress(ValueError, OverflowError, Invalid):  # there is no such day, or it is out of range
        return next((span for way in ways if (span := way(text, now))), None)
    return None


def _past(text: str, now: datetime) -> Span | None:
    """Read as in a question, except "3 weeks ago": here it is that exact day, in a question the days around it."""
    if found := re.fullmatch(AGO, text):
        return _away(now, -number(found["count"]), found["unit"])
    asked = (times(question.format(in_english(text)), now) for question in QUESTIONS)
    return next((found.spans[0] for found in asked if found.spans and found.time_only), None)


def _future(text: str, now: datetime) -> Span | None:
    today = now.astimezone().date()
    if found := re.fullmatch(AHEAD, text):
        return _away(now, number(found["count"]), found["unit"])
    if NEAR_DAYS.get(text, -1) >= 0:
        return _whole((near_day(text, today),) * 2)
    days = _named(text, today) or _by_calendar(text, today)
    return _whole(days) if days else None


def _away(now: datetime, count: int, unit: str) -> Span:
    """The time that is `count` units from now: a moment for hours and minutes, a whole day for other units."""
    if unit in ("minute", "hour"):
        moment = now + timedelta(**{f"{unit}s": count})
        return Span(moment, moment)
    return _whole((away(now.astimezone().date(), count, unit),) * 2)


def _named(text: str, today: date) -> Days | None:
    """The days of "next friday", "this week", "march"; a weekday alone is the coming one."""
    found = re.fullmatch(NAMED, text)
    if found is None:
        return None
    name, later = found["name"], found["which"] in ("next", "coming")
    if name in WEEKDAYS:
        day = weekday(name, today, 1)
        return day, day
    if found["which"] is None and not found["end"] and name not in (*SEASONS, *MONTHS):
        return None  # "week" alone does not name a week
    first, last = _of_today(name, today, later)
    return (last, last) if found["end"] else (first, last)


def _of_today(name: str, today: date, later: bool) -> Days:
    """The current week, month or year, or with `later` the next one; for months and seasons the current or next one."""
    if name in PERIODS:
        return period(name, today, int(later))
    month, length = (SEASONS[name], 3) if name in SEASONS else (MONTHS[name], 1)
    coming = (months(today.year + years, month, length) for years in range(-1, 3))
    return next(days for days in coming if (days[0] > today if later else days[1] >= today))


def _by_calendar(text: str, today: date) -> Days | None:
    """A calendar date such as "5 march", "christmas" or "2027"; without a year, the next such date."""
    for form in FORMS:
        found = re.fullmatch(form.pattern, text, re.IGNORECASE) if form.by_calendar else None
        if found is None:
            continue
        words = {name: value or "" for name, value in found.groupdict().items()}
        years = [int(words["year"])] if words.get("year") else [today.year, today.year + 1]
        return next((days for year in years if (days := form.read(words, year, today))[1] >= today), None)
    return None


def _whole(days: Days) -> Span:
    return Span(start_of(days[0], "when"), end_of(days[1], "when"))
