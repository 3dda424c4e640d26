"""Replaces relative dates ("yesterday", "next week") by absolute ones, so that a stored sentence stays true."""

from __future__ import annotations

import re
from datetime import date

from scrubjay.dates.relative import NEAR_DAYS, near_day, period, weekday
from scrubjay.text.word_lists import WEEKDAYS

__all__ = ["with_absolute_dates"]

NEAR = sorted((name for name in NEAR_DAYS if not name.startswith("this ")), key=len, reverse=True)
STEPS = {"last": -1, "this": 0, "next": 1}
# After these words a date needs no "on" or "in": "to 2026-11-20".
PREPOSITIONS = (
    "about after around before between by during for from of over past since through throughout till to until"
)
RELATIVE_DATE = re.compile(
    rf"\b(?:(?P<lead>{'|'.join(PREPOSITIONS.split())}|on|in|at) )?"
    rf"(?:(?:the )?(?P<near>{'|'.join(NEAR)})"
    r"(?: (?P<part>morning|afternoon|evening|night))?"
    r"|this (?P<now>morning|afternoon|evening)"
    rf"|(?<!the )(?<!every )(?<!each )(?P<which>next|last|this) (?P<what>week|month|year|{'|'.join(WEEKDAYS)}))"
    r"\b(?!['’])(?! of\b)",
    re.IGNORECASE,
)
AFTER_BETWEEN = re.compile(r"\bbetween\b[^.;!?]{1,60}\band $", re.IGNORECASE)
BEFORE = 80  # characters before a date that are looked at: "between" and what AFTER_BETWEEN lets follow it
SEPARATORS = (" and ", " or ", ", ", " - ", " – ")
VERB = re.compile(r" (?:is|was|will|would|works|has|had)\b", re.IGNORECASE)


def with_absolute_dates(text: str, day: date) -> str:
    """The text with the dates that its relative ones mean if it was written on that day."""
    written, done, bare_before = "", 0, False
    for found in RELATIVE_DATE.finditer(text):
        between = text[done : found.start()]
        bare = _needs_no_preposition(text, found) or (bare_before and between in SEPARATORS)
        written += between + _written(found, day, bare)
        done, bare_before = found.end(), bare
    return written + text[done:]


def _needs_no_preposition(text: str, found: re.Match[str]) -> bool:
    """Whether a date here takes no "on" or "in": after another preposition, or as the subject of a sentence."""
    lead = (found["lead"] or "").lower()
    before = text[max(0, found.start() - BEFORE) : found.start()]
    begins = not before.strip() or before.rstrip()[-1] in ".!?;:"
    as_subject = begins and bool(VERB.match(text, found.end()))
    return lead in PREPOSITIONS.split() or as_subject or bool(AFTER_BETWEEN.search(before))


def _written(found: re.Match[str], day: date, bare: bool) -> str:
    preposition, when = _day(found, day) if found["what"] is None else _period(found, day)
    lead = found["lead"] if (found["lead"] or "").lower() in PREPOSITIONS.split() else None
    words = " ".join(filter(None, [lead, None if bare else preposition, when]))
    return words[0].upper() + words[1:] if found[0][0].isupper() else words


def _day(found: re.Match[str], day: date) -> tuple[str, str]:
    near, part = (found["near"] or "today").lower(), (found["part"] or found["now"] or "").lower()
    when = near_day(near, day)
    return "on", f"the {part} of {when}" if part else f"{when}"


def _period(found: re.Match[str], day: date) -> tuple[str, str]:
    what, step = found["what"].lower(), STEPS[found["which"].lower()]
    if what in WEEKDAYS:
        return "on", f"{weekday(what, day, step)}"
    first, _ = period(what, day, step)
    if what == "week":
        return "in", f"the week of {first}"
    return "in", f"{first.year}-{first.month:02}" if what == "month" else f"{first.year}"
