"""Uses of memories: buffered, and written when somebody writes anyway. Best effort: no answer waits for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from threading import Lock, Thread

import apsw

from scrubjay.errors import StoreError
from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Use
from scrubjay.stores.sqlite.engine import Connections

__all__ = ["Uses"]

BUFFERED = 1_000
KEPT = 20_000

COUNT = "update memories set used_count = used_count + ?, used_at = ? where id = ?"
LOG = """
    insert into accesses (memory, at, verb, score, query)
    select ?1, ?2, ?3, ?4, ?5 where exists (select 1 from memories where id = ?1)
"""
PRUNE = "delete from accesses where id <= (select max(id) from accesses) - ?"


class Uses:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._buffer: list[Use] = []
        self._lock = Lock()
        self._flushing = False

    def note(self, uses: Iterable[Use]) -> None:
        with self._lock:
            self._buffer.extend(uses)
            due = len(self._buffer) >= BUFFERED and not self._flushing
            self._flushing = self._flushing or due
        if due:
            Thread(target=self.flush_without_waiting, daemon=True).start()

    def flush_without_waiting(self) -> None:
        """Write them now if nobody else is writing; keep the newest if that cannot be."""
        try:
            if self._buffer:
                with self._connections.writing(wait=False) as db:
                    self.flush(db)
        except StoreError:
            with self._lock:
                del self._buffer[:-BUFFERED]
        finally:
            self._flushing = False

    def flush(self, db: apsw.Connection) -> None:
        """Write them inside a transaction that is there anyway."""
        with self._lock:
            accesses, self._buffer = self._buffer, []
        if not accesses:
            return
        latest = {access.memory: access.at for access in accesses}
        times = {at: instant(at) for at in {access.at for access in accesses}}
        counts = Counter(access.memory for access in accesses)
        db.executemany(COUNT, [(count, times[latest[id]], id) for id, count in counts.items()])
        rows = [(access.memory, times[access.at], access.verb, access.score, access.query) for access in accesses]
        db.executemany(LOG, rows)
        db.execute(PRUNE, (KEPT,))
