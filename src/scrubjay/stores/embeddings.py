"""Vectors by what was embedded: the same text is never embedded twice, also when it has been away for a while."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import apsw

from scrubjay.stores import writing
from scrubjay.stores.rows import instant
from scrubjay.types import Memory

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["attach", "find", "keep", "prune", "retire"]

KEEP = "insert or replace into embeddings (model, digest, vectors, retired_at) values (?, ?, ?, ?)"
PIECES = "select model, vector from pieces where memory = ? order by model, number"
ALIKE = """
    select p.vector from pieces p where p.model = :model and p.memory = (
        select m.id from memories m join pieces q on q.memory = m.id and q.model = :model
        where m.digest = :digest limit 1
    ) order by p.number
"""
RETIRED = "select vectors from embeddings where model = :model and digest = :digest"


def retire(db: apsw.Connection, memory: Memory, at: datetime) -> None:
    """Keep the vectors of a memory whose text has left its document."""
    by_model: dict[int, bytes] = {}
    rows: list[Any] = db.execute(PIECES, (memory.id,)).fetchall()
    for model, vector in rows:
        by_model[model] = by_model.get(model, b"") + vector
    db.executemany(KEEP, [(model, memory.digest, vectors, instant(at)) for model, vectors in by_model.items()])


def keep(db: apsw.Connection, model: int, vectors: Mapping[bytes, Matrix], at: datetime) -> None:
    """Keep vectors for memories that are about to come."""
    rows = [(model, digest, matrix.astype("<f4").tobytes(), instant(at)) for digest, matrix in vectors.items()]
    db.executemany(KEEP, rows)


def attach(db: apsw.Connection, memory: Memory) -> None:
    """Give a new memory its vectors, if its text was embedded before."""
    model = writing.model_id(db, "current")
    for digest, vectors in find(db, model, [memory.digest]).items():
        writing.insert_pieces(db, memory, vectors, model)
        db.execute("delete from embeddings where model = ? and digest = ?", (model, digest))


def find(db: apsw.Connection, model: int, digests: Iterable[bytes]) -> dict[bytes, Matrix]:
    """The vectors of what was embedded before, as far as they are still known."""
    import numpy as np

    row: Any = db.execute("select dimensions from models where id = ?", (model,)).fetchone()
    if row is None:
        return {}
    found: dict[bytes, Matrix] = {}
    for digest in digests:
        values = {"model": model, "digest": digest}
        known: list[Any] = db.execute(ALIKE, values).fetchall() or db.execute(RETIRED, values).fetchall()
        if known:
            vectors = np.frombuffer(b"".join(vector for (vector,) in known), dtype="<f4")
            found[digest] = vectors.reshape(-1, row[0])
    return found


def prune(db: apsw.Connection, at: datetime, days: int) -> int:
    db.execute("delete from embeddings where retired_at < ?", (instant(at - timedelta(days=days)),))
    return int(db.changes())
