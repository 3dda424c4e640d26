"""The index of vectors: the cache proposes, the file's own vectors decide, and filters hold before the cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from scrubjay.stores.contract import Nearest
from scrubjay.stores.filters import where
from scrubjay.stores.sqlite.caches.vector_cache import VectorCache
from scrubjay.stores.sqlite.caches.vector_codes import NOTHING
from scrubjay.types import Filter, Memory

if TYPE_CHECKING:
    from scrubjay.stores.sqlite.rows import SqliteRows
    from scrubjay.types.vectors import Matrix, NewVectors

__all__ = ["SqliteVectorIndex"]

# How far beyond the wanted number to look, step by step, before the vectors of all that pass are read. What columns
# tell of a filter holds in the cache already.
OVERFETCH = (2, 12, 36)
ROWS_AT_ONCE = 128  # few enough that their memory is used again: fresh memory takes longer than the multiplication
# Before the cache is ready in this process, an exact scan of so many memories is quicker: of a filter, of a space.
FEW = 2_000
FEW_FOR_ONCE = 20_000

PROPOSED = """
    select p.memory, p.vector, i.key from each(:pieces) i cross join pieces p on p.id = i.value
    cross join memories m on m.id = p.memory where p.model = :model and length(p.vector) = :bytes and {where}
"""
COUNT = "select count(*) from (select 1 from memories m where {where} limit :most)"
OF_SPACES = "m.space in (select value from each(:spaces))"
ALL = """
    select p.memory, p.vector from memories m cross join pieces p on p.memory = m.id and p.model = :model
    where length(p.vector) = :bytes and {where}
"""
OF_MEMORIES = """
    select p.memory, p.vector from each(:ids) i cross join pieces p on p.memory = i.value and p.model = :model
    where length(p.vector) = :bytes
"""
OF = """
    select p.memory, p.vector from each(:ids) i cross join pieces p on p.memory = i.value and p.model = :model
    where length(p.vector) = 4 * (select dimensions from models where id = :model) order by p.memory, p.number
"""
PUT = """
    insert into pieces (memory, model, total, number, vector) values (:memory, :model, :total, :number, :vector)
