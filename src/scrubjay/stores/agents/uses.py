"""Uses of memories: buffered, and written when somebody writes anyway. Best effort: no answer waits for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from threading import Lock, Thread
from typing import TYPE_CHECKING

from scrubjay.errors import StoreError
from scrubjay.stores.columns import instant, moment
from scrubjay.stores.contract import Engine, Rows, Use

if TYPE_CHECKING:
    from scrubjay.types.reports import Access

__all__ = ["Uses"]

BUFFERED = 10_000  # many, so that what was shown often is written once
KEPT = 20_000

COUNT = "update memories set used_count = used_count + :count, used_at = :at where id = :id"
COUNT_SHOWN = "update memories set shown_count = shown_count + :count where id = :id"
SHOWN = "search"  # what a search lists was shown; what was read, told or rated was used
NOT_USED = (SHOWN, "curate")  # what was chosen is counted when it is told
# A question that waited here while another process erased memories may be one that was asked for them.
LOG = """
    insert into accesses (memory, at, verb, score, query)
    select :memory, :at, :verb, :score, case when not exists (select 1 from erasure where at > :at) then :query end
    where exists (select 1 from memories where id = :memory)
"""
LOGGED = """
    select a.memory, a.at, a.verb, a.score, a.query from accesses a join memories m on m.id = a.memory
    where m.space = :space and (:memory is null or a.memory = :memory) order by a.id desc limit :limit
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

    def logged(self, space: str, memory: int | None, limit: int) -> list[Access]:
        """What was written to the log, the newest first."""
        from scrubjay.types.reports import Access  # most processes never need it

        self.flush_without_waiting()
        with self._engine.reading([space]) as rows:
            found = rows.all(LOGGED, space=space, memory=memory, limit=limit)
        return [Access(id, moment(at), verb, score, query) for id, at, verb, score, query in found]

    def flush_without_waiting(self) -> None:
        """Write them now if nobody else is writing; keep the newest if that cannot be."""
        try:
            if self._buffer:
                spaces = {use.space for use in self._buffer}
                with self._engine.writing(spaces, wait=False) as rows:
                    self.flush(rows, spaces)
        except StoreError:
            with self._lock:
                del self._buffer[:-BUFFERED]
        finally:
            self._flushing = False

    def flush(self, rows: Rows, spaces: Collection[str] | None = None) -> None:
        """Write those of the spaces of a transaction that is there anyway."""
        with self._lock:
            uses = [use for use in self._buffer if spaces is None or use.space in spaces]
            self._buffer = [] if spaces is None else [use for use in self._buffer if use.space not in spaces]
        if not uses:
            return
        used = [use for use in uses if use.verb not in NOT_USED]
        latest = {use.memory: use.at for use in used}
        times = {at: instant(at) for at in {use.at for use in uses}}
        counts, shown = Counter(use.memory for use in used), Counter(use.memory for use in uses if use.verb == SHOWN)
        rows.run_many(COUNT_SHOWN, ({"count": count, "id": id} for id, count in shown.items()))
        rows.run_many(COUNT, ({"count": count, "at": times[latest[id]], "id": id} for id, count in counts.items()))
        rows.run_many(LOG, ({**use._asdict(), "at": times[use.at]} for use in uses))
        rows.run(PRUNE, kept=KEPT)
