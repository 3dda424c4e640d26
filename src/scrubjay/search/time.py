"""The time that a question names, and what it changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.dates.grammar import HINTS
from scrubjay.dates.questions import Span, Times, times
from scrubjay.search import constants, signals
from scrubjay.search.candidates import candidate_request
from scrubjay.search.evidence import Judged
from scrubjay.search.scores import Parts
from scrubjay.stores.contract import CandidateRequest, Candidates
from scrubjay.types import Query

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["NamedTime", "named_time", "with_candidates_of_time", "with_time"]

DAY = timedelta(days=1)


class NamedTime(NamedTuple):
    """The time that a question names, and whether it asks for anything of that time."""

    span: Span
    time_only: bool


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
    name = "when" if nearness == 1.0 else "near_when"
    return {**parts, name: constants.TIME_ONLY_SHARE * (nearness - sum(parts.values()))}


def _time_in(text: str, at: datetime) -> tuple[Span, ...]:
    """The time that a text names, if any; most have no word of time, which is quickly seen."""
    return times(text, at).spans[:1] if re.search(HINTS, text, re.IGNORECASE) else ()


def _nearness(named: Span, own: Span) -> float:
    return signals.time_nearness((named.start - own.end) / DAY, (own.start - named.end) / DAY)
