"""The time that a question names: "on 7 May 2023", "last spring", "since Monday", as spans of whole local days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime
from typing import Literal, NamedTuple, TypeAlias

from scrubjay.days import (
    ALSO_VERBS,
    BEGINNING,
    COUNT,
    DAY,
    FORMS,
    LENGTHS,
    PARTS,
    UNIT,
    Days,
    Form,
    any_of,
    number,
    part_of,
)
from scrubjay.times import end_of, start_of
from scrubjay.translating import in_english

__all__ = ["LONGEST", "Span", "spans"]

LONGEST = 500  # characters: a question names a time, a page merely holds some
WEEK, ABOUT = DAY * 7, DAY * 3
YEARS = 5  # among which one is looked for where none is named
HINT = (  # of what every form has some
    r"\d{4}|\d(?:st|nd|rd|th)\b|'\d\d|\bq[1-4]\b|day|week|month|quarter|year|hour|night|morning|noon|evening|spring|summer"
    r"|autumn|fall|winter|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|christmas|halloween"
)
SAME = {
    "’": "'",
    r"\bprior to\b": "before",
    r"\bup (?:until|to(?: and including)?)\b(?! (?:over|on|in|at|during)\b)": "until",
}
LEADS = {"since", "until", "till", "by", "before", "after", "in", "during", "between", "from", "around"}
ON = LEADS - {"in", "during"} | {"on", "over", "at"}
JOINED = {"and", "to", "through"}  # before one after another
# What has happened, in English and as the other languages tell it, and what is only usual or planned.
PAST = r"\b(?:did|was|were|had|been|got|gave|said|told|went|made|so far|earlier|ha(?:s|ve) (?!to\b)\w+|\w+'ve)\b"
PAST_ABROAD = r"\b(?:habe|haben|hat|hatten?|war|waren|wurden?|ha|hemos|fue|hice|hicimos|ai|avons|ont|était|a-t-\w+)\b"
PLANNED = r"\b(?:do|does|is|are|will|shall|should|would|can|must|need|every|always|usually|next|tomorrow)\b|'ll\b"
NUMERIC = r"\b(\d{1,2})([./])(\d{1,2})\2((?:19|20)\d\d)\b"
PART = rf"(?:{any_of(PARTS)})"
LEAD = (
    rf"(?:\b(?:{COUNT} )?{UNIT}s? )?(?:\b(?P<lead>(?!{PART}[ -])\w+) )?(?:the )?(?:\b(?P<part>{PART})[ -](?:the )?)?$"
)


Tense: TypeAlias = Literal["past", "planned", "unknown"]


class Span(NamedTuple):
    """From its first moment to its last."""

    start: datetime
    end: datetime


class Phrase(NamedTuple):
    """Words that name a time, and what stands before them."""

    form: Form
    words: re.Match[str]
    lead: str
    part: str
    reach: int  # how many days before or after it: fourteen in "two weeks before"

    @property
    def year(self) -> int | None:
        return int(self.words.groupdict().get("year") or 0) or None

    @property
    def is_verb(self) -> bool:
        """Whether it may be the verb "may" or "march"."""
        told = self.words.groupdict()
        return not self.year and (told.get("month") or told.get("named")) in ALSO_VERBS

    def days(self, year: int, today: date) -> Days:
        told = {name: (value or "").casefold() for name, value in self.words.groupdict().items()}
        days = self.form.read(told, self.year or year, today)
        return part_of(self.part, days) if self.part else days


def spans(text: str, now: datetime) -> tuple[Span, ...]:
    """Where in time to look, the likeliest first; another only if nothing was remembered in the one before it."""
    text = " ".join(text.split())
    if len(text) > LONGEST:
        return ()
    asked = in_english(text)
    if not re.search(HINT, asked, re.IGNORECASE):
        return ()
    english, today = asked == text, now.astimezone().date()
    tense = _tense(asked, english)
    found = dict.fromkeys(days for wording in _wordings(asked, english) for days in _found(wording, tense, today))
    return tuple(Span(start_of(first, "when"), end_of(last, "when")) for first, last in found if first <= today)


def _tense(text: str, english: bool) -> Tense:
    if re.search(PAST if english else PAST_ABROAD, text, re.IGNORECASE):
        return "past"
    return "planned" if re.search(PLANNED, text, re.IGNORECASE) else "unknown"


def _wordings(text: str, month_first: bool) -> Iterator[str]:
    """The text with dates in figures as year, month and day: in either order, as 11/25/2025 is read by one alone."""
    for phrase, same in SAME.items():
        text = re.sub(phrase, same, text, flags=re.IGNORECASE)
    yield re.sub(NUMERIC, lambda found: _written(found, month_first), text)
    if re.search(NUMERIC, text):
        yield re.sub(NUMERIC, lambda found: _written(found, not month_first), text)


def _written(found: re.Match[str], month_first: bool) -> str:
    one, sign, other, year = found.groups()
    month, day = (one, other) if month_first and sign == "/" else (other, one)
    return f"{year}-{int(month):02}-{int(day):02}"


def _found(text: str, tense: Tense, today: date) -> Iterator[Days]:
    """From the first date that is named to the last, or else what is told from today; without a year, in the latest."""
    phrases = _phrases(text, tense)
    phrases = [phrase for phrase in phrases if phrase.form.dated] or phrases
    years = [phrase.year for phrase in phrases if phrase.year][-1:] or range(today.year, today.year - YEARS, -1)
    for year in years if phrases else ():
        with suppress(ValueError):  # there is no such day, in this year or at all
            days = [phrase.days(year, today) for phrase in phrases]
            if len(days) == 1:
                yield _reaching(phrases[0], *days[0], today)
            else:
                yield min(first for first, _ in days), max(last for _, last in days)


def _phrases(text: str, tense: Tense) -> list[Phrase]:
    found: list[tuple[Form, re.Match[str]]] = []
    rest = text
    for form in FORMS:
        found += ((form, match) for match in re.finditer(form.pattern, rest, re.IGNORECASE))
        rest = re.sub(form.pattern, lambda match: "#" * len(match[0]), rest, flags=re.IGNORECASE)
    phrases: list[Phrase] = []
    for form, match in sorted(found, key=lambda one: one[1].start()):
        phrase = _phrase(form, match, text)
        joined = phrase.lead in JOINED and bool(phrases)
        if joined or _names_a_time(phrase, tense, text[match.end() :]):
            phrases.append(phrase)
    return phrases


def _phrase(form: Form, match: re.Match[str], text: str) -> Phrase:
    before = re.search(LEAD, text[: match.start()], re.IGNORECASE)
    told = {name: (value or "").casefold() for name, value in before.groupdict().items()} if before else {}
    reach = number(told.get("count", "")) * LENGTHS.get(told.get("unit", ""), 0)
    return Phrase(form, match, told.get("lead", ""), told.get("part", ""), int(reach))


def _names_a_time(phrase: Phrase, tense: Tense, rest: str) -> bool:
    """Whether it must be a time, by what stands before it, what follows, and the tense of the question."""
    match phrase.form.weight:
        case "sure":
            return not phrase.is_verb
        case "date":
            return not phrase.is_verb or phrase.lead in ON
        case "alone":
            return phrase.lead in LEADS or bool(phrase.part)
        case "past":
            return tense == "past" and not phrase.is_verb
        case "day":
            own = phrase.words.groupdict().get("own") is not None
            last = tense == "past" and not re.search(r"\w", rest)
            return tense != "planned" and (phrase.lead in ON or own or last)


def _reaching(phrase: Phrase, first: date, last: date, today: date) -> Days:
    """What "since", "before" and the like make of a date: from it on or up to it, as far as they say."""
    reach = DAY * phrase.reach
    if phrase.lead == "around":
        return first - ABOUT, last + ABOUT
    if phrase.lead == "of" and reach == WEEK:
        monday = first - DAY * first.weekday()
        return monday, monday + DAY * 6
    if phrase.lead == "since":
        return first, max(today, last)
    if phrase.lead in ("until", "till", "by"):
        return BEGINNING, last
    if phrase.lead == "before":
        return (first - reach if reach else BEGINNING), first
    if phrase.lead == "after":
        return last, (last + reach if reach else max(today, last))
    return first, last
