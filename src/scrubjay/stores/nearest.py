"""Finding by meaning: the cache proposes, the file's own vectors decide, and filters hold before the cut."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import apsw

from scrubjay.stores import Nearest
from scrubjay.stores.filters import where
from scrubjay.stores.vectors import NOTHING, VectorCache
from scrubjay.types import Filter

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["alike", "cosines", "nearest"]

Scored = list[tuple[int, float]]

# How far beyond the wanted number to look, step by step, before the vectors of all that pass are read.
OVERFETCH = (4, 16, 64, 600)
# The scores of the cache lie about 0.004 (one standard deviation) from the exact ones; a few lie further off.
DOUBT = 0.008
ROWS_AT_ONCE = 4_096
# Below so many memories an exact scan is as quick; and so is one before the cache is ready in this process.
FEW = 2_000
FEW_FOR_ONCE = 20_000

PROPOSED = """
    select p.memory, p.vector from json_each(:pieces) i cross join pieces p on p.id = i.value
    cross join memories m on m.id = p.memory where p.model = :model and length(p.vector) = :bytes and {where}
"""
KEPT = """
    select p.id from json_each(:pieces) i cross join pieces p on p.id = i.value
    cross join memories m on m.id = p.memory where {where}
"""
COUNT = "select count(*) from (select 1 from memories m where {where} limit :most)"
ALL = """
    select p.memory, p.vector from memories m cross join pieces p on p.memory = m.id and p.model = :model
    where length(p.vector) = :bytes and {where}
"""
OF_MEMORIES = """
    select p.memory, p.vector from json_each(:ids) i cross join pieces p on p.memory = i.value and p.model = :model
    where length(p.vector) = :bytes
"""
BOTH = """
    select i.value ->> 0, a.vector, b.vector from json_each(:pairs) i
    cross join pieces a on a.memory = i.value ->> 0 and a.model = :model and a.number = 0
    cross join pieces b on b.memory = i.value ->> 1 and b.model = :model and b.number = 0
    where length(a.vector) = length(b.vector)
"""
NO_TURBOVEC = "Searched by meaning the slow way, over every vector: the package turbovec cannot be imported."
CACHE_FAILED = "Searched by meaning the slow way, over every vector: the vector cache failed and will be rebuilt."


def nearest(db: apsw.Connection, cache: VectorCache, model: int, vector: Matrix, filter: Filter, limit: int) -> Nearest:
    """The memories nearest in meaning that pass the filter, by exact cosine."""
    note = None
    try:
        found = None if _are_few(db, cache, filter) else _proposed(db, cache, model, vector, filter, limit)
    except ImportError:
        found, note = None, NO_TURBOVEC
    except (ValueError, KeyError, RuntimeError):
        for space in filter.spaces:
            cache.forget(space)
        found, note = None, CACHE_FAILED
    if found is None:
        found = _every(db, model, vector, filter)
    elif filter.include_superseded or filter.as_of is not None:
        found |= _every(db, model, vector, filter, "m.superseded_at is not null")
    best = sorted(found, key=found.__getitem__, reverse=True)[:limit]
    return Nearest({id: found[id] for id in best}, note)


def _are_few(db: apsw.Connection, cache: VectorCache, filter: Filter) -> bool:
    """Whether reading all vectors is quicker than asking the cache, which takes a while to get ready once."""
    if filter.subject is not None or filter.session is not None or filter.kinds:
        everything = Filter(spaces=filter.spaces, now=filter.now)
        narrow = replace(everything, subject=filter.subject, session=filter.session, kinds=filter.kinds)
        return _count(db, narrow, FEW) < FEW
    if all(cache.was_asked(space) for space in filter.spaces):
        return False
    return _count(db, Filter(spaces=filter.spaces, now=filter.now), FEW_FOR_ONCE) < FEW_FOR_ONCE


def _count(db: apsw.Connection, filter: Filter, most: int) -> int:
    condition, values = where(filter)
    row: Any = db.execute(COUNT.format(where=condition), {**values, "most": most}).fetchone()
    return int(row[0])


def cosines(db: apsw.Connection, model: int, vector: Matrix, ids: Iterable[int]) -> dict[int, float]:
    values = {"ids": json.dumps(list(ids)), **_fitting(model, vector)}
    return _best(db.execute(OF_MEMORIES, values), vector)


def alike(db: apsw.Connection, model: int, pairs: Mapping[int, int]) -> dict[int, float]:
    """How near each memory is to the other one, by their first pieces."""
    import numpy as np

    rows: Any = db.execute(BOTH, {"pairs": json.dumps(list(pairs.items())), "model": model})
    return {id: float(np.frombuffer(one, dtype="<f4") @ np.frombuffer(other, dtype="<f4")) for id, one, other in rows}


def _proposed(
    db: apsw.Connection, cache: VectorCache, model: int, vector: Matrix, filter: Filter, limit: int
) -> dict[int, float] | None:
    """What the cache finds, once nothing it did not name can be better; None if that takes too long."""
    condition, values = where(replace(filter, include_superseded=False))
    values |= _fitting(model, vector)
    for step, factor in enumerate(OVERFETCH, start=1):
        proposals = [cache.nearest(db, space, model, vector, limit * factor) for space in filter.spaces]
        rest = max(proposal.rest for proposal in proposals)
        pieces = [pair for proposal in proposals for pair in zip(proposal.pieces, proposal.scores, strict=True)]
        if step > 1:
            pieces, rest = _passing(db, condition, values, pieces, limit * OVERFETCH[0] * step**2, rest)
        values["pieces"] = json.dumps([piece for piece, _ in pieces])
        found = _best(db.execute(PROPOSED.format(where=condition), values), vector)
        if sum(cosine >= rest + DOUBT for cosine in found.values()) >= limit or rest == NOTHING:
            return found
    return None


def _passing(
    db: apsw.Connection, condition: str, values: dict[str, Any], pieces: Scored, most: int, rest: float
) -> tuple[Scored, float]:
    """The best pieces that pass the filter, and the most that any other may score: vectors are not read for this."""
    values = {**values, "pieces": json.dumps([piece for piece, _ in pieces])}
    kept = {piece for (piece,) in db.execute(KEPT.format(where=condition), values)}
    passing = sorted((pair for pair in pieces if pair[0] in kept), key=lambda pair: -pair[1])
    return passing[:most], max(rest, passing[most][1]) if len(passing) > most else rest


def _every(db: apsw.Connection, model: int, vector: Matrix, filter: Filter, also: str = "true") -> dict[int, float]:
    condition, values = where(filter)
    values |= _fitting(model, vector)
    return _best(db.execute(ALL.format(where=f"{condition} and {also}"), values), vector)


def _fitting(model: int, vector: Matrix) -> dict[str, int]:
    """Which stored vectors can be compared with this one: of its model, and whole."""
    return {"model": model, "bytes": len(vector) * 4}


def _best(rows: Any, vector: Matrix) -> dict[int, float]:
    """The best cosine of each memory over its pieces."""
    best: dict[int, float] = {}
    while batch := list(islice(rows, ROWS_AT_ONCE)):
        for (memory, _), cosine in zip(batch, _cosines(batch, vector), strict=True):
            if cosine > best.get(memory, -2.0):
                best[memory] = cosine
    return best


def _cosines(batch: Sequence[tuple[int, bytes]], vector: Matrix) -> list[float]:
    import numpy as np

    rows = np.frombuffer(b"".join(piece for _, piece in batch), dtype="<f4").reshape(len(batch), -1)
    found: list[float] = (rows @ vector).tolist()
    return found
