"""Uses of memories: buffered, and written when somebody writes anyway. Best effort: no answer waits for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from threading import Lock, Thread

from scrubjay.errors import StoreError
from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Engine, Rows, Use

__all__ = ["Uses"]

BUFFERED = 1_000
KEPT = 20_000

COUNT = "update memories set used_count = used_count + :count, used_at = :at where id = :id"
LOG = """
    insert into accesses (memory, at, verb, score, query)
    select :memory, :at, :verb, :score, :query where exists (select 1 from memories where id = :memory)
"""
PRUNE = "delete from accesses where id <= (select max(id) from accesses) - :kept"


class Uses:
    """Uses that wait for the next write."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
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
                with self._engine.writing(wait=False) as rows:
                    self.flush(rows)
        except StoreError:
            with self._lock:
                del self._buffer[:-BUFFERED]
        finally:
            self._flushing = False

    def flush(self, rows: Rows) -> None:
        """Write them inside a transaction that is there anyway."""
        with self._lock:
            uses, self._buffer = self._buffer, []
        if not uses:
            return
        latest = {use.memory: use.at for use in uses}
        times = {at: instant(at) for at in {use.at for use in uses}}
        counts = Counter(use.memory for use in uses)
        rows.run_many(COUNT, ({"count": count, "at": times[latest[id]], "id": id} for id, count in counts.items()))
        rows.run_many(LOG, ({**use._asdict(), "at": times[use.at]} for use in uses))
        rows.run(PRUNE, kept=KEPT)
