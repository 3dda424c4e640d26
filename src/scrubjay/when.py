"""The time that a question names: "on 7 May 2023", "last spring", "since March", as spans of whole local days."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TypeAlias

from scrubjay.errors import Invalid
from scrubjay.times import end_of, start_of

__all__ = ["Span", "spans"]

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
    **dict.fromkeys(("last week of", "last weekend of"), (23, 31)),
    "first half of": (1, 15),
    "second half of": (16, 31),
}
SINCE = {"since", "seit", "desde", "depuis"}
UNTIL = {"until", "till", "by"}
BESIDE = {"before", "after"}
WITHIN = {"in", "on", "of", "during", "between", "from", "around", "im", "zwischen", "en", "entre"}
JOINED = {"and", "to", "through", "und", "bis", "y", "et"}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
LENGTHS = {"day": 1, "week": 7, "weekend": 7, "month": 30, "year": 365, **dict.fromkeys(WEEKDAYS, 7)}
NUMBERS = {name: number for number, name in enumerate("one two three four five six seven eight nine ten".split(), 1)}
NUMBERS |= {"a": 1, "an": 1, "couple of": 2, "few": 3}
ELSEWHERE = {  # what other languages say, in English
    **dict.fromkeys(("heute", "hoy", "aujourd'hui"), "today"),
    **dict.fromkeys(("gestern", "ayer", "hier", "last night"), "yesterday"),
    **dict.fromkeys(("letzte woche", "semana pasada", "semaine dernière"), "last week"),
    **dict.fromkeys(("letzten monat", "mes pasado", "mois dernier"), "last month"),
    **dict.fromkeys(("letztes jahr", "año pasado", "année dernière"), "last year"),
}
NOUNS = {*MONTHS, *SEASONS, *LENGTHS, *(f"{unit}s" for unit in LENGTHS), "today", "yesterday"}


def _any(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


# Patterns stay text: each is compiled when a question first needs it.
YEAR = r"(?P<year>(?:19|20)\d\d)\b"
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
LEAD = rf"(?:\b(?:{COUNT} )?{UNIT}s? )?\b(?P<lead>\w+) (?:the )?(?:(?P<part>{_any(PARTS)})[ -](?:the )?)?$"
AGO = rf"\b{COUNT} {UNIT}s? ago\b"
LATELY = rf"\b(?:past|last) (?:{COUNT} {UNIT}s?)\b"
WHICH = rf"\b(?P<which>last|previous|this) (?:{UNIT}|(?P<name>{_any((*SEASONS, *MONTHS))}))\b"


@dataclass(frozen=True, slots=True)
class Span:
    """From its first moment to its last."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Mention:
    """A date as far as a text tells it, and the words before it."""

    year: int | None
    month: int | None
    day: int | None
    months: int  # how many it covers
    lead: str
    part: str
    reach: int  # days before or after the date, as in "two weeks before"


def spans(text: str, now: datetime) -> tuple[Span, ...]:
    """Where in time to look, the likeliest first: the next counts only if nothing was remembered in the one before."""
    text = " ".join(text.split())
    if len(text) > LONGEST or not _may_name_a_time(text := _in_english(text)):
        return ()
    today = now.astimezone().date()
    try:
        found = list(_dated(text, today)) or list(_relative(text.casefold(), today))
        past = [days for days in dict.fromkeys(found) if days[0] <= today]
        return tuple(Span(start_of(first, "when"), end_of(last, "when")) for first, last in past)
    except (OverflowError, ValueError, Invalid):  # no such day, or none that a calendar holds
        return ()


def _in_english(text: str) -> str:
    known = text.casefold()
    for phrase, english in ELSEWHERE.items():
        if phrase in known:
            return re.sub(rf"\b{phrase}\b", english, text, flags=re.IGNORECASE)
    return text


def _may_name_a_time(text: str) -> bool:
    words = re.findall(r"\w+", text.casefold())
    return any(word in NOUNS or (len(word) == 4 and word.isdecimal()) for word in words)


def _dated(text: str, today: date) -> Iterator[Days]:
    """From the first date named to the last; where no year is, in the latest years that have them behind them."""
    mentions = _mentions(text)
    if not mentions:
        return
    known = {mention.year for mention in mentions if mention.year}
    for year in sorted(known)[-1:] or range(today.year, today.year - YEARS, -1):
        days = [_days(mention, mention.year or year) for mention in mentions]
        first, last = min(first for first, _ in days), max(last for _, last in days)
        yield _reaching(mentions[0], first, last, today) if len(mentions) == 1 else (first, last)


