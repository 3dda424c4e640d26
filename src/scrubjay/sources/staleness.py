"""Whether a space is behind its sources, looked at from time to time."""

from __future__ import annotations

from time import monotonic

from scrubjay.errors import Damaged
from scrubjay.memory.view import View
from scrubjay.text.plural import agreeing, counted
from scrubjay.types.documents import Status

__all__ = ["Staleness"]

BEHIND = "The memory is behind its sources: {}; `scrubjay sync` updates it."
RUNNING = "A sync is running, and not everything is read yet: {}."
LOOK_EVERY_SECONDS = 10.0


class Staleness:
    """How far a space is behind its sources, remembered for a while: not every search can look at every file."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._looked_at = -LOOK_EVERY_SECONDS
        self._notes: tuple[str, ...] = ()
        self._would_sync_help = False

    def notes(self) -> tuple[str, ...]:
        """What a search should say about it; empty if the space is up to date."""
        if monotonic() - self._looked_at >= LOOK_EVERY_SECONDS:
            self._notes, self._would_sync_help = (), False
            try:
                self._look()
            except Damaged as problem:  # a broken source must not keep the search from answering
                self._notes = (str(problem),)
            self._looked_at = monotonic()
        return self._notes

    def _look(self) -> None:
        if self._view.store.documents.sources(self._view.space):
            from scrubjay.sources.sync import status  # a space without sources does not need it

            found = status(self._view)
            embeds = self._view.selection.embedder is not None  # without an embedder, each answer says that anyway
            self._notes, self._would_sync_help = _notes(found, embeds), not found.syncing

    def is_behind(self) -> bool:
        """Whether a sync would help: not while one is running."""
        return bool(self.notes()) and self._would_sync_help

    def forget(self) -> None:
        """Look again at the next search."""
        self._looked_at = -LOOK_EVERY_SECONDS


def _notes(found: Status, embeds: bool) -> tuple[str, ...]:
    changed = f"{counted(found.behind, 'document')} {agreeing(found.behind, 'has', 'have')} changed"
    lacks = [changed] if found.behind else []
    waiting = found.without_vector - len(found.quarantined)
    bare = f"{counted(waiting, 'memory')} {agreeing(waiting, 'has', 'have')} no vector yet"
    lacks += [bare] if embeds and waiting else []
    sentence = RUNNING if found.syncing else BEHIND
    return (sentence.format(" and ".join(lacks)),) if lacks else ()
