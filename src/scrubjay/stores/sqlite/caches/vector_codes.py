"""The vectors of a space as codes: a short code tells which vectors may be near, a longer one how near they are.

A short code has a bit for each of 384 directions: on which side of it the vector lies. The share of the bits in which
the codes of two vectors differ is the angle between them, with an error that is known. A search compares all short
codes, and then reads the longer codes, a byte for each number of the vector, of those that may be among the nearest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import acos, pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.stores.sqlite.caches.vector_columns import VectorColumns
from scrubjay.types import Filter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrubjay.types.vectors import Matrix

    Array = NDArray[Any]

__all__ = ["NOTHING", "Codes", "VectorCodes", "nearest"]

NOTHING = -2.0  # below any cosine: no other piece is left

BITS = 384
WORDS = BITS // 64
LARGEST = 127  # of the numbers of a longer code
# Four standard deviations of the error of a score by longer codes, as a part of what one step of their numbers means.
DOUBTED_STEPS = 4 / sqrt(12)
# Of so many vectors or fewer, all longer codes are read.
FEW = 4_000
# Otherwise first those of so many vectors for each that is wanted, the nearest by their short codes. They tell how near
# a vector must be to matter.
FIRST_READ = 7
SAMPLED = 12_000  # by about so many vectors it is estimated how near these are
# Then all whose short codes do not tell that they are further away, by so many standard deviations of their error.
DEVIATIONS = 2.0
MOST_READ = 20_000
# Of a smaller share of the vectors, it is quicker to copy their short codes than to compare all.
COPIED_SHARE = 1 / 2
# The codes lie in blocks of so many vectors: to add one copies no others.
BLOCK = 32_768


class Block(NamedTuple):
    """The codes of some vectors; where they were read from a file, without room for more."""

    bits: Array  # a column for each vector, and a row for each 64 bits
    numbers: Array
    steps: Array  # what 1 means in the numbers of each

    @classmethod
    def empty(cls, dimensions: int) -> Block:
        import numpy as np

        return cls(np.zeros((WORDS, BLOCK), "<u8"), np.zeros((BLOCK, dimensions), "i1"), np.zeros(BLOCK, "<f4"))

    @classmethod
    def from_parts(cls, size: int, dimensions: int, bits: memoryview, numbers: memoryview, steps: memoryview) -> Block:
        """Raises ValueError if they do not fit together."""
        import numpy as np

        block = cls(
            np.frombuffer(bits, "<u8").reshape(WORDS, size),
            np.frombuffer(numbers, "i1").reshape(size, dimensions),
            np.frombuffer(steps, "<f4").reshape(size),
        )
        if not (np.isfinite(block.steps).all() and (block.steps > 0).all()):
            raise ValueError("steps that no vector has")
        return block

    def first(self, size: int) -> Block:
        """The codes of so many, each array as it can be saved."""
        import numpy as np

        return Block(np.ascontiguousarray(self.bits[:, :size]), self.numbers[:size], self.steps[:size])

    def with_room(self) -> Block:
        size, (_, dimensions) = len(self.steps), self.numbers.shape
        block = Block.empty(dimensions)
        block.bits[:, :size], block.numbers[:size], block.steps[:size] = self
        return block


class Codes(NamedTuple):
    """The codes of all pieces, and the places of those that may pass a filter (None: all), in order."""

    pieces: Array
    blocks: Sequence[Block]
    directions: Matrix
    places: Array | None


class VectorCodes:
    """The codes of the vectors of one space that are searched, with the columns of their pieces."""

    def __init__(self, dimensions: int) -> None:
        self._directions = _directions(dimensions)
        self._columns = VectorColumns()
        self._blocks: list[Block] = []

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def dimensions(self) -> int:
        return len(self._directions)

    def add(self, vectors: Matrix, rows: Sequence[Sequence[Any]]) -> None:
        """Each row is a piece and what the columns select of it."""
        import numpy as np

        places = self._columns.add(rows)
        bits = _short_codes(vectors, self._directions).T
        steps = np.abs(vectors).max(axis=1) / LARGEST
        steps[steps == 0] = 1
        numbers = np.rint(vectors / steps[:, None])
        for start in range(places[0] // BLOCK * BLOCK, places[-1] + 1, BLOCK):
            some = (places >= start) & (places < start + BLOCK)
            block, local = self._writable(start // BLOCK), places[some] - start
            block.bits[:, local], block.numbers[local], block.steps[local] = bits[:, some], numbers[some], steps[some]

    def remove(self, pieces: range) -> None:
        self._columns.remove(pieces)

    def that_may_pass(self, filter: Filter) -> Codes:
        """What stays as it is while pieces are added and removed."""
        return Codes(self._columns.pieces, tuple(self._blocks), self._directions, self._columns.passing(filter))

    def to_parts(self) -> list[Any]:
        parts = [self._directions, self._columns.to_bytes()]
        for block, size in zip(self._blocks, _sizes(len(self)), strict=True):
            parts += block.first(size)
        return parts

    @classmethod
    def from_parts(cls, parts: Sequence[memoryview]) -> VectorCodes:
        """Raises one of several errors if they do not fit together."""
        import numpy as np

        codes = cls.__new__(cls)
        directions, columns, *blocks = parts
        codes._directions = np.frombuffer(directions, "<f4").reshape(-1, BITS)
        codes._columns = VectorColumns.from_bytes(columns)
        codes._blocks = [
            Block.from_parts(size, codes.dimensions, *blocks[3 * number : 3 * number + 3])
            for number, size in enumerate(_sizes(len(codes)))
        ]
        if len(blocks) != 3 * len(codes._blocks) or not np.isfinite(codes._directions).all():
            raise ValueError("parts that do not fit together")
        return codes

    def _writable(self, number: int) -> Block:
        """A block with room; searches that read it as it was go on with that."""
        if number == len(self._blocks):
            self._blocks.append(Block.empty(self.dimensions))
        elif not self._blocks[number].steps.flags.writeable:
            self._blocks[number] = self._blocks[number].with_room()
        return self._blocks[number]


def _sizes(size: int) -> list[int]:
    """How many vectors are in each block."""
    return [min(BLOCK, size - start) for start in range(0, size, BLOCK)]


def nearest(codes: Codes, vector: Matrix, limit: int) -> tuple[list[float], list[int], float]:
    """Pieces and the most that each may score, the best first, and the most that any other piece may score."""
    import numpy as np

    count = len(codes.pieces) if codes.places is None else len(codes.places)
    if count <= FEW:
        places, scores = codes.places, _scores(codes, vector, codes.places)
    else:
        places, scores = _that_may_be_nearest(codes, vector, limit)
    best = np.argsort(-scores, kind="stable")[:limit]
    rest = float(scores[best[-1]]) if len(best) < count else NOTHING  # also of those that were not read
    return scores[best].tolist(), codes.pieces[best if places is None else places[best]].tolist(), rest


def _that_may_be_nearest(codes: Codes, vector: Matrix, limit: int) -> tuple[Array, Array]:
    """So many vectors, and all that may be among the nearest half of these, by their short codes: places and scores."""
    import numpy as np

    distances = _distances(codes, vector)
    every = max(len(distances) // SAMPLED, 1)
    sample = distances[::every]
    wanted = min(FIRST_READ * limit // every, len(sample) - 1)
    near = np.partition(sample, wanted)[wanted]
    first = np.flatnonzero(distances <= near)
    scores = _scores(codes, vector, _places(codes, first))
    half = limit // 2 + 1
    least = float(np.partition(scores, -half)[-half]) if len(scores) >= limit else -1.0
    others = np.flatnonzero(distances <= _greatest_distance(least))
    others = others[distances[others] > near]
    if len(others) > MOST_READ:
        others = np.sort(others[np.argpartition(distances[others], MOST_READ)[:MOST_READ]])
    more = _scores(codes, vector, _places(codes, others))
    return _places(codes, np.concatenate([first, others])), np.concatenate([scores, more])


def _places(codes: Codes, among: Array) -> Array:
    """The places of these among those that may pass."""
    return among if codes.places is None else codes.places[among]


def _greatest_distance(cosine: float) -> float:
    """In how many bits the short codes may differ of two vectors that are so near to each other."""
    share = acos(min(max(cosine, -1.0), 1.0)) / pi
    return BITS * share + DEVIATIONS * sqrt(BITS * share * (1 - share))


def _distances(codes: Codes, vector: Matrix) -> Array:
    """In how many bits the short code of each that may pass differs from the vector's."""
    import numpy as np

    (asked,) = _short_codes(vector.reshape(1, -1), codes.directions)
    every = codes.places is None or len(codes.places) >= len(codes.pieces) * COPIED_SHARE
    places = None if every else codes.places
    distances = np.empty(len(codes.pieces) if places is None else len(places), np.uint16)
    for block, local, some in _in_blocks(codes, places):
        differing = np.bitwise_count(block.bits[:, local] ^ asked[:, None])
        differing.sum(axis=0, dtype=np.uint16, out=distances[some])
    return distances[codes.places] if every and codes.places is not None else distances


