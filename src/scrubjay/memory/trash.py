"""The trash of a space: what was deleted, until when it can be taken back, and erasing it for good."""

from __future__ import annotations

import builtins
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from scrubjay.dates.timestamps import Clock
from scrubjay.errors import StoreError
from scrubjay.stores import Store
from scrubjay.types import Memory

__all__ = ["Trash", "Trashed"]

DAY = timedelta(days=1)
# Erasing writes the whole file anew. Up to this size that takes about a second, which a write may take once a day;
# a larger file is left to `cleanup`.
UNASKED_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class Trashed:
    """A deleted memory: when and why it was deleted, and how many days are left to take it back."""

    memory: Memory
    deleted_at: datetime
    reason: str
    days_left: int


@dataclass(frozen=True, slots=True)
class Trash:
    """Deleted memories of one space."""

    store: Store
    space: str
    clock: Clock
    days: int

    def list(self) -> builtins.list[Trashed]:
        """The last deleted first."""
        now = self.clock()
        return [
            Trashed(memory, at, reason, max(0, ceil((at + self.days * DAY - now) / DAY)))
            for memory, at, reason in self.store.trash.all(self.space)
        ]

    def empty(self) -> int:
        """Erase all of it now. Returns how many memories that were."""
        now = self.clock()
        return self.store.trash.empty(now, now, self.space)

    def erase_due(self) -> int:
        """Erase what was deleted longer ago than the setting `trash.days`, in every space of the file."""
        now = self.clock()
        return self.store.trash.empty(now - self.days * DAY, now)

    def erase_due_unasked(self) -> None:
        """The same at most once a day, where it is quick. If it fails, it is tried again: nobody asked for it."""
        now, trash = self.clock(), self.store.trash
        if not trash.due(now - self.days * DAY) or self.store.maintenance.bytes_used() > UNASKED_BYTES:
            return
        emptied = trash.emptied_at()
        if emptied is None or now - emptied >= DAY:
            with suppress(StoreError):
                self.erase_due()
