"""Finding by meaning: the cache proposes, the file's own vectors decide, and filters hold before the cut."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import apsw

from scrubjay.stores.contract import Nearest
from scrubjay.stores.filters import where
from scrubjay.stores.sqlite.vector_cache import NOTHING, VectorCache
from scrubjay.types import Filter

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["alike", "cosines", "nearest"]

# How far beyond the wanted number to look, step by step, before the vectors of all that pass are read. The first is for
# whole spaces: under a filter it would seldom do.
OVERFETCH = (3, 6, 64, 600)
# How far the scores of the cache may lie from the exact ones: three standard deviations.
DOUBT = 0.015
ROWS_AT_ONCE = 128  # few enough that their memory is used again: fresh memory takes longer than the multiplication
# Below so many memories an exact scan is as quick; and so is one before the cache is ready in this process.
FEW = 2_000
FEW_FOR_ONCE = 20_000

PROPOSED = """
    select p.memory, p.vector, i.key from json_each(:pieces) i cross join pieces p on p.id = i.value
    cross join memories m on m.id = p.memory where p.model = :model and length(p.vector) = :bytes and {where}
"""
COUNT = "select count(*) from (select 1 from memories m where {where} limit :most)"
OF_SPACES = "m.space in (select value from json_each(:spaces))"
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
        return _are_below(db, FEW, *where(narrow))
    if all(cache.was_asked(space) for space in filter.spaces):
        return False
    return _are_below(db, FEW_FOR_ONCE, OF_SPACES, {"spaces": json.dumps(filter.spaces)})


def _are_below(db: apsw.Connection, most: int, condition: str, values: dict[str, Any]) -> bool:
    row: Any = db.execute(COUNT.format(where=condition), {**values, "most": most}).fetchone()
    return int(row[0]) < most


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
    whole = filter == Filter(spaces=filter.spaces, now=filter.now)
    for factor in OVERFETCH if whole else OVERFETCH[1:]:
        proposals = [cache.nearest(db, space, model, vector, limit * factor) for space in filter.spaces]
        rest = max(proposal.rest for proposal in proposals)
        pieces = [pair for proposal in proposals for pair in zip(proposal.scores, proposal.pieces, strict=True)]
        pieces.sort(reverse=True)
        values["pieces"] = json.dumps([piece for _, piece in pieces])
        with closing(db.execute(PROPOSED.format(where=condition), values)) as rows:
            found, certain = _certain(rows, [score for score, _ in pieces], rest, vector, limit)
        if certain:
            return found
    return None


def _certain(
    rows: Any, scores: Sequence[float], rest: float, vector: Matrix, limit: int
) -> tuple[dict[int, float], bool]:
    """Read the best vectors until nothing further down can be better than what was read, if it comes to that."""
    best: dict[int, float] = {}
    while batch := list(islice(rows, limit // 2 + 1)):
        _improve(best, batch, vector)
        if _are_above(best, scores[batch[-1][2]], limit):
            return best, True
    return best, rest == NOTHING or _are_above(best, rest, limit)


def _are_above(best: Mapping[int, float], score: float, limit: int) -> bool:
    return sum(cosine >= score + DOUBT for cosine in best.values()) >= limit


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
        _improve(best, batch, vector)
    return best


def _improve(best: dict[int, float], batch: Sequence[tuple[Any, ...]], vector: Matrix) -> None:
    import numpy as np

    rows = np.frombuffer(b"".join([row[1] for row in batch]), dtype="<f4").reshape(len(batch), -1)
    for (memory, *_), cosine in zip(batch, (rows @ vector).tolist(), strict=True):
        if cosine > best.get(memory, -2.0):
            best[memory] = cosine
