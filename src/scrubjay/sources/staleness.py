"""Whether a space is behind its sources, looked at now and then."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from scrubjay.errors import Damaged
from scrubjay.stores import Store
from scrubjay.text.plural import agreeing, counted
from scrubjay.types.documents import Status

__all__ = ["Freshness"]

BEHIND = "The memory is behind its sources: {}; `scrubjay sync` brings it level."
UNDER_WAY = "A sync is under way, and not all is read yet: {}."
LOOK_SECONDS = 10.0


class Freshness:
    """Tells a search how far its space is behind, without looking at every file for every question."""

    def __init__(self, store: Store, space: str, status: Callable[[], Status], embeds: Callable[[], bool]) -> None:
        self._store = store
        self._space = space
        self._status = status
        self._embeds = embeds  # where nothing does, each answer says so
        self._looked_at = -LOOK_SECONDS
        self._notes: tuple[str, ...] = ()
        self._would_sync_help = False

    def notes(self) -> tuple[str, ...]:
        if monotonic() - self._looked_at >= LOOK_SECONDS:
            self._notes, self._would_sync_help = (), False
            try:
                self._look()
            except Damaged as problem:  # what is wrong with a source is no reason not to answer
                self._notes = (str(problem),)
            self._looked_at = monotonic()
        return self._notes

    def _look(self) -> None:
        if self._store.documents.sources(self._space):
            found = self._status()
            self._notes, self._would_sync_help = _behind(found, self._embeds()), not found.syncing

    def is_behind(self) -> bool:
        """Whether a sync would help: not while one is at work already."""
        return bool(self.notes()) and self._would_sync_help

    def forget(self) -> None:
        """Look again with the next question."""
        self._looked_at = -LOOK_SECONDS


def _behind(found: Status, embeds: bool) -> tuple[str, ...]:
    changed = f"{counted(found.behind, 'document')} {agreeing(found.behind, 'has', 'have')} changed"
    lacks = [changed] if found.behind else []
    waiting = found.without_vector - len(found.quarantined)
    bare = f"{counted(waiting, 'memory')} {agreeing(waiting, 'has', 'have')} no vector yet"
    lacks += [bare] if embeds and waiting else []
    sentence = UNDER_WAY if found.syncing else BEHIND
    return (sentence.format(" and ".join(lacks)),) if lacks else ()
