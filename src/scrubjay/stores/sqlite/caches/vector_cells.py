"""The vectors of a space in cells of like vectors: a search reads the cells nearest to its question, not all of them.

A cell is an index of turbovec around a centre, with the columns of its pieces beside it. A space of few vectors is one
cell, all of which is read; of a large one, what lies far from the question is not read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.stores.sqlite.caches.vector_columns import VectorColumns
from scrubjay.types import Filter

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["NOTHING", "SAMPLED", "Reading", "VectorCells", "best_of", "cells_for"]

NOTHING = -2.0  # below any cosine: no other piece is left

BITS = 4
CELLS_FROM = 300_000  # vectors: fewer are all read quickly enough
CELL = 2_000  # vectors
MOST_CELLS = 500
SAMPLED = 100  # vectors for each cell, by which the centres are found
ROUNDS = 8  # of finding them
# How many vectors that pass a filter are read: so many times the root of the number that pass.
READ_ROOTS = 450
# Where more than this share passes a filter, it is quicker to ask for more and drop some than to name all that pass.
OVERFETCHED_SHARE = 1 / 3


class _Cell(NamedTuple):
    index: Any
    columns: VectorColumns


class Reading(NamedTuple):
    """The cells to read, each with the pieces in it that may pass (None: all), and whether these are all cells."""

    cells: Sequence[tuple[Any, Any]]
    every: bool


def cells_for(vectors: int) -> int:
    """Into how many cells so many vectors are put."""
    return 1 if vectors < CELLS_FROM else min(vectors // CELL, MOST_CELLS)


class VectorCells:
    """The vectors of one space that are searched, by the numbers of their pieces."""

    def __init__(self, centres: Matrix, cells: Sequence[_Cell], made_for: int) -> None:
        self._centres = centres  # a row for each cell
        self._cells = cells
        self._made_for = made_for  # vectors

    @classmethod
    def around(cls, sample: Matrix, expected: int) -> VectorCells:
        """Empty cells for so many vectors, of which these are a sample."""
        centres = _centres(sample, cells_for(expected))
        return cls(centres, [_empty_cell(sample.shape[1]) for _ in centres], expected)

    def __len__(self) -> int:
        return sum(len(cell.index) for cell in self._cells)

    @property
    def are_outgrown(self) -> bool:
        """Whether so many have come that there should be twice as many cells, or more."""
        return cells_for(len(self)) >= 2 * max(cells_for(self._made_for), len(self._cells))

    def add(self, vectors: Matrix, rows: Sequence[Sequence[Any]]) -> None:
        """Each row is a piece and what the columns select of it."""
        import numpy as np

        numbers = (vectors @ self._centres.T).argmax(axis=1)
        for number in np.unique(numbers).tolist():
            own = np.flatnonzero(numbers == number)
            kept = [rows[place] for place in own.tolist()]
            self._cells[number].columns.add(kept)
            self._cells[number].index.add_with_ids(vectors[own], np.array([row[0] for row in kept], dtype=np.uint64))

    def remove(self, pieces: range) -> None:
        for piece in pieces:
            for cell in self._cells:
                if cell.index.remove(piece):
                    cell.columns.remove([piece])

    def to_read(self, vector: Matrix, filter: Filter) -> Reading:
        """The nearest cells that hold enough pieces that may pass."""
        import numpy as np

        chosen: list[tuple[Any, Any]] = []
        read, passing, whole = 0, 0, len(self)
        for number in np.argsort(-(self._centres @ vector), kind="stable").tolist():
            if read * passing >= READ_ROOTS**2 * whole > 0:  # if as large a share passes in the cells that are left
                return Reading(chosen, every=False)
            cell = self._cells[number]
            allowed = cell.columns.passing(filter)
            read += len(cell.index)
            passing += len(cell.index) if allowed is None else len(allowed)
            chosen.append((cell.index, allowed))
        return Reading(chosen, every=True)

    def to_bytes(self) -> bytes:
        parts = [part for cell in self._cells for part in (cell.index.to_bytes(), cell.columns.to_bytes())]
        rows, dimensions = self._centres.shape
        header = {"cells": rows, "dimensions": dimensions, "made_for": self._made_for, "lengths": list(map(len, parts))}
        return b"".join([json.dumps(header).encode(), b"\n", self._centres.astype("<f4").tobytes(), *parts])

    @classmethod
    def from_bytes(cls, saved: bytes) -> VectorCells:
        import numpy as np
        from turbovec import IdMapIndex

        start = saved.index(b"\n") + 1
        read = json.loads(saved[:start])
        shape = (read["cells"], read["dimensions"])
        centres = np.frombuffer(saved, "<f4", shape[0] * shape[1], start).reshape(shape)
        start, parts = start + centres.nbytes, list[bytes]()
        for length in read["lengths"]:
            parts.append(saved[start : start + length])
            start += length
        pairs = zip(parts[::2], parts[1::2], strict=True)
        cells = [_Cell(IdMapIndex.from_bytes(index), VectorColumns.from_bytes(columns)) for index, columns in pairs]
        return cls(centres, cells, read["made_for"])


def best_of(reading: Reading, vector: Matrix, limit: int) -> tuple[list[float], list[int], float]:
    """Scores and pieces, the best first, and the most that any other piece may score that may pass."""
    found, rest = list[tuple[float, int]](), NOTHING
    for index, allowed in reading.cells:
        scores, ids, own_rest = _best_of_cell(index, allowed, vector, limit)
        found += zip(scores, ids, strict=True)
        rest = max(rest, own_rest)
    found.sort(reverse=True)
    kept = found[:limit]
    if len(found) > limit or (kept and not reading.every):
        rest = max(rest, kept[-1][0])
    return [score for score, _ in kept], [id for _, id in kept], rest


def _best_of_cell(index: Any, allowed: Any, vector: Matrix, limit: int) -> tuple[list[float], list[int], float]:
    size = len(index)  # once: another thread may be following changes meanwhile
    passing = size if allowed is None else len(allowed)
    if not passing or not size:
        return [], [], NOTHING
    if allowed is not None and passing > size * OVERFETCHED_SHARE:
        allowed, limit = None, -(-limit * size // passing)  # so many that as many pass
    given = {} if allowed is None else {"allowlist": allowed}
    scores, ids = index.search(vector.reshape(1, -1), min(limit, size), **given)
    rest = NOTHING if limit >= passing or not ids.size else float(scores[0, -1])
    return scores[0].tolist(), ids[0].tolist(), rest


def _empty_cell(dimensions: int) -> _Cell:
    from turbovec import IdMapIndex

    return _Cell(IdMapIndex(dim=dimensions, bit_width=BITS), VectorColumns())


def _centres(sample: Matrix, count: int) -> Matrix:
    """The centres of so many groups of like vectors (k-means); fewer where the sample has fewer vectors."""
    import numpy as np

    random = np.random.default_rng(0)
    centres: Matrix = sample[np.sort(random.permutation(len(sample))[:count])]
    for _ in range(ROUNDS if count > 1 else 0):
        nearest = (sample @ centres.T).argmax(axis=1)
        sums = [sample[nearest == number].sum(axis=0) for number in range(len(centres))]
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(lengths > 0, sums / np.maximum(lengths, 1e-12), centres).astype(np.float32)
    return centres
