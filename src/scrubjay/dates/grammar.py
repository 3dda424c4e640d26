"""The forms in which English names a time, and the days that each form means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from math import ceil
from typing import Literal, NamedTuple, TypeAlias

from scrubjay.dates.relative import DAY, LENGTHS, NEAR_DAYS, PERIODS, Days, away, months, near_day, period, weekday
from scrubjay.text import word_lists
from scrubjay.text.word_lists import MONTH_ABBREVIATIONS, WEEKDAYS

__all__ = [
    "ALSO_VERBS",
    "BEGINNING",
    "COUNT",
    "FORMS",
    "MONTHS",
    "NUMBERS",
    "PARTS",
    "SEASONS",
    "UNIT",
    "WEEKDAYS",
    "Form",
    "Words",
    "any_of",
    "may_name_a_time",
    "number",
    "part_of",
    "possible_forms",
]

Words: TypeAlias = Mapping[str, str]  # the named groups of a form's match, in lower case
# What a match needs around it before it counts as a time (`questions._names_a_time` checks this):
# "sure" nothing; "date" that its month is not a verb ("may", "march"); "alone" a word such as "in" before it;
# "day" "on" before it, or the end of a question about the past; "part" a part before it ("end of");
# "past" a question about the past, since it could also name a plan; "season" both "in" and a question about the past.
Weight: TypeAlias = Literal["sure", "date", "alone", "day", "part", "past", "season"]

BEGINNING = date(1900, 1, 1)  # where "before 2020" starts

MONTHS = {name: number for number, name in enumerate(word_lists.MONTHS, start=1)} | MONTH_ABBREVIATIONS
ALSO_VERBS = {"may", "march", "mar"}  # when written in lower case
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # the first month of each
HOLIDAYS = {  # month, first day, last day
    "christmas eve": (12, 24, 24),
    "christmas day": (12, 25, 25),
    "christmas": (12, 24, 26),
    "new year's eve": (12, 31, 31),
    "new year's day": (1, 1, 1),
    "new year's": (1, 1, 1),
    "valentine's day": (2, 14, 14),
    "halloween": (10, 31, 31),
}
NUMBERS = {name: number for number, name in enumerate(word_lists.NUMBERS) if number}
NUMBERS |= {"a": 1, "an": 1, "couple": 2, "couple of": 2, "few": 3, "several": 4}
NUMBERS |= {"dozen": 12, "fifteen": 15, "twenty": 20, "thirty": 30}
ORDINALS = ("first", "second", "third", "fourth")
PARTS = {  # start and end, as a share of the whole
    **dict.fromkeys(("early", "early in"), (0.0, 1 / 3)),
    **dict.fromkeys(("mid", "middle of"), (1 / 3, 2 / 3)),
    **dict.fromkeys(("late", "late in"), (2 / 3, 1.0)),
    **dict.fromkeys(("beginning of", "start of"), (0.0, 1 / 6)),
    "end of": (5 / 6, 1.0),
    "last two weeks of": (1 / 2, 1.0),
    **{f"last {unit} of": (3 / 4, 1.0) for unit in ("week", "weekend", "quarter")},
    **{
        f"{name} {unit}{of}": (place / shares, (place + 1) / shares)
        for unit, shares in (("week", 4), ("weekend", 4), ("quarter", 4), ("half", 2))
        for place, name in enumerate(ORDINALS[:shares])
        for of in (" of", "")
    },
}


def any_of(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


MEASURES = "ms|s|m|km|kg|mb|gb|meters?|tokens?|requests?|rows?|lines?|words?|items?|users?|people|points?|times"
YEAR = rf"(?P<year>(?:19|20)\d\d)\b(?![./:-]\w| (?:{MEASURES})\b)"
OF_YEAR = rf"(?:,? (?:of )?|,){YEAR}"
MONTH = rf"\b(?P<month>{any_of(MONTHS)})\b\.?"
NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.)?"
NTH_UNTIL = NTH.replace("<day>", "<until>")
SEASON = rf"\b(?P<season>{any_of(SEASONS)})\b"
WEEKDAY = rf"\b(?P<weekday>{any_of(WEEKDAYS)})\b"
COUNT = rf"(?<![\w.,-])(?<!half )(?<!ty )(?:a )?(?P<count>{any_of(NUMBERS)}|\d{{1,3}})"  # not part of a longer one
UNIT = rf"(?P<unit>{any_of(LENGTHS)})"
NAMED = rf"(?P<named>{any_of((*PERIODS, *WEEKDAYS, *SEASONS, *MONTHS, *HOLIDAYS))})"


DIGITS = re.compile(r"\d")
WORDS = re.compile(r"\w+")
PAST_DAYS = [name for name, days in NEAR_DAYS.items() if days < 0]
THIS_DAY = [name for name, days in NEAR_DAYS.items() if days == 0]

Held: TypeAlias = frozenset[str]  # words in lower case, with 0 for any digit


def _held(*words: str) -> Held:
    return frozenset(words)


DIGIT = _held("0")  # stands for any digit, also within a word
FOUR_DIGITS = _held("0000")
MONTH_WORDS = _held(*MONTHS)
SEASON_WORDS = _held(*SEASONS)
HOLIDAY_WORDS = _held(*(re.split(r"\W", name)[0] for name in HOLIDAYS))
NAMED_WORDS = HOLIDAY_WORDS.union(PERIODS, WEEKDAYS, SEASONS, MONTHS)
UNIT_WORDS = _held(*LENGTHS, *(f"{name}s" for name in LENGTHS))
LAST_WORDS, LATEST_WORDS = _held("last", "past"), _held("last", "past", "previous", "this")


class Form(NamedTuple):
    """One way to name a time: the pattern of its words, and a function from (words, year, today) to days."""

    pattern: str
    read: Callable[[Words, int, date], Days]
    weight: Weight = "sure"
    by_calendar: bool = True  # False: counted from today, such as "last week"
    # Of each group, a text that matches holds a word: seen sooner than that the pattern does not match.
    holds: tuple[Held, ...] = (FOUR_DIGITS,)


def part_of(part: str, days: Days) -> Days:
    """A part of some days, such as the first week of a month; of a whole year, in whole months."""
    first, last = days
    start, end = PARTS[part]
    if first == date(first.year, 1, 1) and last == date(first.year, 12, 31):
        return months(first.year, int(start * 12) + 1, int(end * 12) - int(start * 12))
    length = (last - first).days + 1
    return first + DAY * int(start * length), first + DAY * (max(int(end * length), int(start * length) + 1) - 1)


def number(text: str) -> int:
    """A count in words or digits; 1 if there is none, as in "the week before"."""
    return int(text) if text.isdecimal() else NUMBERS.get(text, 1)


def _day(words: Words, year: int, today: date) -> Days:
    month = MONTHS.get(words.get("month", "")) or int(words["number"])
    return date(year, month, int(words["day"])), date(year, month, int(words.get("until") or words["day"]))


def _month(words: Words, year: int, today: date) -> Days:
    if words.get("short"):
        year = 2000 + int(words["short"])
    return months(year, MONTHS.get(words.get("month", "")) or int(words["number"]), 1)


def _season(words: Words, year: int, today: date) -> Days:
    return months(year, SEASONS[words["season"]], 3)


def _share(words: Words, year: int, today: date) -> Days:
    """A quarter or a half of a year."""
    count = 3 if words["share"] == "q" else 6
    return months(year, (int(words["place"]) - 1) * count + 1, count)


def _week(words: Words, year: int, today: date) -> Days:
    return date.fromisocalendar(year, int(words["week"]), 1), date.fromisocalendar(year, int(words["week"]), 7)


def _decade(words: Words, year: int, today: date) -> Days:
    first = int(words["decade"])
    first += 1900 * (first < 100)
    return date(first, 1, 1), date(first + 9, 12, 31)


def _holiday(words: Words, year: int, today: date) -> Days:
    month, first, last = HOLIDAYS[words["holiday"]]
    return date(year, month, first), date(year, month, last)


def _year(words: Words, year: int, today: date) -> Days:
    return months(year, 1, 12)


def _near(words: Words, year: int, today: date) -> Days:
    day = near_day(words["near"], today)
    return day, day


def _ago(words: Words, year: int, today: date) -> Days:
    then = away(today, -number(words["count"]), words["unit"])
    if words.get("today"):
        return then, then
    about = DAY * int(LENGTHS[words["unit"]] // 2)
    return then - about, min(then + about, today)


def _lately(words: Words, year: int, today: date) -> Days:
    return today - DAY * ceil(LENGTHS[words["unit"]] * number(words.get("count") or "one")), today


def _last(words: Words, year: int, today: date) -> Days:
    return _latest(words["named"], today, ended=True)


def _this(words: Words, year: int, today: date) -> Days:
    return _latest(words["named"], today, ended=False)


def _before_last(words: Words, year: int, today: date) -> Days:
    first, _ = _latest(words["named"], today, ended=True)
    return _latest(words["named"], first, ended=True)


def _within(words: Words, year: int, today: date) -> Days:
    """A weekday of last week, or the nth day of this month."""
    first, _ = _latest(words["unit"], today, ended=words["which"] != "this")
    if words.get("weekday"):
        day = first + DAY * WEEKDAYS.index(words["weekday"])
    else:
        day = first.replace(day=int(words["day"]))
    return day, day


def _weekday(words: Words, year: int, today: date) -> Days:
    return _latest(words["weekday"], today, ended=True)


def _nth(words: Words, year: int, today: date) -> Days:
    day = next(day for day in (today - DAY * back for back in range(93)) if day.day == int(words["day"]))
    return day, day


def _weekend(words: Words, year: int, today: date) -> Days:
    return _latest("weekend", today, ended=today.weekday() < 5)


def _season_now(words: Words, year: int, today: date) -> Days:
    return _latest(words["season"], today, ended=False)


def _latest(name: str, today: date, ended: bool) -> Days:
    """The latest period of that name (week, Monday, spring) that has begun or, with `ended`, has ended."""
    if name in WEEKDAYS:
        day = weekday(name, today if ended else today + DAY, -1)
        return day, day
    if name in PERIODS:
        return period(name, today, -1 if ended else 0)
    years = range(today.year, today.year - 3, -1)
    options = [days for year in years for days in reversed(_of_year(name, year))]
    return next((first, last) for first, last in options if (last < today if ended else first <= today))


def _of_year(name: str, year: int) -> list[Days]:
    """All periods of that name in a year, earliest first."""
    if name in HOLIDAYS:
        return [_holiday({"holiday": name}, year, date(year, 1, 1))]
    return [months(year, SEASONS[name], 3) if name in SEASONS else months(year, MONTHS[name], 1)]


# Every form contains at least one of these.
HINTS = (
    rf"\d{{4}}|\d(?:st|nd|rd|th)\b|'\d\d|\bq[1-4]\b|\b(?:{any_of((*MONTHS, *SEASONS, *HOLIDAYS, *LENGTHS, 'quarter'))})"
)
HINTS += r"|day\b|night|morning|noon|evening"
CLAUSE_ENDS = r"(?=\s*(?:[?.!,;]|$))"
# Earlier forms win: words that one has matched are not read by later ones.
FORMS = (
    Form(r"(?<![\w/.-])(?P<year>(?:19|20)\d\d)(?P<sign>[-/])(?P<number>\d\d?)(?P=sign)(?P<day>\d\d?)(?!\d)", _day),
    Form(r"(?<![\w/.-])(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)\b(?!-)", _month),
    Form(rf"{SEASON}(?: of)? (?P<year>(?:19|20)\d\d)/\d\d\b", _season, holds=(FOUR_DIGITS, SEASON_WORDS)),
    Form(
        rf"\b{NTH}(?:-|–| to | and )(?:the )?{NTH_UNTIL} (?:of )?{MONTH}(?:{OF_YEAR})?",
        _day,
        "date",
        holds=(DIGIT, MONTH_WORDS),
    ),
    Form(rf"\b{NTH} (?:of )?{MONTH}(?:{OF_YEAR})?", _day, "date", holds=(DIGIT, MONTH_WORDS)),
    Form(
        rf"{MONTH} {NTH}(?:(?:-|–){NTH_UNTIL})?\b(?! (?:{any_of(LENGTHS)})s?\b)(?:{OF_YEAR})?",
        _day,
        "date",
        holds=(DIGIT, MONTH_WORDS),
    ),
    Form(rf"{MONTH}{OF_YEAR}", _month, holds=(FOUR_DIGITS, MONTH_WORDS)),
    Form(rf"{MONTH} '(?P<short>\d\d)\b", _month, holds=(DIGIT, MONTH_WORDS)),
    Form(rf"{SEASON}{OF_YEAR}", _season, holds=(FOUR_DIGITS, SEASON_WORDS)),
    Form(rf"\b(?P<share>q)(?P<place>[1-4])(?:[ /-]?(?:of )?|,? ){YEAR}", _share, holds=(_held("q0", "q00000"),)),
    Form(rf"\b(?P<share>h)(?P<place>[12])(?:[ /-]?(?:of )?|,? ){YEAR}", _share, holds=(_held("h0", "h00000"),)),
    Form(r"\b(?P<share>q)(?P<place>[1-4])\b(?! of\b)", _share, "alone", holds=(_held("q0"),)),
    Form(rf"\bweek (?P<week>\d\d?)(?:,? (?:of )?){YEAR}", _week, holds=(FOUR_DIGITS, _held("week"))),
    Form(r"\bweek (?P<week>\d\d?)\b(?! of\b)", _week, "alone", holds=(DIGIT, _held("week"))),
    Form(r"\b(?P<decade>(?:19|20)\d0)s\b", _decade, holds=(_held("0000s"),)),
    Form(r"\bthe '?(?P<decade>[5-9]0)s\b", _decade, holds=(_held("00s"),)),
    Form(rf"\b(?P<holiday>{any_of(HOLIDAYS)}) (?:of |in )?{YEAR}", _holiday, holds=(FOUR_DIGITS, HOLIDAY_WORDS)),
    Form(
        rf"\b(?:{WEEKDAY}|(?:the )?{NTH}) (?:of )?(?P<which>last|this|previous) (?P<unit>week|month)\b",
        _within,
        by_calendar=False,
        holds=(LATEST_WORDS, _held("week", "month")),
    ),
    Form(rf"\b(?P<near>{any_of(PAST_DAYS)})\b", _near, by_calendar=False, holds=(_held("yesterday", "night"),)),
    Form(rf"{COUNT} {UNIT}s? ago\b(?P<today> today)?", _ago, by_calendar=False, holds=(_held("ago"),)),
    Form(rf"\b(?:last|past) {COUNT} {UNIT}s?\b", _lately, by_calendar=False, holds=(LAST_WORDS, UNIT_WORDS)),
    Form(
        rf"\b(?:past|(?:in|over|within|during) the last) {UNIT}\b(?! of\b)",
        _lately,
        by_calendar=False,
        holds=(LAST_WORDS, UNIT_WORDS),
    ),
    Form(rf"\b{NAMED} before last\b", _before_last, by_calendar=False, holds=(_held("before", "prior"), LAST_WORDS)),
    Form(rf"\b(?:last|previous) {NAMED}\b", _last, by_calendar=False, holds=(LATEST_WORDS, NAMED_WORDS)),
    Form(rf"\bthis {NAMED}\b", _this, "past", by_calendar=False, holds=(_held("this"), NAMED_WORDS)),
    Form(r"\bthe (?P<named>week|month|quarter|year)\b", _this, "part", by_calendar=False, holds=(_held(*PERIODS),)),
    Form(
        rf"\b(?P<near>{any_of(THIS_DAY)})\b",
        _near,
        "past",
        by_calendar=False,
        holds=(_held(*(name.split()[-1] for name in THIS_DAY)),),
    ),
    Form(r"\b(?:over|on|at) (?:the )?weekend\b", _weekend, "past", by_calendar=False, holds=(_held("weekend"),)),
    Form(rf"\b(?P<holiday>{any_of(HOLIDAYS)})\b", _holiday, "day", holds=(HOLIDAY_WORDS,)),
    Form(rf"{MONTH}(?!')", _month, "alone", holds=(MONTH_WORDS,)),
    Form(rf"\b{YEAR}", _year, "alone"),
    Form(
        rf"{WEEKDAY}(?P<own>'s)?(?! (?:morning|afternoon|evening|night)s\b)",
        _weekday,
        "day",
        by_calendar=False,
        holds=(_held(*WEEKDAYS),),
    ),
    Form(
        rf"\bthe (?P<day>[1-9]|[12]\d|3[01])(?:st|nd|rd|th)\b{CLAUSE_ENDS}",
        _nth,
        "day",
        by_calendar=False,
        holds=(_held(*(f"{day}{ending}" for day in ("0", "00") for ending in ("st", "nd", "rd", "th"))),),
    ),
    Form(rf"{SEASON}{CLAUSE_ENDS}", _season_now, "season", by_calendar=False, holds=(SEASON_WORDS,)),
)
HELD_BY_FORMS = {words for form in FORMS for words in form.holds}


def may_name_a_time(text: str) -> bool:
    """A quick test: most texts hold nothing of the sort."""
    return re.search(HINTS, text.casefold()) is not None


def possible_forms(text: str) -> list[Form]:
    """Those that a text may match, by the words and digits that it holds."""
    lower = DIGITS.sub("0", text.casefold())
    words = {*WORDS.findall(lower), *(DIGIT if "0" in lower else ())}
    held = {own for own in HELD_BY_FORMS if not own.isdisjoint(words)}
    return [form for form in FORMS if held.issuperset(form.holds)]
