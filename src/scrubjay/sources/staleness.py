"""Whether sources have changed since the last sync, checked from time to time."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from scrubjay.errors import Damaged
from scrubjay.memory.view import View
from scrubjay.text.fence import QuotingNote
from scrubjay.text.plural import counted, singular_or_plural

if TYPE_CHECKING:
    from scrubjay.types.documents import Status

__all__ = ["Staleness"]

OUT_OF_DATE = "The memory is out of date: {}; `scrubjay sync` updates it."
RUNNING = "A sync is running and has not finished: {}."
CHECK_EVERY_SECONDS = 10.0
MOST_FILES = 10_000  # and folders of a source, that a search looks at: about half a second
NOT_LOOKED_AT = "Not checked for changes, because of more than {:,} files: {}; `scrubjay status` looks there."


class Staleness:
    """How many documents have changed since the last sync, cached: a search cannot check every file each time.

    Nor does it look at large sources: a command has nothing in its cache.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._checked_at = -CHECK_EVERY_SECONDS
        self._notes: tuple[str, ...] = ()
        self._would_sync_help = False
        self._not_looked_at: list[str] = []

    def notes(self) -> tuple[str, ...]:
        """What a search should say about it; empty if the space is up to date."""
        if monotonic() - self._checked_at >= CHECK_EVERY_SECONDS:
            self._notes, self._would_sync_help, self._not_looked_at = (), False, []
            try:
                self._check()
            except Damaged as problem:  # a broken source must not make the search fail
                self._notes = (str(problem),)
            self._checked_at = monotonic()
        return self._notes

    def _check(self) -> None:
        store, space = self._view.store, self._view.space
        if store.maintenance.has_sources(space) and store.documents.sources(space):
            from scrubjay.sources.sync import status_of_small  # a space without sources does not need it

            found, self._not_looked_at = status_of_small(self._view, MOST_FILES)
            self._notes = self._notes_of(found)
            self._would_sync_help = bool(self._notes) and not found.syncing
            if self._not_looked_at:
                names = ", ".join(self._not_looked_at)
                self._notes = (*self._notes, QuotingNote(NOT_LOOKED_AT.format(MOST_FILES, names)))

    def _notes_of(self, found: Status) -> tuple[str, ...]:
        embeds = self._view.selection.embedder is not None  # without an embedder, each answer says that anyway
        return _notes(found, embeds)

    def is_behind(self) -> bool:
        """Whether a sync would help: not while one is running. Large sources are looked at, too."""
        self.notes()
        return self._would_sync_help or (bool(self._not_looked_at) and self._is_behind_anywhere())

    def _is_behind_anywhere(self) -> bool:
        from scrubjay.sources.sync import status

        found = status(self._view)
        return bool(self._notes_of(found)) and not found.syncing

    def forget(self) -> None:
        """Check again at the next search."""
        self._checked_at = -CHECK_EVERY_SECONDS


def _notes(found: Status, embeds: bool) -> tuple[str, ...]:
    changed = f"{counted(found.behind, 'document')} {singular_or_plural(found.behind, 'has', 'have')} changed"
    problems = [changed] if found.behind else []
    waiting = found.without_vector - len(found.quarantined)
    unembedded = f"{counted(waiting, 'memory')} {singular_or_plural(waiting, 'has', 'have')} no vector yet"
    problems += [unembedded] if embeds and waiting else []
    sentence = RUNNING if found.syncing else OUT_OF_DATE
    return (sentence.format(" and ".join(problems)),) if problems else ()
