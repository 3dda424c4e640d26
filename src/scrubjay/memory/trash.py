"""The trash of a space: what was deleted, until when it can be restored, and erasing it for good."""

from __future__ import annotations

import builtins
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

from scrubjay.errors import StoreError
from scrubjay.memory.view import View
from scrubjay.types import Memory

__all__ = ["Trash", "Trashed"]

DAY = timedelta(days=1)
NEVER = datetime.min.replace(tzinfo=UTC)
AT_ANY_TIME = datetime.max.replace(tzinfo=UTC)  # also what was deleted before the clock was put back
# Erasing rewrites the whole file. Up to this size that takes about a second, which an add may take once a day;
# a larger file is left to `cleanup`.
LARGEST_UNASKED_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class Trashed:
    """A deleted memory: when and why it was deleted, and how many days are left to restore it."""

    memory: Memory
    deleted_at: datetime
    reason: str
    days_left: int


class Trash:
    """Deleted memories of one space."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._store = view.store

    @property
    def days(self) -> int:
        """How many days a deleted memory can be restored: the setting `trash.days`."""
        return int(self._view.setting("trash.days"))

    def list(self) -> builtins.list[Trashed]:
        """The last deleted first."""
        now = self._view.clock()
        return [
            Trashed(memory, at, reason, max(0, self.days + ceil((at - now) / DAY)))
            for memory, at, reason in self._store.trash.all(self._view.space)
        ]

    def empty(self) -> int:
        """Erase all of it now. Returns how many memories that were."""
        return self._store.trash.empty(AT_ANY_TIME, self._view.clock(), self._view.space)

    def erase_due(self) -> int:
        """Erase what was deleted longer ago than the setting `trash.days`, in every space of the file."""
        return self._store.trash.empty(self._due(), self._view.clock())

    def _due(self) -> datetime:
        """What was deleted before this is to be erased."""
        return self._view.clock() - self.days * DAY if self.days else AT_ANY_TIME

    def erase_traces(self) -> None:
        """Erase what is left of texts that were forgotten without going through the trash, where it is quick."""
        if self._store.maintenance.bytes_used() <= LARGEST_UNASKED_BYTES:
            self._store.trash.empty(NEVER, self._view.clock())

    def erase_due_unasked(self) -> None:
        """The same at most once a day, and only where it is quick. If it fails, a later call tries again."""
        now, trash = self._view.clock(), self._store.trash
        if not trash.due(self._due()) or self._store.maintenance.bytes_used() > LARGEST_UNASKED_BYTES:
            return
        emptied = trash.emptied_at()
        if emptied is None or now - emptied >= DAY:
            with suppress(StoreError):
                self.erase_due()
