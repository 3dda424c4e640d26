"""The time that a question is about, by a date ("in May") or a landmark ("before the move"), and what it changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.dates.grammar import BEGINNING, HINTS
from scrubjay.dates.questions import MAX_QUESTION_CHARACTERS, Span, Times, asks_about_past, times
from scrubjay.dates.timestamps import end_of, start_of
from scrubjay.search import constants, signals
from scrubjay.search.candidates import candidate_request
from scrubjay.search.evidence import Judged, judge
from scrubjay.search.scores import Parts, fused
from scrubjay.stores.contract import CandidateRequest, Candidates
from scrubjay.stores.search import Snapshot
from scrubjay.text.word_lists import DETERMINERS, PRONOUNS, STOP_WORDS
from scrubjay.text.words import WORD
from scrubjay.types import Filter, Query

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = [
    "Landmark",
    "NamedTime",
    "landmark_in",
    "landmark_times",
    "named_time",
    "with_candidates_of_time",
    "with_time",
]

DAY = timedelta(days=1)
# "Since" as the first word mostly means "because"; one looks after people, takes after some, and is named after others.
BEFORE = r"\b(?P<before>before|until|till|prior to)"
AFTER = r"(?<!\blook )(?<!\blooks )(?<!\blooked )(?<!\blooking )(?<!\btakes )(?<!\bnamed )\bafter|(?<!^)\bsince"
ENDS = r"[?!,;:]|\.(?!\w)| (?:did|do|does|was|were|is|are|had|who|what|where|which|when|how)\b|$"
PHRASE = rf"(?:{BEFORE}|{AFTER}) (?P<landmark>[^\W\d].*?)(?:{ENDS})"
# It begins like a name ("the move", "Ann's wedding") or a clause ("we moved", "moving to Rome"); "work" and "noon" are
# times of day.
FIRST_WORDS = {*DETERMINERS, *PRONOUNS, "a", "an", "this", "that", "it"}


class NamedTime(NamedTuple):
    """The time that a question names, and whether it asks for anything of that time."""

    span: Span
    time_only: bool


class Landmark(NamedTuple):
    """An event by which a question tells the time, and whether it is about what came before or after."""

    text: str
    before: bool


def with_candidates_of_time(request: CandidateRequest, query: Query, named: Times) -> CandidateRequest:
    """Ask also for candidates of the time that the question names: of several such times, the first with any."""
    of_time = [_request(query, request.vector, span, named.time_only) for span in named.spans]
    return request._replace(times=of_time)


def named_time(candidates: Candidates, named: Times) -> NamedTime | None:
    """The time that was found, of those that the question may mean."""
    return None if candidates.time is None else NamedTime(named.spans[candidates.time], named.time_only)


def _request(query: Query, vector: Matrix | None, span: Span, time_only: bool) -> CandidateRequest:
    since = max(filter(None, (query.filter.since, span.start - DAY * constants.DAYS_BEFORE)))
    until = min(filter(None, (query.filter.until, span.end + DAY * constants.DAYS_AFTER)))
    within = replace(query.filter, since=since, until=until)
    request = candidate_request(query, vector, within)
    if not time_only:
        return request
    exactly = replace(within, since=max(since, span.start), until=min(until, span.end))
    return request._replace(newest=exactly, newest_limit=query.limit)


def with_time(query: Query, named: NamedTime, judged: Judged, why: Mapping[int, Parts]) -> Mapping[int, Parts]:
    """The parts of each score, with what it gains or loses by its time.

    A memory is of the day on which it happened, and of the time that its text names as of that day.
    """
    most = constants.TEXTS_READ_PER_RESULT * query.limit
    best = set(sorted(why, key=lambda id: -sum(why[id].values()))[:most])
    weigh = _by_time_alone if named.time_only else _less_for_another_time
    found = {}
    for id, parts in why.items():
        at = judged.fields[id].happened_at
        in_text = _time_in(judged.texts[id], at) if id in best and id in judged.texts else ()
        found[id] = weigh(parts, max(_nearness(named.span, own) for own in (Span(at, at), *in_text)))
    return found


def _less_for_another_time(parts: Parts, nearness: float) -> dict[str, float]:
    return {**parts, "when": (nearness - 1.0) * constants.OTHER_TIME_PENALTY * sum(parts.values())}


def _by_time_alone(parts: Parts, nearness: float) -> dict[str, float]:
    return {**parts, "when": constants.TIME_ONLY_SHARE * (nearness - sum(parts.values()))}


def _time_in(text: str, at: datetime) -> tuple[Span, ...]:
    """The time that a text names, if any; most have no word of time, which is quickly seen."""
    return times(text, at).spans[:1] if re.search(HINTS, text, re.IGNORECASE) else ()


def _nearness(named: Span, own: Span) -> float:
    return signals.time_nearness((named.start - own.end) / DAY, (own.start - named.end) / DAY)


def landmark_in(text: str) -> Landmark | None:
    """The landmark of a question about the past: what comes before or after something as a rule has no date."""
    text = " ".join(text.split())
    match = (
        re.search(PHRASE, text, re.IGNORECASE)
        if len(text) <= MAX_QUESTION_CHARACTERS and asks_about_past(text)
        else None
    )
    if match is None:
        return None
    first, *_ = words = WORD.findall(match["landmark"])
    named = first.casefold() in FIRST_WORDS or first.endswith("ing") or first[0].isupper()
    if not named or STOP_WORDS.issuperset(word.casefold() for word in words):
        return None
    return Landmark(match["landmark"], bool(match["before"]))


def landmark_times(snapshot: Snapshot, query: Query, landmark: Landmark, vector: Matrix | None) -> Times:
    """The time before or after a landmark, found by searching for the memories that tell of it.

    It reaches from the first day on which one of them happened, or up to the last: people speak of an event before and
    after it.
    """
    everything = Filter(spaces=query.filter.spaces, now=query.filter.now, as_of=query.filter.as_of)
    asked = replace(query, text=landmark.text, filter=everything)
    judged = judge(snapshot, asked, vector, snapshot.candidates(candidate_request(asked, vector)))
    parts = fused(replace(asked, fusion="sum", weights={}), judged)
    scores = {id: sum(own.values()) for id, own in parts.items()}
    best = max(scores.values(), default=0.0)
    enough = max(constants.LANDMARK_SHARE_OF_BEST * best, constants.LANDMARK_MIN_SCORE)
    moments = [judged.fields[id].happened_at for id in scores if scores[id] >= enough and id in judged.fields]
    days = sorted(moment.astimezone().date() for moment in moments)
    if not days:
        return Times((), time_only=False)
    if landmark.before:
        span = Span(start_of(BEGINNING, "when"), end_of(days[-1], "when"))
    else:
        span = Span(start_of(days[0], "when"), max(query.filter.now, end_of(days[-1], "when")))
    return Times((span,), time_only=False)