def _mentions(text: str) -> list[Mention]:
    """Every date in a text, in order; a month or a year alone only after a word such as "in"."""
    found: dict[int, re.Match[str]] = {}
    rest = text
    for pattern in DATES:
        for match in re.finditer(pattern, rest, re.IGNORECASE):
            found[match.start()] = match
            rest = rest[: match.start()] + "#" * len(match[0]) + rest[match.end() :]
    mentions: list[Mention] = []
    for place, match in sorted(found.items()):
        mention = _mention(match.groupdict(), re.search(LEAD, text[:place], re.IGNORECASE))
        leads = SINCE | UNTIL | BESIDE | WITHIN | (JOINED if mentions else set())
        alone = mention.day is None and (mention.month is None or mention.year is None)
        verb = not mention.year and match["month"] in ALSO_VERBS if "month" in match.groupdict() else False
        if (not alone and not verb) or mention.lead in leads:
            mentions.append(mention)
    return mentions


def _mention(parts: dict[str, str | None], before: re.Match[str] | None) -> Mention:
    year, day = parts.get("year"), parts.get("day")
    month = MONTHS.get((parts.get("month") or "").casefold()) or SEASONS.get((parts.get("season") or "").casefold())
    lead = {name: (value or "").casefold() for name, value in before.groupdict().items()} if before else {}
    return Mention(
        year=int(year) if year else None,
        month=int(parts["number"] or 0) if parts.get("number") else month,
        day=int(day) if day else None,
        months=3 if parts.get("season") else 1 if month or parts.get("number") else 12,
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
    end = year * 12 + month - 1 + number - 1
    last_year, last_month = end // 12, end % 12 + 1
    return date(year, month, 1), date(last_year, last_month, monthrange(last_year, last_month)[1])


def _reaching(mention: Mention, first: date, last: date, today: date) -> Days:
    """What "since", "before" and the like make of a date: up to it or from it on, as far as they say."""
    reach = timedelta(mention.reach)
    if mention.lead in SINCE:
        return first, today
    if mention.lead in UNTIL:
        return BEGINNING, last
    if mention.lead == "before":
        return (first - reach if reach else BEGINNING), first
    if mention.lead == "after":
        return last, (last + reach if reach else today)
    return first, last


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else NUMBERS.get(text, 1)


def _relative(text: str, today: date) -> Iterator[Days]:
    """What is told from today: "yesterday", "three weeks ago", "last spring"."""
    if "yesterday" in text:
        yesterday = today - DAY * (1 + ("day before yesterday" in text))
        yield yesterday, yesterday
    elif match := re.search(AGO, text):
        length = LENGTHS[match["unit"]]
        then, about = today - DAY * length * _number(match["count"]), DAY * (length // 2)
        yield then - about, min(then + about, today)
    elif match := re.search(LATELY, text):
        yield today - DAY * LENGTHS[match["unit"]] * _number(match["count"]), today
    elif match := re.search(WHICH, text):
        yield _which(match["unit"] or match["name"], match["which"] != "this", today)
    elif re.search(r"\btoday\b", text):
        yield today, today


def _which(name: str, ended: bool, today: date) -> Days:
    """The latest week, month, Monday or spring, or the latest that has ended."""
    monday = today - DAY * today.weekday()
    if name in WEEKDAYS:
        day = today - DAY * ((today.weekday() - WEEKDAYS.index(name) - ended) % 7 + ended)
        return day, day
    if name in ("week", "weekend"):
        monday -= DAY * 7 * ended
        return (monday + DAY * 5 if name == "weekend" else monday), monday + DAY * 6
    if name == "day":
        return today - DAY, today
    if name == "year":
        return _months(today.year - ended, 1, 12)
    if name == "month":
        last = today.replace(day=1) - DAY if ended else today
        return _months(last.year, last.month, 1)
    month, number = (SEASONS[name], 3) if name in SEASONS else (MONTHS[name], 1)
    options = [_months(year, month, number) for year in (today.year, today.year - 1, today.year - 2)]
    return next(days for days in options if days[ended] < today)
