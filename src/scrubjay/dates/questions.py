"""Finds the times that a question names ("on 7 May 2023", "since Monday"), as spans of whole local days.

The forms in which a time is named are in grammar.py, the words of other languages in translate.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from math import ceil
from typing import Literal, NamedTuple, TypeAlias

from scrubjay.dates.grammar import (
    ALSO_VERBS,
    BEGINNING,
    COUNT,
    PARTS,
    UNIT,
    Form,
    Words,
    any_of,
    number,
    part_of,
    possible_forms,
)
from scrubjay.dates.relative import DAY, LENGTHS, Days
from scrubjay.dates.timestamps import end_of, start_of
from scrubjay.dates.translate import in_english
from scrubjay.text.word_lists import DETERMINERS, PRONOUNS, STOP_WORDS

__all__ = ["MAX_QUESTION_CHARACTERS", "Span", "Times", "times"]

Tense: TypeAlias = Literal["past", "planned", "unknown"]

MAX_QUESTION_CHARACTERS = 500  # a longer text is not a question: dates in it do not say when to search
CALENDAR = range(BEGINNING.year + 10, 9000)
YEARS = 5  # how many years back to try for a date without a year
WEEK, ABOUT = DAY * 7, DAY * 3
SYNONYMS = {  # pattern: replacement
    "’": "'",
    r"\bprior to\b": "before",
    r"\bup (?:until|to(?: and including)?)\b(?! (?:over|on|in|at|during)\b)": "until",
}
LEADS = {"since", "until", "till", "by", "before", "after", "in", "during", "between", "from", "around"}
ON = LEADS | {"on", "over", "at"}
NEVER = {"every", "each", "next"}
JOINED = {"and", "to", "through"}  # between the two ends of a range
TOPIC = r"\b(?:about|regarding|concerning)\b"
# "Since the merge on Tuesday" means since Tuesday; looked for in the same clause.
LANDMARK = rf"\b(?P<lead>since|until|before|after) (?:{'|'.join((*DETERMINERS, *PRONOUNS))})\b"
# Verbs that show whether a question is about the past (in English, and in other languages), or about plans and habits.
PAST = (
    r"\b(?:did|was|were|had|been|got|gave|said|told|went|made|came|took|found|met|wrote|saw|ran|left|lost|won|sent|spent"
    r"|bought|broke|so far|earlier|\w{3,}(?<!e)ed|\w+'ve|ha(?:s|ve) (?!(?:to|today|this|any|an?|the|on|in|for)\b)\w+)\b"
)
PAST_OTHER = r"\b(?:habe|haben|hat|hatten?|war|waren|wurden?|ha|hemos|fue|hice|hicimos|ai|avons|ont|était|a-t-\w+)\b"
PLANNED = r"\b(?:do|does|is|are|will|shall|should|would|can|must|need|every|always|usually|next|tomorrow)\b|'ll\b"
NUMERIC = r"\b(\d{1,2})([./])(\d{1,2})\2((?:19|20)\d\d)\b"
PART = rf"(?:{any_of(PARTS)})"
LEAD = (  # the words before a date; the first word of a part ("end of") is not a preposition
    rf"(?:\b(?=\w)|$)(?:\b(?:{COUNT} )?{UNIT}s? )?"
    rf"(?:\b(?P<lead>(?!{PART}[ -])\w+) )?(?:the )?(?:\b(?P<part>{PART})[ -](?:the )?)?$"
)
LEAD_CHARACTERS = 120  # that the words before a date may have
LEAD_WORDS = ON.union(NEVER, JOINED, " ".join(PARTS).split(), ("of", "the"))
TIME_WORDS = {*LEADS, *JOINED, *" ".join((*PARTS, *LENGTHS)).split(), "over", "at"}
ANYTHING = frozenset(  # words of questions that ask for everything in a time: "what happened …"
    """
    any anything decide decided did discuss discussed do doing done everything going happen happened know list notes
    recall remember said say show something talk talked tell told went what work worked
    """.split()
)


class Span(NamedTuple):
    """A stretch of time, both ends included."""

    start: datetime
    end: datetime


class Times(NamedTuple):
    """The spans to search, the likeliest first; the next one only if no memory is from the one before it."""

    spans: tuple[Span, ...]
    time_only: bool  # the question asks for nothing but the time: any memory from then answers it


class Phrase(NamedTuple):
    """Words that name a time, and the words before them."""

    form: Form
    words: Words
    start: int  # where in the text it begins
    end: int
    lead: str  # the preposition before it: "since", "in", ""
    part: str  # "early", "end of", …, or ""
    reach: int  # in days: 14 in "two weeks before"
    verb: bool  # its month may be a verb: "may", "march"
    ends: bool  # no word follows it

    @property
    def year(self) -> int | None:
        return int(self.words.get("year") or 0) or None

    @property
    def is_a_year(self) -> bool:
        """Whether it names a year counted from today, for a phrase that has none: "in March last year"."""
        return not self.form.by_calendar and "year" in (self.words.get("named"), self.words.get("unit"))

    def days(self, year: int, today: date) -> Days:
        days = self.form.read(self.words, self.year or year, today)
        return part_of(self.part, days) if self.part else days


def times(text: str, now: datetime) -> Times:
    """The times that a text names, as it would be understood at `now`."""
    text, today = " ".join(text.split()), now.astimezone().date()
    asked = in_english(text) if len(text) <= MAX_QUESTION_CHARACTERS and today.year in CALENDAR else ""
    english = asked == text
    wordings = _wordings(_with_synonyms_replaced(asked), month_first=english) if possible_forms(asked) else ()
    matches = {wording: own for wording in wordings if (own := _matches(wording))}
    if not matches:
        return Times((), False)
    tense, time_only = _tense(asked, english), english
    found: dict[Days, None] = {}
    for wording, of_forms in matches.items():
        phrases = _phrases(wording, of_forms, tense)
        found |= dict.fromkeys(_found(phrases, tense, today))
        time_only &= _asks_for_anything(wording, phrases)
    return Times(tuple(Span(start_of(first, "when"), end_of(last, "when")) for first, last in found), time_only)


def _tense(text: str, english: bool) -> Tense:
    if re.search(PAST if english else PAST_OTHER, text, re.IGNORECASE):
        return "past"
    return "planned" if re.search(PLANNED, text, re.IGNORECASE) else "unknown"


def _with_synonyms_replaced(text: str) -> str:
    for pattern, replacement in SYNONYMS.items():
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return text


def _wordings(text: str, month_first: bool) -> Iterator[str]:
    """The text with numeric dates as year-month-day, once for each order of day and month: 3/4/2025 can be both."""
    yield re.sub(NUMERIC, lambda found: _written(found, month_first), text)
    if re.search(NUMERIC, text):
        yield re.sub(NUMERIC, lambda found: _written(found, not month_first), text)


def _written(found: re.Match[str], month_first: bool) -> str:
    one, sign, other, year = found.groups()
    month, day = (one, other) if month_first and sign == "/" else (other, one)
    return f"{year}-{int(month):02}-{int(day):02}"


def _matches(text: str) -> list[tuple[Form, re.Match[str]]]:
    """What may name a time, in text order."""
    found: list[tuple[Form, re.Match[str]]] = []
    rest = text
    for form in possible_forms(text):

        def take(match: re.Match[str], form: Form = form) -> str:
            found.append((form, match))
            return "#" * len(match[0])

        rest = re.sub(form.pattern, take, rest, flags=re.IGNORECASE)
    return sorted(found, key=lambda one: one[1].start())


def _phrases(text: str, matches: Iterable[tuple[Form, re.Match[str]]], tense: Tense) -> list[Phrase]:
    """The phrases that name a time, in text order; if one stands before "about", those after it belong to the topic."""
    phrases: list[Phrase] = []
    for form, match in matches:
        phrase = _phrase(form, match, text)
        if (phrase.lead in JOINED and phrases) or _names_a_time(phrase, tense):
            phrases.append(phrase)
    topic = re.search(TOPIC, text)
    return [phrase for phrase in phrases if topic and phrase.start < topic.start()] or phrases


def _asks_for_anything(text: str, phrases: Sequence[Phrase]) -> bool:
    """Whether the text has no words besides the time except ones such as "what happened"."""
    for phrase in reversed(phrases):
        text = text[: phrase.start] + text[phrase.end :]
    words = frozenset(re.findall(r"\w+", text.casefold()))
    return not ANYTHING.isdisjoint(words) and words <= STOP_WORDS.union(ANYTHING, TIME_WORDS)


def _phrase(form: Form, match: re.Match[str], text: str) -> Phrase:
    before = text[: match.start()]
    last = re.findall(r"\w+", before[-LEAD_CHARACTERS:])[-1:]
    may_lead = last and last[0].casefold() in LEAD_WORDS  # most words before a time say nothing about it
    lead = re.search(LEAD, before[-LEAD_CHARACTERS:], re.IGNORECASE) if may_lead else None
    around = _lower_groups(lead) if lead else {}
    landmark = re.search(LANDMARK, re.split(r"[?.!,;:]", before)[-1], re.IGNORECASE)
    return Phrase(
        form,
        _lower_groups(match),
        match.start(),
        match.end(),
        lead=landmark["lead"].casefold() if landmark else around.get("lead", ""),
        part=around.get("part", ""),
        reach=ceil(number(around.get("count", "")) * LENGTHS.get(around.get("unit", ""), 0)),
        verb=not ALSO_VERBS.isdisjoint(filter(None, match.groups())),
        ends=not re.search(r"\w", text[match.end() :]),
    )


def _lower_groups(match: re.Match[str]) -> dict[str, str]:
    return {name: (value or "").casefold() for name, value in match.groupdict().items()}


def _names_a_time(phrase: Phrase, tense: Tense) -> bool:
    """Whether a phrase really is a time, judged by the words around it and the tense of the question."""
    match phrase.form.weight:
        case "sure":
            return True
        case "date":
            return bool(phrase.year) or not phrase.verb or phrase.lead in ON
        case "alone":
            return phrase.lead in LEADS or bool(phrase.part)
        case "part":
            return bool(phrase.part)
        case "past":
            return tense == "past" and not phrase.verb
        case "season":
            return tense == "past" and phrase.lead in LEADS
        case "day":
            last = tense == "past" and phrase.ends and phrase.lead not in NEVER
            return tense != "planned" and (phrase.lead in ON or bool(phrase.words.get("own")) or last)


def _found(phrases: Sequence[Phrase], tense: Tense, today: date) -> Iterator[Days]:
    """The days that the phrases mean: calendar dates if there are any, else those counted from today.

    A date without a year is tried in each of the latest years.
    """
    meant = [phrase for phrase in phrases if phrase.form.by_calendar] or phrases
    for year in _years(phrases, tense, today):
        with suppress(ValueError):  # there is no such day in this year: 29 February
            named = _days(meant, year, today)
            days = _with_preposition(meant[0], *named, today) if len(meant) == 1 else named
            if max(named[0], days[0]) <= today:
                yield days


def _years(phrases: Sequence[Phrase], tense: Tense, today: date) -> Sequence[int]:
    """The year that the phrases name, also as "last year"; else the latest years, or for a plan only this one."""
    named = [phrase.year for phrase in phrases if phrase.year]
    middles = [first + (last - first) / 2 for first, last in (one.days(0, today) for one in phrases if one.is_a_year)]
    if named or middles:
        return (named or [middle.year for middle in middles])[-1:]
    return range(today.year, today.year - (1 if tense == "planned" else YEARS), -1) if phrases else ()


def _days(phrases: Sequence[Phrase], year: int, today: date) -> Days:
    """The range over all phrases. One that would end before it begins starts a year (or a week) earlier."""
    days = [phrase.days(year, today) for phrase in phrases]
    if len(days) == 2 and days[0] > days[1] and phrases[1].lead in JOINED and not phrases[0].year:
        first, last = days[0]
        days[0] = phrases[0].days(year - 1, today) if phrases[0].form.by_calendar else (first - WEEK, last - WEEK)
    return min(first for first, _ in days), max(last for _, last in days)


def _with_preposition(phrase: Phrase, first: date, last: date, today: date) -> Days:
    """The days after a preposition is applied: "since" from the date on, "before" up to it, and so on."""
    reach = DAY * phrase.reach
    match phrase.lead:
        case "around":
            return first - ABOUT, last + ABOUT
        case "of" if reach == WEEK:
            monday = first - DAY * first.weekday()
            return monday, monday + DAY * 6
        case "since":
            return first, max(today, last)
        case "until" | "till" | "by":
            return min(BEGINNING, first), last
        case "before":
            return (first - reach if reach else min(BEGINNING, first)), first
        case "after":
            return last, (last + reach if reach else max(today, last))
    return first, last
