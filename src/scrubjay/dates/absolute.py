"""Sentences that stay true: with the dates they mean instead of "yesterday" and "next week"."""

from __future__ import annotations

import re
from datetime import date, timedelta

from scrubjay.text.word_lists import WEEKDAYS

__all__ = ["dated"]

NEAR = {"the day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1, "the day after tomorrow": 2}
STEPS = {"last": -1, "this": 0, "next": 1}
# After these a date stands alone: "to 2026-11-20", where it would else be "on 2026-11-20".
BEFORE_A_DATE = (
    "about after around before between by during for from of over past since through throughout till to until"
)
WHEN = re.compile(
    rf"\b(?:(?P<lead>{'|'.join(BEFORE_A_DATE.split())}|on|in|at) )?"
    r"(?:(?P<near>the day before yesterday|the day after tomorrow|last night|yesterday|today|tonight|tomorrow)"
    r"(?: (?P<part>morning|afternoon|evening|night))?"
    r"|this (?P<now>morning|afternoon|evening)"
    rf"|(?<!the )(?<!every )(?<!each )(?P<which>next|last|this) (?P<what>week|month|year|{'|'.join(WEEKDAYS)}))"
    r"\b(?!['’])(?! of\b)",
    re.IGNORECASE,
)
SPAN_BEGUN = re.compile(r"\bbetween\b[^.;!?]{1,60}\band $", re.IGNORECASE)
JOINING = (" and ", " or ", ", ", " - ", " – ")
VERB = re.compile(r" (?:is|was|will|would|works|has|had)\b", re.IGNORECASE)


def dated(text: str, day: date) -> str:
    """The same as said on that day, with dates."""
    written, done, bare_before = "", 0, False
    for found in WHEN.finditer(text):
        between = text[done : found.start()]
        bare = _stands_alone(text, found) or (bare_before and between in JOINING)
        written += between + _written(found, day, bare)
        done, bare_before = found.end(), bare
    return written + text[done:]


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Whether a date here takes no "on" or "in" of its own: after another preposition, or as a subject."""
    lead = (found["lead"] or "").lower()
    begins = not text[: found.start()].strip() or text[: found.start()].rstrip()[-1] in ".!?;:"
    as_subject = begins and bool(VERB.match(text, found.end()))
    return lead in BEFORE_A_DATE.split() or as_subject or bool(SPAN_BEGUN.search(text, 0, found.start()))


def _written(found: re.Match[str], day: date, bare: bool) -> str:
    preposition, when = _day_of(found, day) if found["what"] is None else _named(found, day)
    lead = found["lead"] if (found["lead"] or "").lower() in BEFORE_A_DATE.split() else None
    words = " ".join(filter(None, [lead, None if bare else preposition, when]))
    return words[0].upper() + words[1:] if found[0][0].isupper() else words


def _day_of(found: re.Match[str], day: date) -> tuple[str, str]:
    near, part = (found["near"] or "today").lower(), (found["part"] or found["now"] or "").lower()
    when = day + timedelta(days=NEAR.get(near, 0))
    return "on", f"the {part} of {when}" if part else f"{when}"


def _named(found: re.Match[str], day: date) -> tuple[str, str]:
    what, step = found["what"].lower(), STEPS[found["which"].lower()]
    if what == "week":
        return "in", f"the week of {day - timedelta(days=day.weekday()) + timedelta(weeks=step)}"
    if what == "month":
        month = day.year * 12 + day.month - 1 + step
        return "in", f"{month // 12}-{month % 12 + 1:02}"
    if what == "year":
        return "in", f"{day.year + step}"
    ahead = (WEEKDAYS.index(what) - day.weekday()) % 7
    away = ahead - 7 if step < 0 else ahead or 7
    return "on", f"{day + timedelta(days=away)}"