def _scores(codes: Codes, vector: Matrix, places: Array | None) -> Array:
    """The most that the cosines of these may be, or of all, by their longer codes."""
    import numpy as np

    scores = np.empty(len(codes.pieces) if places is None else len(places), np.float32)
    for block, local, some in _in_blocks(codes, places):
        products = block.numbers[local].astype(np.float32) @ vector
        scores[some] = (products + DOUBTED_STEPS) * block.steps[local]
    return scores


def _in_blocks(codes: Codes, places: Array | None) -> Iterator[tuple[Block, Any, slice]]:
    """Each block that has any of the places, or every block; where they are in it, and where among all of them."""
    sizes = _sizes(len(codes.pieces))
    if places is None:
        for number, size in enumerate(sizes):
            yield codes.blocks[number], slice(size), slice(number * BLOCK, number * BLOCK + size)
        return
    bounds = places.searchsorted([number * BLOCK for number in range(len(sizes) + 1)]).tolist()
    for number, (first, last) in enumerate(pairwise(bounds)):
        if first < last:
            yield codes.blocks[number], places[first:last] - number * BLOCK, slice(first, last)


def _short_codes(vectors: Matrix, directions: Matrix) -> Array:
    import numpy as np

    return np.packbits(vectors @ directions > 0, axis=1).view("<u8")


def _directions(dimensions: int) -> Matrix:
    """Random directions at right angles to each other, as far as there are so many: such codes err least."""
    import numpy as np

    random = np.random.default_rng(0)
    most = min(dimensions, BITS)
    turned = [np.linalg.qr(random.standard_normal((dimensions, most)))[0] for _ in range(-(-BITS // most))]
    return np.ascontiguousarray(np.concatenate(turned, axis=1)[:, :BITS], dtype=np.float32)
