"""The timeline: what happened around a memory, or in a span of time, or what answers a query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scrubjay.dates.timestamps import Moment
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import count, memory_id
from scrubjay.memory.filters import SearchOptions
from scrubjay.memory.view import View
from scrubjay.search.query import search_many
from scrubjay.types import Memory
from scrubjay.types.agents import Event

__all__ = ["timeline"]

ONE_OR_THE_OTHER = "A timeline is around a memory (id, window) or of a time (since, until, kinds, query), not both."


def timeline(
    view: View, id: int | None, window: int, since: Moment | None, until: Moment | None, kinds: Sequence[str],
    query: str | None, limit: int,
) -> list[Event]:  # fmt: skip
    """Around a memory, the oldest first; in a span of time, the newest first."""
    if id is None:
        return _in_time(view, since, until, kinds, query, limit)
    if since or until or kinds or query:
        raise Invalid(ONE_OR_THE_OTHER)
    filter = replace(view.filter(), replaced_turns=True)
    return [Event.of(memory) for memory in view.store.memories.around(memory_id(id), filter, count("window", window))]


def _in_time(
    view: View, since: Moment | None, until: Moment | None, kinds: Sequence[str], query: str | None, limit: int
) -> list[Event]:
    options: SearchOptions = {"since": since, "until": until, "kinds": kinds, "include_superseded": True}
    filter = view.filter(options)
    events = view.store.sessions.events(filter, view.space, count("limit", limit), bool(kinds))
    if query is None:
        return events
    options["limit"] = max(limit, 1)
    (hits,) = search_many(view, [query], options)
    repetitions = view.store.memories.get([id for hit in hits for id in hit.also], filter.spaces, filter.now)
    return _answering(query, [*(hit.memory for hit in hits), *repetitions.values()], events)


def _answering(query: str, found: Iterable[Memory], events: Iterable[Event]) -> list[Event]:
    """The memories that answer, what became of them, and sessions or reasons that mention the query."""
    memories = {memory.id: memory for memory in found}
    mentioned = query.casefold()
    others = [
        event
        for event in events
        if event.memory is None and (memories.keys() & set(event.about) or mentioned in event.detail.casefold())
    ]
    changes = [event for event in events if event.memory and event.memory.id in memories]
    named = {event.memory.id for event in changes if event.memory}
    plain = [Event.of(memory) for memory in memories.values() if memory.id not in named]
    return sorted([*plain, *changes, *others], key=lambda event: event.at, reverse=True)
