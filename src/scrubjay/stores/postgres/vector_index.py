"""The index of vectors: all vectors of a small space are compared; of a large one, those that an index names.

An index names a few more than are asked for, by halves of the vectors; what is given is their exact cosine. Where a
filter lets so few pass that the index does not find enough of them, those that pass are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrubjay.stores.contract import Nearest
from scrubjay.stores.filters import where
from scrubjay.stores.postgres.near_index import Wanted, indexed, is_large
from scrubjay.types import Filter, Memory

if TYPE_CHECKING:
    from scrubjay.stores.postgres.rows import PostgresRows
    from scrubjay.types.vectors import Matrix, NewVectors

__all__ = ["PostgresVectorIndex", "by_index"]

HEADER_BYTES = 4  # before the numbers of a vector, as pgvector sends it
# Vectors have length 1, so that the inner product, whose negative is <#>, is the cosine.
EXACT = """
    select p.memory, max(-(p.vector <#> cast(:vector as vector))) as cosine
    from memories m join pieces p on p.space = m.space and p.memory = m.id and p.model = :model
    where vector_dims(p.vector) = :dimensions and {where} group by p.memory order by cosine desc limit :limit
"""
# The condition of the index, and its expression, must stand in the statement as they stand in the index.
BY_INDEX = """
    with near as materialized (
        select p.memory, -(p.vector <#> cast(:vector as vector)) as cosine
        from pieces p join memories m on m.space = p.space and m.id = p.memory
        where p.space = {space} and p.model = {model} and {where}
        order by p.vector::halfvec({dimensions}) <#> cast(:vector as halfvec({dimensions})) limit :most
    )
    select memory, max(cosine) as cosine from near group by memory order by cosine desc limit :limit
"""
PIECES_EACH = 2  # that are asked of an index, for each memory that is wanted: a long text has several
OF_MEMORIES = """
    select p.memory, max(-(p.vector <#> cast(:vector as vector))) from pieces p
    where p.memory in (:ids) and p.model = :model and vector_dims(p.vector) = :dimensions group by p.memory
"""
OF = """
    select p.memory, vector_send(p.vector) from pieces p where p.memory in (:ids) and p.model = :model
    and vector_dims(p.vector) = (select dimensions from models where id = :model) order by p.memory, p.number
"""
PUT = """
    insert into pieces (space, memory, model, number, total, vector)
    values (:space, :memory, :model, :number, :total, cast(:vector as vector))
"""


class PostgresVectorIndex:
    """The table `pieces`."""

    def __init__(self, rows: PostgresRows) -> None:
        self._rows = rows
        self.missing: set[Wanted] = set()  # indexes to make when this transaction is committed

    def put(self, new: Sequence[NewVectors], model: int, searched: bool = True) -> None:
        for memory, space, _, vectors in new:
            own = {"space": space, "memory": memory, "model": model, "total": len(vectors)}
            each = ({**own, "number": number, "vector": _written(vector)} for number, vector in enumerate(vectors))
            self._rows.run_many(PUT, each)
            self._want_index(Wanted(space, model, vectors.shape[1]), searched)

    def drop(self, memory: Memory) -> None:
        self._rows.run("delete from pieces where memory = :memory", memory=memory.id)

    def note_current(self, memory: Memory, current: bool) -> None:
        """Nothing is kept beside the rows."""

    def nearest(self, vector: Matrix, model: int, filter: Filter, limit: int) -> Nearest:
        by_index = indexed(self._rows, [Wanted(space, model, len(vector)) for space in filter.spaces])
        found: dict[int, float] = {}
        whole = set(filter.spaces)
        for index in by_index:
            near, enough = self._by_index(index, vector, replace(filter, spaces=(index.space,)), limit)
            found |= near
            whole -= {index.space} if enough else set()
        if whole:
            found |= self._exact(vector, model, replace(filter, spaces=tuple(sorted(whole))), limit)
        best = sorted(found.items(), key=lambda each: (-each[1], -each[0]))
        return Nearest(dict(best[:limit]))

    def cosines(self, vector: Matrix, model: int, ids: Iterable[int]) -> dict[int, float]:
        values = {"model": model, "dimensions": len(vector), "vector": _written(vector), "ids": list(ids)}
        return dict(self._rows.all(OF_MEMORIES, **values))

    def of(self, ids: Iterable[int], model: int) -> dict[int, Matrix]:
        import numpy as np

        pieces: dict[int, list[bytes]] = {}
        for id, vector in self._rows.all(OF, ids=list(ids), model=model):
            pieces.setdefault(id, []).append(vector[HEADER_BYTES:])
        found = {id: np.frombuffer(b"".join(own), dtype=">f4").astype("<f4") for id, own in pieces.items()}
        return {id: vectors.reshape(len(pieces[id]), -1) for id, vectors in found.items()}

    def _exact(self, vector: Matrix, model: int, filter: Filter, limit: int) -> dict[int, float]:
        condition, values = where(filter)
        values |= {"model": model, "dimensions": len(vector), "vector": _written(vector), "limit": limit}
        return dict(self._rows.all(EXACT.format(where=condition), **values))

    def _by_index(self, index: Wanted, vector: Matrix, filter: Filter, limit: int) -> tuple[dict[int, float], bool]:
        """Those that the index finds, and whether it has found enough."""
        statement, values = by_index(index, vector, filter, limit)
        found = dict(self._rows.all(statement, **values))
        return found, len(found) == limit

    def _want_index(self, index: Wanted, searched: bool) -> None:
        if searched and index not in self.missing and is_large(self._rows, index.space):
            self.missing |= {index} - indexed(self._rows, [index])


def by_index(index: Wanted, vector: Matrix, filter: Filter, limit: int) -> tuple[str, dict[str, Any]]:
    """The statement that lets an index name the nearest."""
    condition, values = where(filter)
    space = "U&'" + "".join(f"\\+{ord(character):06x}" for character in index.space) + "'"  # nothing else is read in it
    text = BY_INDEX.format(where=condition, space=space, model=index.model, dimensions=index.dimensions)
    return text, {**values, "vector": _written(vector), "most": PIECES_EACH * limit, "limit": limit}


def _written(vector: Matrix) -> str:
    """As pgvector reads it; nine digits give back the same float32."""
    return f"[{','.join([f'{number:.9g}' for number in vector.tolist()])}]"
