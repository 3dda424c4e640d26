"""What happened, narrowed to what answers a question."""

from __future__ import annotations

from collections.abc import Iterable

from scrubjay.types import Event, Memory

__all__ = ["answering"]


def answering(query: str, found: Iterable[Memory], events: Iterable[Event]) -> list[Event]:
    """Memories that answer, what became of them, and sessions or reasons that name it; the newest first."""
    memories = {memory.id: memory for memory in found}
    named = query.casefold()
    others = [
        event
        for event in events
        if event.memory is None and (memories.keys() & set(event.about) or named in event.detail.casefold())
    ]
    return sorted([*map(Event.of, memories.values()), *others], key=lambda event: event.at, reverse=True)