"""
OF_MEMORY = "select id from pieces where memory = :memory order by id"
LOG = "insert into changes (space, verb, first_piece, last_piece) values (:space, :verb, :first, :last)"
KEPT_CHANGES = 20_000
PRUNED_EVERY = 100
CACHE_FAILED = "Searched by meaning the slow way, over every vector: the vector cache failed and will be rebuilt."


class SqliteVectorIndex:
    """The table `pieces`, the log of its changes, and a cache that follows that log."""

    def __init__(self, rows: SqliteRows, cache: VectorCache) -> None:
        self._rows = rows
        self._cache = cache

    def put(self, new: Sequence[NewVectors], model: int, searched: bool = True) -> None:
        pieces = [
            {"memory": one.memory, "model": model, "total": len(one.vectors), "number": number, "vector": vector}
            for one in new
            for number, vector in enumerate(map(_bytes, one.vectors))
        ]
        self._rows.run_many(PUT, pieces)
        first = self._rows.db.last_insert_rowid() - len(pieces) + 1  # they have one number after the other
        for (space, is_current), run in groupby(new, key=lambda one: (one.space, one.is_current)):
            count = sum(len(one.vectors) for one in run)
            if searched and is_current and count:
                self._log(space, "add", first, first + count - 1)
            first += count

    def drop(self, memory: Memory) -> None:
        self.note_current(memory, False)
        self._rows.run("delete from pieces where memory = :memory", memory=memory.id)

    def note_current(self, memory: Memory, current: bool) -> None:
        for (piece,) in self._rows.all(OF_MEMORY, memory=memory.id):
            self._log(memory.space, "add" if current else "remove", piece, piece)

    def nearest(self, vector: Matrix, model: int, filter: Filter, limit: int) -> Nearest:
        note = None
        try:
            few = _are_few(self._rows, self._cache, filter)
            found = None if few else _proposed(self._rows, self._cache, model, vector, filter, limit)
        except (ValueError, KeyError, RuntimeError):
            for space in filter.spaces:
                self._cache.forget(space)
            found, note = None, CACHE_FAILED
        if found is None:
            found = _every(self._rows, model, vector, filter)
        elif filter.include_superseded or filter.as_of is not None:
            found |= _every(self._rows, model, vector, filter, "m.superseded_at is not null")
        best = sorted(found, key=found.__getitem__, reverse=True)[:limit]
        return Nearest({id: found[id] for id in best}, note)

    def cosines(self, vector: Matrix, model: int, ids: Iterable[int]) -> dict[int, float]:
        return _best(self._rows.stream(OF_MEMORIES, ids=list(ids), **_fitting(model, vector)), vector)

    def of(self, ids: Iterable[int], model: int) -> dict[int, Matrix]:
        import numpy as np

        pieces: dict[int, list[bytes]] = {}
        for id, vector in self._rows.all(OF, ids=list(ids), model=model):
            pieces.setdefault(id, []).append(vector)
        return {id: np.frombuffer(b"".join(own), dtype="<f4").reshape(len(own), -1) for id, own in pieces.items()}

    def restart_log(self) -> None:
        """Let every process build its cache anew: one that only follows may keep what was removed."""
        if self._rows.one("select 1 from changes where space <> '' limit 1"):
            self._rows.run("delete from changes")
            self._log("", "add", 0, -1)

    def _log(self, space: str, verb: str, first: int, last: int) -> None:
        """Write down, in the same transaction, which vectors come into the search or leave it."""
        self._rows.run(LOG, space=space, verb=verb, first=first, last=last)
        if (seq := self._rows.db.last_insert_rowid()) % PRUNED_EVERY == 0:
            # A cache that is further behind is rebuilt, which costs no more than following this many.
            self._rows.run("delete from changes where seq <= :oldest", oldest=seq - KEPT_CHANGES)


def _bytes(vector: Matrix) -> bytes:
    return vector.astype("<f4", copy=False).tobytes()


def _are_few(rows: SqliteRows, cache: VectorCache, filter: Filter) -> bool:
    """Whether reading all vectors is quicker than asking the cache, which takes a while to get ready once."""
    if all([cache.was_asked(space) for space in filter.spaces]):
        return False
    if filter.subject is not None or filter.session is not None or filter.kinds:
        everything = Filter(spaces=filter.spaces, now=filter.now)
        narrow = replace(everything, subject=filter.subject, session=filter.session, kinds=filter.kinds)
        return _are_below(rows, FEW, *where(narrow))
    return _are_below(rows, FEW_FOR_ONCE, OF_SPACES, {"spaces": filter.spaces})


def _are_below(rows: SqliteRows, most: int, condition: str, values: dict[str, Any]) -> bool:
    (count,) = rows.one(COUNT.format(where=condition), **values, most=most)
    return int(count) < most


def _proposed(
    rows: SqliteRows, cache: VectorCache, model: int, vector: Matrix, filter: Filter, limit: int
) -> dict[int, float] | None:
    """What the cache finds, once nothing it did not name can be better; None if that takes too long."""
    condition, values = where(replace(filter, include_superseded=False))
    values |= _fitting(model, vector)
    sql = PROPOSED.format(where=condition)
    for factor in OVERFETCH:
        proposals = [cache.nearest(rows.db, space, model, vector, limit * factor, filter) for space in filter.spaces]
        rest = max(proposal.rest for proposal in proposals)
        pieces = [pair for proposal in proposals for pair in zip(proposal.scores, proposal.pieces, strict=True)]
        pieces.sort(reverse=True)
        with closing(rows.stream(sql, **values, pieces=[piece for _, piece in pieces])) as found:
            best, certain = _certain(found, [score for score, _ in pieces], rest, vector, limit)
        if certain:
            return best
    return None


def _certain(
    found: Any, scores: Sequence[float], rest: float, vector: Matrix, limit: int
) -> tuple[dict[int, float], bool]:
    """Read the best vectors until nothing further down can be better than what was read, if it comes to that."""
    best: dict[int, float] = {}
    while batch := list(islice(found, limit // 2 + 1)):
        _improve(best, batch, vector)
        if _are_above(best, scores[batch[-1][2]], limit):
            return best, True
    return best, rest == NOTHING or _are_above(best, rest, limit)


def _are_above(best: Mapping[int, float], score: float, limit: int) -> bool:
    return sum(cosine >= score for cosine in best.values()) >= limit


def _every(rows: SqliteRows, model: int, vector: Matrix, filter: Filter, also: str = "true") -> dict[int, float]:
    condition, values = where(filter)
    values |= _fitting(model, vector)
    return _best(rows.stream(ALL.format(where=f"{condition} and {also}"), **values), vector)


def _fitting(model: int, vector: Matrix) -> dict[str, int]:
    """Which stored vectors can be compared with this one: of its model, and whole."""
    return {"model": model, "bytes": len(vector) * 4}


def _best(found: Any, vector: Matrix) -> dict[int, float]:
    """The best cosine of each memory over its pieces."""
    best: dict[int, float] = {}
    while batch := list(islice(found, ROWS_AT_ONCE)):
        _improve(best, batch, vector)
    return best


def _improve(best: dict[int, float], batch: Sequence[tuple[Any, ...]], vector: Matrix) -> None:
    import numpy as np

    rows = np.frombuffer(b"".join([row[1] for row in batch]), dtype="<f4").reshape(len(batch), -1)
    for (memory, *_), cosine in zip(batch, (rows @ vector).tolist(), strict=True):
        if cosine > best.get(memory, -2.0):
            best[memory] = cosine
