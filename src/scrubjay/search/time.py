"""The time that a question is about: what was remembered then, and what it counts to be of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.dates.grammar import HINTS
from scrubjay.dates.spans import Span, Times, times
from scrubjay.search import signals
from scrubjay.search.scores import Proposed, propose
from scrubjay.stores import Store
from scrubjay.types import Query, RankingFields

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Then", "from_then", "timed"]

DAY = timedelta(days=1)
READ = 8  # times as many texts as are asked for: reading a time takes longer than finding a memory


class Then(NamedTuple):
    """The time, and whether the question asks for anything of it."""

    span: Span
    anything: bool


def from_then(store: Store, query: Query, vector: Matrix | None, named: Times) -> tuple[Then | None, Proposed]:
    """The time that the question names and what was remembered then: of several such times, the first with any."""
    for span in named.spans:
        since = max(filter(None, (query.filter.since, span.start - DAY * signals.DAYS_BEFORE)))
        until = min(filter(None, (query.filter.until, span.end + DAY * signals.DAYS_AFTER)))
        within = replace(query.filter, since=since, until=until)
        found = propose(store, replace(query, filter=within), vector)
        if named.anything:
            newest = store.memories.newest(
                replace(within, since=max(since, span.start), until=min(until, span.end)), query.limit
            )
            found = found.with_more(Proposed(tuple(memory.id for memory in newest)))
        if found:
            return Then(span, named.anything), found
    return None, Proposed()


def timed(
    store: Store, query: Query, then: Then, why: Mapping[int, Mapping[str, float]], traits: Mapping[int, RankingFields]
) -> dict[int, dict[str, float]]:
    """What speaks for each, and what it gains or loses by its time.

    A memory is of the day on which it happened, and of the time that its text names, told from that day.
    """
    best = sorted(why, key=lambda id: -sum(why[id].values()))[: READ * query.limit]
    memories = store.memories.get(best, query.filter.spaces, query.filter.as_of or query.filter.now)
    weigh = signals.of_then if then.anything else signals.timed
    found = {}
    for id, parts in why.items():
        at = traits[id].happened_at
        told = _told(memories[id].text, at) if id in memories else ()
        found[id] = weigh(parts, max(_near(then.span, own) for own in (Span(at, at), *told)))
    return found


def _told(text: str, at: datetime) -> tuple[Span, ...]:
    """The time that a text names, if any; most have no word of time, and that is soon seen."""
    return times(text, at).spans[:1] if re.search(HINTS, text, re.IGNORECASE) else ()


def _near(then: Span, own: Span) -> float:
    return signals.near((then.start - own.end) / DAY, (own.start - then.end) / DAY)
