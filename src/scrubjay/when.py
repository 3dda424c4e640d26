"""The time that a question names: "on 7 May 2023", "last spring", "since March", as spans of whole local days."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import NamedTuple, TypeAlias

from scrubjay.times import end_of, start_of

__all__ = ["BEGINNING", "LONGEST", "Span", "spans"]

Days: TypeAlias = tuple[date, date]  # the first and the last

LONGEST = 500  # characters: a question names a time, a page merely holds some
YEARS = 5  # among which one is looked for where none is named
BEGINNING = date(1900, 1, 1)  # of what lies before something
DAY = timedelta(days=1)

MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "jan feb mar apr - jun jul aug sep oct nov dec",
        "- - - - - - - - sept - - -",
        "januar februar märz - mai juni juli - - oktober - dezember",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    )
    for number, name in enumerate(names.split(), start=1)
    if name != "-"
}
ALSO_VERBS = {"may", "march", "mar"}  # in small letters
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # the month that each begins with
PARTS = {  # of a month, by its days
    **dict.fromkeys(("early", "beginning of", "start of"), (1, 10)),
    **dict.fromkeys(("mid", "middle of"), (11, 20)),
    **dict.fromkeys(("late", "end of"), (21, 31)),
    **dict.fromkeys(("first week of", "first weekend of"), (1, 8)),
    **dict.fromkeys(("second week of", "second weekend of"), (8, 15)),
    **dict.fromkeys(("third week of", "third weekend of"), (15, 22)),
    **dict.fromkeys(("fourth week of", "fourth weekend of"), (22, 29)),
    **dict.fromkeys(("last week of", "last weekend of"), (23, 31)),
    "last two weeks of": (18, 31),
    "first half of": (1, 15),
    "second half of": (16, 31),
}
SINCE = {"since", "seit", "desde", "depuis"}
UNTIL = {"until", "till", "by"}
WITHIN = {"in", "during", "between", "from", "around", "im", "zwischen", "en", "entre"}
LEADS = {*SINCE, *UNTIL, *WITHIN, "before", "after"}  # before a month or a year that stands alone
JOINED = {"and", "to", "through", "und", "bis", "y", "et"}  # before one after another
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
LENGTHS = {"day": 1, "week": 7, "weekend": 7, "month": 30, "year": 365, **dict.fromkeys(WEEKDAYS, 7)}
NUMBERS = {name: number for number, name in enumerate("one two three four five six seven eight nine ten".split(), 1)}
NUMBERS |= {"a": 1, "an": 1, "couple of": 2, "few": 3}
ENGLISH = {  # "hier" alone is also German for "here"
    **dict.fromkeys(("gestern", "ayer", "hier soir", "d'hier", "last night"), "yesterday"),
    **dict.fromkeys(("letzte woche", "semana pasada", "semaine dernière"), "last week"),
    **dict.fromkeys(("letzten monat", "mes pasado", "mois dernier"), "last month"),
    **dict.fromkeys(("letztes jahr", "año pasado", "année dernière"), "last year"),
}
NOUNS = {*MONTHS, *SEASONS, *LENGTHS, *(f"{unit}s" for unit in LENGTHS), "today", "yesterday"}


def _any(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


# Patterns stay text: each is compiled when a question first needs it.
YEAR = r"(?P<year>(?:19|20)\d\d)\b(?![./:-]\d)"
MONTH = rf"\b(?P<month>{_any(MONTHS)})\b\.?"
DAY_OF_MONTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.)?"
OF_YEAR = rf"(?:,? (?:of |de |del )?|,){YEAR}"
DATES = (
    r"\b(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)(?:-(?P<day>\d\d))?\b",
    rf"\b{DAY_OF_MONTH} (?:of |de )?{MONTH}(?:{OF_YEAR})?",
    rf"{MONTH} {DAY_OF_MONTH}\b(?:{OF_YEAR})?",
    rf"{MONTH}{OF_YEAR}",
    rf"\b(?P<season>{_any(SEASONS)}){OF_YEAR}",
    MONTH,
    rf"\b{YEAR}",
)
COUNT = rf"(?:a )?(?P<count>{_any(NUMBERS)}|\d{{1,3}})"
UNIT = rf"(?P<unit>{_any(LENGTHS)})"
LEAD = rf"(?:\b(?:{COUNT} )?{UNIT}s? )?(?:\b(?P<lead>\w+) )?(?:the )?(?:\b(?P<part>{_any(PARTS)})[ -](?:the )?)?$"
AGO = rf"\b{COUNT} {UNIT}s? ago\b"
LATELY = rf"\b(?:last|past) {COUNT} {UNIT}s?\b"
LAST = rf"\b(?:last|previous) (?P<name>{_any((*LENGTHS, *SEASONS, *MONTHS))})\b"
THIS = rf"\b(?:did|was|were|had)\b.*\b(?:this (?P<name>{_any((*LENGTHS, *SEASONS))})|today)\b"  # else it is a plan


class Span(NamedTuple):
    """From its first moment to its last."""

    start: datetime
    end: datetime


class Mention(NamedTuple):
    """A date as far as a text tells it, and the words before it."""

    year: int | None
    month: int | None
    day: int | None
    months: int  # how many it covers
    lead: str
    part: str
    reach: int  # how many days before or after it: fourteen in "two weeks before"


def spans(text: str, now: datetime) -> tuple[Span, ...]:
    """Where in time to look, the likeliest first; another only if nothing was remembered in the one before it."""
    text = " ".join(text.split())
    if len(text) > LONGEST or not _may_name_a_time(text := _in_english(text)):
        return ()
    today = now.astimezone().date()
    found = dict.fromkeys(_dated(text, today)) or _relative(text, today)
    return tuple(Span(start_of(first, "when"), end_of(last, "when")) for first, last in found if first <= today)


def _in_english(text: str) -> str:
    known = text.casefold()
    for phrase, english in ENGLISH.items():
        if phrase in known:
            text = re.sub(rf"\b{phrase}\b", english, text, flags=re.IGNORECASE)
    return text


def _may_name_a_time(text: str) -> bool:
    words = re.findall(r"\w+", text.casefold())
    return any(word in NOUNS or (len(word) == 4 and word.isdecimal()) for word in words)


def _dated(text: str, today: date) -> Iterator[Days]:
    """From the first date that is named to the last; without any year, in each of the latest years."""
    mentions = _mentions(text)
    years = [mention.year for mention in mentions if mention.year][-1:] or range(today.year, today.year - YEARS, -1)
    for year in years if mentions else ():
        with suppress(ValueError):  # there is no such day, in this year or at all
            days = [_days(mention, mention.year or year) for mention in mentions]
            if len(days) == 1:
                yield _reaching(mentions[0], *days[0], today)
            else:
                yield min(first for first, _ in days), max(last for _, last in days)


def _mentions(text: str) -> list[Mention]:
    found: list[re.Match[str]] = []
    rest = text
    for pattern in DATES:
        found += re.finditer(pattern, rest, re.IGNORECASE)
        rest = re.sub(pattern, lambda match: "#" * len(match[0]), rest, flags=re.IGNORECASE)
    mentions: list[Mention] = []
    for match in sorted(found, key=re.Match.start):
        mention = _mention(match, re.search(LEAD, text[: match.start()], re.IGNORECASE))
        if mention.lead in LEADS or mention.part or (mentions and mention.lead in JOINED) or _is_plain(mention, match):
            mentions.append(mention)
    return mentions


def _is_plain(mention: Mention, match: re.Match[str]) -> bool:
    """Whether it must be a date whatever stands before it: not a month or a year alone, nor the verb "may"."""
    if mention.year:
        return mention.month is not None
    return mention.day is not None and (match["month"] not in ALSO_VERBS or mention.lead == "on")


def _mention(match: re.Match[str], before: re.Match[str] | None) -> Mention:
    told = {name: (value or "").casefold() for name, value in match.groupdict().items()}
    lead = {name: (value or "").casefold() for name, value in before.groupdict().items()} if before else {}
    season = SEASONS.get(told.get("season", ""))
    month = season or MONTHS.get(told.get("month", "")) or int(told.get("number") or 0)
    return Mention(
        year=int(told.get("year") or 0) or None,
        month=month or None,
        day=int(told.get("day") or 0) or None,
        months=3 if season else 1 if month else 12,
        lead=lead.get("lead", ""),
        part=lead.get("part", ""),
        reach=_number(lead.get("count", "")) * LENGTHS.get(lead.get("unit", ""), 0),
    )


def _days(mention: Mention, year: int) -> Days:
    if mention.day:
        day = date(year, mention.month or 1, mention.day)
        return day, day
    first, last = _months(year, mention.month or 1, mention.months)
    if mention.part and mention.months == 1:
        start, end = PARTS[mention.part]
        return first.replace(day=start), last.replace(day=min(end, last.day))
    return first, last


def _months(year: int, month: int, number: int) -> Days:
    end = year * 12 + month + number - 2
    last = date(end // 12, end % 12 + 1, 1)
    return date(year, month, 1), last.replace(day=monthrange(last.year, last.month)[1])


def _reaching(mention: Mention, first: date, last: date, today: date) -> Days:
    """What "since", "before" and the like make of a date: from it on or up to it, as far as they say."""
    reach = DAY * mention.reach
    if mention.lead in SINCE:
        return first, max(today, last)
    if mention.lead in UNTIL:
        return BEGINNING, last
    if mention.lead == "before":
        return (first - reach if reach else BEGINNING), first
    if mention.lead == "after":
        return last, (last + reach if reach else max(today, last))
    return first, last


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else NUMBERS.get(text, 1)


def _relative(text: str, today: date) -> list[Days]:
    """What is told from today: "yesterday", "three weeks ago", "last spring"."""
    small = text.casefold()
    if "yesterday" in small:
        day = today - DAY * (1 + ("day before yesterday" in small))
        return [(day, day)]
    if match := re.search(AGO, small):
        length = LENGTHS[match["unit"]]
        then, about = today - DAY * length * _number(match["count"]), DAY * (length // 2)
        return [(then - about, min(then + about, today))]
    if match := re.search(LATELY, small):
        return [(today - DAY * LENGTHS[match["unit"]] * _number(match["count"]), today)]
    if (match := re.search(LAST, text, re.IGNORECASE)) and match["name"] not in ALSO_VERBS:
        return [_latest(match["name"].casefold(), today, ended=True)]
    if match := re.search(THIS, small):
        return [_latest(match["name"] or "day", today, ended=False)]
    return []


def _latest(name: str, today: date, ended: bool) -> Days:
    """The latest week, Monday or spring that has begun, or that has ended."""
    if name == "day":
        return today - DAY * ended, today
    if name in WEEKDAYS:
        day = today - DAY * ((today.weekday() - WEEKDAYS.index(name) - ended) % 7 + ended)
        return day, day
    if name in ("week", "weekend"):
        monday = today - DAY * (today.weekday() + 7 * ended)
        return (monday + DAY * 5 if name == "weekend" else monday), monday + DAY * 6
    if name == "year":
        return _months(today.year - ended, 1, 12)
    if name == "month":
        day = today.replace(day=1) - DAY if ended else today
        return _months(day.year, day.month, 1)
    month, number = (SEASONS[name], 3) if name in SEASONS else (MONTHS[name], 1)
    options = [_months(year, month, number) for year in (today.year, today.year - 1, today.year - 2)]
    return next(days for days in options if days[ended] < today)
