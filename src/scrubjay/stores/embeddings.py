"""Vectors by what was embedded: the same text is never embedded twice, also when it has been away for a while."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

import apsw

from scrubjay.stores import writing
from scrubjay.stores.columns import instant
from scrubjay.types import Memory
from scrubjay.types.models import CacheUse

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["attach", "count", "find", "forget", "keep", "keep_all", "prune", "release", "retire", "use"]

NAME = """
    insert or ignore into cached_models (spec, name, dimensions, recipe)
    select spec, name, dimensions, recipe from models where id = ?
"""
NAMED = """
    select c.id from cached_models c join models m on m.id = ?
    and c.spec = m.spec and c.name = m.name and c.dimensions = m.dimensions and c.recipe = m.recipe
"""
KEEP = "insert or replace into cached (model, digest, vectors, retired_at) values (?, ?, ?, ?)"
PIECES = "select model, vector from pieces where memory = ? order by model, number"
ALIKE = """
    select p.vector from pieces p where p.model = :model and p.memory = (
        select m.id from memories m join pieces q on q.memory = m.id and q.model = :model
        where m.digest = :digest limit 1
    ) order by p.number
"""
RETIRED = "select vectors from cached where model = :model and digest = :digest"
IN_USE = """
    select m.digest, p.memory, p.vector from pieces p join memories m on m.id = p.memory
    where p.model = ? and m.digest is not null order by p.memory desc, p.number
"""
OLDEST = """
    delete from cached where (model, digest) in (
        select model, digest from (
            select model, digest, sum(length(vectors)) over (order by retired_at desc, model, digest) as total
            from cached
        ) where total > ?
    )
"""


def retire(db: apsw.Connection, memory: Memory, at: datetime) -> None:
    """Keep the vectors of a memory whose text has left its document."""
    by_model: dict[int, bytes] = {}
    rows: list[Any] = db.execute(PIECES, (memory.id,)).fetchall()
    for model, vector in rows:
        by_model[model] = by_model.get(model, b"") + vector
    kept = [(_cached(db, model), memory.digest, vectors, instant(at)) for model, vectors in by_model.items()]
    db.executemany(KEEP, kept)


def keep(db: apsw.Connection, model: int, vectors: Mapping[bytes, Matrix], at: datetime) -> None:
    """Keep vectors for memories that are about to come."""
    cached = _cached(db, model)
    rows = [(cached, digest, matrix.astype("<f4").tobytes(), instant(at)) for digest, matrix in vectors.items()]
    db.executemany(KEEP, rows)


def keep_all(db: apsw.Connection, model: int, at: datetime, most_bytes: int) -> None:
    """Keep the vectors of a model that the file moves away from, the newest first, as far as there is room."""
    cached = _cached(db, model)
    rows: Iterable[Any] = db.execute(IN_USE, (model,)).fetchall()
    room = most_bytes
    for (digest, _), pieces in groupby(rows, key=lambda row: (row[0], row[1])):
        vectors = b"".join(vector for _, _, vector in pieces)
        room -= len(vectors)
        if room < 0:
            return
        db.execute(KEEP, (cached, digest, vectors, instant(at)))


def release(db: apsw.Connection, model: int) -> None:
    """Keep no second copy of what is in use again."""
    in_use = "select digest from memories where digest is not null"
    db.execute(f"delete from cached where model = ? and digest in ({in_use})", (_cached(db, model),))


def attach(db: apsw.Connection, memory: Memory) -> None:
    """Give a new memory its vectors, if its text was embedded before."""
    model = writing.model_id(db, "current")
    for digest, vectors in find(db, model, [memory.digest]).items():
        writing.insert_pieces(db, memory, vectors, model)
        db.execute("delete from cached where model = ? and digest = ?", (_cached(db, model), digest))


def forget(db: apsw.Connection, memory: Memory) -> None:
    """Keep nothing of a text that was deleted."""
    db.execute("delete from cached where model in (select id from cached_models) and digest = ?", (memory.digest,))


def find(db: apsw.Connection, model: int, digests: Iterable[bytes]) -> dict[bytes, Matrix]:
    """The vectors of what was embedded before, as far as they are still known."""
    import numpy as np

    row: Any = db.execute("select dimensions from models where id = ?", (model,)).fetchone()
    if row is None:
        return {}
    kept: Any = db.execute(NAMED, (model,)).fetchone()
    found: dict[bytes, Matrix] = {}
    for digest in digests:
        known: list[Any] = db.execute(ALIKE, {"model": model, "digest": digest}).fetchall()
        if not known and kept:
            known = db.execute(RETIRED, {"model": kept[0], "digest": digest}).fetchall()
        if known:
            vectors = np.frombuffer(b"".join(vector for (vector,) in known), dtype="<f4")
            found[digest] = vectors.reshape(-1, row[0])
    return found


def prune(db: apsw.Connection, at: datetime, days: int, most_bytes: int) -> int:
    """Forget what has not been in use for so long, and beyond the limit what has been out of use longest."""
    db.execute("delete from cached where retired_at < ?", (instant(at - timedelta(days=days)),))
    gone = int(db.changes())
    db.execute(OLDEST, (most_bytes,))
    return gone + int(db.changes())


def count(db: apsw.Connection, hits: int, misses: int) -> None:
    if hits or misses:
        db.execute("update cache_use set hits = hits + ?, misses = misses + ?", (hits, misses))


def use(db: apsw.Connection) -> CacheUse:
    hits, misses = db.execute("select hits, misses from cache_use").fetchone() or (0, 0)
    kept, size = db.execute("select count(*), coalesce(sum(length(vectors)), 0) from cached").fetchone() or (0, 0)
    return CacheUse(hits, misses, kept, size)


def _cached(db: apsw.Connection, model: int) -> int:
    """The name under which a model's vectors are kept."""
    row: Any = db.execute(NAMED, (model,)).fetchone()
    if row is None:
        db.execute(NAME, (model,))
        row = db.execute(NAMED, (model,)).fetchone()
    return int(row[0])
