"""The vectors of a space as codes: a short code tells which vectors may be near, a longer one how near they are.

A short code has a bit for each of 512 directions: on which side of it the vector lies. The share of the bits in which
the codes of two vectors differ is the angle between them, with an error that is known. A search compares all short
codes, and then reads the longer codes, a byte for each number of the vector, of those that may be among the nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.stores.sqlite.caches.vector_columns import FIRST_ROOM, VectorColumns
from scrubjay.types import Filter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrubjay.types.vectors import Matrix

    Array = NDArray[Any]

__all__ = ["NOTHING", "Codes", "VectorCodes", "nearest"]

NOTHING = -2.0  # below any cosine: no other piece is left

BITS = 512
WORDS = BITS // 64
LARGEST = 127  # of the numbers of a longer code
# Four standard deviations of the error of a score by longer codes, as a part of what one step of their numbers means.
DOUBTED_STEPS = 4 / sqrt(12)
# Of so many vectors or fewer, all longer codes are read.
FEW = 4_000
# Otherwise first those of so many vectors for each that is wanted, the nearest by their short codes. They tell how near
# a vector must be to matter.
FIRST_READ = 7
SAMPLED_EVERY = 8  # by every eighth vector it is estimated how near these are
# Then all whose short codes do not tell that they are further away, by so many standard deviations of their error.
DEVIATIONS = 2.0
MOST_READ = 20_000
# Of a smaller share of the vectors, it is quicker to copy their short codes than to compare all.
COPIED_SHARE = 1 / 2
# So many at a time: what is computed of them stays in the processor's own memory.
COMPARED_AT_ONCE = 32_768
READ_AT_ONCE = 512
TYPES = {"bits": "<u8", "numbers": "i1", "steps": "<f4"}


class Codes(NamedTuple):
    """The codes of all pieces, and the places of those that may pass a filter (None: all)."""

    pieces: Array
    bits: Array
    numbers: Array
    steps: Array
    directions: Matrix
    places: Array | None


class VectorCodes:
    """The codes of the vectors of one space that are searched, with the columns of their pieces."""

    def __init__(self, dimensions: int) -> None:
        import numpy as np

        self._directions = _directions(dimensions)
        self._columns = VectorColumns()
        self._bits: Array = np.zeros((WORDS, FIRST_ROOM), TYPES["bits"])
        self._numbers: Array = np.zeros((FIRST_ROOM, dimensions), TYPES["numbers"])
        self._steps: Array = np.zeros(FIRST_ROOM, TYPES["steps"])  # what 1 means in the numbers of each

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def dimensions(self) -> int:
        return len(self._directions)

    def add(self, vectors: Matrix, rows: Sequence[Sequence[Any]]) -> None:
        """Each row is a piece and what the columns select of it."""
        import numpy as np

        places = self._columns.add(rows)
        self._make_room()
        self._bits[:, places] = _short_codes(vectors, self._directions).T
        steps = np.abs(vectors).max(axis=1) / LARGEST
        steps[steps == 0] = 1
        self._numbers[places] = np.rint(vectors / steps[:, None])
        self._steps[places] = steps

    def remove(self, pieces: range) -> None:
        self._columns.remove(pieces)

    def that_may_pass(self, filter: Filter) -> Codes:
        """What stays as it is while pieces are added and removed."""
        size, places = len(self), self._columns.passing(filter)
        arrays = (self._bits[:, :size], self._numbers[:size], self._steps[:size])
        return Codes(self._columns.pieces, *arrays, self._directions, places)

    def to_parts(self) -> list[Any]:
        import numpy as np

        size = len(self)
        codes = (np.ascontiguousarray(self._bits[:, :size]), self._numbers[:size], self._steps[:size])
        return [self._directions, *codes, self._columns.to_bytes()]

    @classmethod
    def from_parts(cls, parts: Sequence[memoryview]) -> VectorCodes:
        """Raises one of several errors if they do not fit together."""
        import numpy as np

        codes = cls.__new__(cls)
        directions, bits, numbers, steps, columns = parts
        codes._columns = VectorColumns.from_bytes(bytes(columns))
        size = len(codes._columns)
        codes._directions = np.frombuffer(directions, "<f4").reshape(-1, BITS)
        codes._bits = np.frombuffer(bits, TYPES["bits"]).reshape(WORDS, size)
        codes._numbers = np.frombuffer(numbers, TYPES["numbers"]).reshape(size, len(codes._directions))
        codes._steps = np.frombuffer(steps, TYPES["steps"]).reshape(size)
        if not (np.isfinite(codes._directions).all() and np.isfinite(codes._steps).all() and (codes._steps > 0).all()):
            raise ValueError("numbers that no vector has")
        return codes

    def _make_room(self) -> None:
        """For as many as the columns have; what was read from a file cannot be written to."""
        import numpy as np

        room, size = len(self._steps), len(self)
        if size <= room and self._steps.flags.writeable:
            return
        larger = max(size, room + room // 4)
        bits, numbers, steps = self._bits, self._numbers, self._steps
        self._bits = np.zeros((WORDS, larger), bits.dtype)
        self._numbers = np.zeros((larger, numbers.shape[1]), numbers.dtype)
        self._steps = np.zeros(larger, steps.dtype)
        self._bits[:, :room], self._numbers[:room], self._steps[:room] = bits, numbers, steps


def nearest(codes: Codes, vector: Matrix, limit: int) -> tuple[list[float], list[int], float]:
    """Pieces and the most that each may score, the best first, and the most that any other piece may score."""
    import numpy as np

    count = len(codes.pieces) if codes.places is None else len(codes.places)
    places = np.arange(count) if codes.places is None else codes.places
    if count > FEW:
        places = _that_may_be_nearest(codes, vector, limit)
    scores = _scores(codes, vector, places) + DOUBTED_STEPS * codes.steps[places]
    best = np.argsort(-scores, kind="stable")[:limit]
    rest = float(scores[best[-1]]) if len(best) < count else NOTHING  # also of those that were not read
    return scores[best].tolist(), codes.pieces[places[best]].tolist(), rest


def _that_may_be_nearest(codes: Codes, vector: Matrix, limit: int) -> Array:
    """The places of so many vectors, and of all that may be among the nearest half of these, by their short codes."""
    import numpy as np

    distances = _distances(codes, vector)
    sample = distances[::SAMPLED_EVERY]
    wanted = min(FIRST_READ * limit // SAMPLED_EVERY, len(sample) - 1)
    near = distances <= np.partition(sample, wanted)[wanted]
    scores = _scores(codes, vector, _places(codes, near))
    half = limit // 2 + 1
    least = float(np.partition(scores, -half)[-half]) if len(scores) >= limit else -1.0
    near |= distances <= _greatest_distance(least)
    found = np.flatnonzero(near)
    if len(found) > MOST_READ:
        found = found[np.argpartition(distances[found], MOST_READ)[:MOST_READ]]
    return found if codes.places is None else codes.places[found]


def _places(codes: Codes, mask: Array) -> Array:
    import numpy as np

    return np.flatnonzero(mask) if codes.places is None else codes.places[mask]


def _greatest_distance(cosine: float) -> float:
    """In how many bits the short codes may differ of two vectors that are so near to each other."""
    share = acos(min(max(cosine, -1.0), 1.0)) / pi
    return BITS * share + DEVIATIONS * sqrt(BITS * share * (1 - share))


def _distances(codes: Codes, vector: Matrix) -> Array:
    """In how many bits the short code of each that may pass differs from the vector's."""
    (asked,) = _short_codes(vector.reshape(1, -1), codes.directions)
    if codes.places is None:
        return _differing_bits(codes.bits, asked)
    if len(codes.places) < len(codes.pieces) * COPIED_SHARE:
        return _differing_bits(codes.bits[:, codes.places], asked)
    return _differing_bits(codes.bits, asked)[codes.places]


def _differing_bits(bits: Array, asked: Array) -> Array:
    import numpy as np

    distances = np.empty(bits.shape[1], np.uint16)
    for start in range(0, len(distances), COMPARED_AT_ONCE):
        some = slice(start, start + COMPARED_AT_ONCE)
        np.bitwise_count(bits[:, some] ^ asked[:, None]).sum(axis=0, dtype=np.uint16, out=distances[some])
    return distances


def _scores(codes: Codes, vector: Matrix, places: Array) -> Array:
    """Cosines by the longer codes."""
    import numpy as np

    scores = np.empty(len(places), np.float32)
    for start in range(0, len(places), READ_AT_ONCE):
        some = slice(start, start + READ_AT_ONCE)
        np.dot(codes.numbers[places[some]].astype(np.float32), vector, out=scores[some])
    return scores * codes.steps[places]


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
