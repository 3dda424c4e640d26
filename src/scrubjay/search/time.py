"""The time that a question names, and what it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.dates.grammar import may_name_a_time
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
Weigh = Callable[[Parts, float], dict[str, float]]  # the parts of a score, with what they gain or lose by nearness


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
    weigh = _by_time_alone if named.time_only else _less_for_another_time
    happened = {id: judged.fields[id].happened_at for id in why}
    near = {id: _nearness(named.span, Span(at, at)) for id, at in happened.items()}
    found = {id: weigh(parts, near[id]) for id, parts in why.items()}
    for id in _may_gain(query, why, found, weigh):
        in_text = _time_in(judged.texts.get(id, ""), happened[id])
        found[id] = weigh(why[id], max([near[id], *(_nearness(named.span, own) for own in in_text)]))
    return found


def _may_gain(query: Query, why: Mapping[int, Parts], found: Mapping[int, Parts], weigh: Weigh) -> list[int]:
    """Those whose text may name a time that brings them among the results; to read a text takes long.

    What is of that time already gains nothing by its text. Others are left out if they would come after the results
    even if theirs named that very time; age may still take its share from what is before them.
    """
    scores = sorted((sum(parts.values()) for parts in found.values()), reverse=True)
    line = constants.MIN_FADED_SHARE * scores[min(query.limit, len(scores)) - 1] if scores else 0.0
    most = {id: sum(weigh(parts, 1.0).values()) for id, parts in why.items()}
    gaining = [id for id, score in most.items() if score >= line and score > sum(found[id].values())]
    return sorted(gaining, key=lambda id: -most[id])[: constants.TEXTS_READ_PER_RESULT * query.limit]


def _less_for_another_time(parts: Parts, nearness: float) -> dict[str, float]:
    return {**parts, "when": (nearness - 1.0) * constants.OTHER_TIME_PENALTY * sum(parts.values())}


def _by_time_alone(parts: Parts, nearness: float) -> dict[str, float]:
    name = "when" if nearness == 1.0 else "near_when"
    return {**parts, name: constants.TIME_ONLY_SHARE * (nearness - sum(parts.values()))}


def _time_in(text: str, at: datetime) -> tuple[Span, ...]:
    """The time that a text names, if any; most have no word of time, which is quickly seen."""
    return times(text, at).spans[:1] if may_name_a_time(text) else ()


def _nearness(named: Span, own: Span) -> float:
    return signals.time_nearness((named.start - own.end) / DAY, (own.start - named.end) / DAY)
