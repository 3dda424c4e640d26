"""Which of some memories hold which stems, and how often, as arrays: what an index of words is, without the words.

A stem is the number that is stored with the memory. Memories are rows here, in the order of their ids.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scrubjay.stores.evidence.word_counts import numbers_of
from scrubjay.stores.sqlite.caches.saved_files import first_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["LENGTH_SHARE", "SATURATION", "Postings", "places_in"]

SATURATION, LENGTH_SHARE = 1.2, 0.75  # of BM25
MOST_COUNTED = 255  # occurrences of a stem in one memory
# In this order, after a header of a multiple of 8 bytes, each array begins at a multiple of the size of its numbers.
TYPES = {
    **dict.fromkeys(("ids", "starts", "replaced"), "<i8"),
    "lengths": "<f4",
    **dict.fromkeys(("stems", "rows"), "<u4"),
    "counts": "u1",
}
ALIGNED_BYTES = 8


class Postings:
    """For each stem, the rows that hold it, in order, and how often each does."""

    def __init__(self, **arrays: Array) -> None:
        self._arrays = arrays
        self.ids, self.lengths = arrays["ids"], arrays["lengths"]  # of the memories; how many words each has
        self._stems, self._starts = arrays["stems"], arrays["starts"]
        self._rows, self._counts = arrays["rows"], arrays["counts"]
        self.replaced = arrays["replaced"]  # the rows of memories that were changed or deleted since
        self.current = len(self.ids) - len(self.replaced)  # of the others: how many, and how many words they have
        self.current_words = int(self.lengths.sum(dtype="f8") - self.lengths[self.replaced].sum(dtype="f8"))
        self._damping: tuple[float, Array] | None = None  # as it was last asked for, and with which average length

    def __len__(self) -> int:
        return len(self.ids)

    def current_of(self, rows: Array) -> int:
        """How many of these rows, which are in order, were not replaced."""
        if not len(self.replaced):
            return len(rows)
        fewer, more = sorted((rows, self.replaced), key=len)
        return len(rows) - int(places_in(more, fewer)[1].sum())

    @classmethod
    def of(cls, memories: Sequence[tuple[int, bytes]]) -> Postings:
        """Memories in the order of their ids, each with the numbers of its stems."""
        import numpy as np

        numbers, lengths = numbers_of([stems for _, stems in memories])
        rows = np.repeat(np.arange(len(memories), dtype=np.uint64), lengths)
        keys, counts = np.unique(numbers.astype(np.uint64) << np.uint64(32) | rows, return_counts=True)
        ids = np.array([id for id, _ in memories], dtype="<i8")
        return cls._sorted(ids, np.array(lengths, dtype="<f4"), keys, np.minimum(counts, MOST_COUNTED))

    @classmethod
    def _sorted(cls, ids: Array, lengths: Array, keys: Array, counts: Array) -> Postings:
        """From sorted keys, of which each is a stem and a row."""
        import numpy as np

        stems = (keys >> np.uint64(32)).astype("<u4")
        firsts = np.flatnonzero(np.diff(stems, prepend=stems[:1] + np.uint32(1)))
        starts = np.append(firsts, len(stems)).astype("<i8")
        rows = keys.astype("<u4")  # its lower half
        stems, counts, none = stems[firsts], counts.astype("u1"), np.zeros(0, dtype="<i8")
        return cls(ids=ids, lengths=lengths, stems=stems, starts=starts, rows=rows, counts=counts, replaced=none)

    def holders(self, stem: int) -> tuple[Array, Array]:
        """The rows that hold a stem, and how often."""
        place = int(self._stems.searchsorted(self._stems.dtype.type(stem)))  # of another type, all stems are converted
        if place == len(self._stems) or self._stems[place] != stem:
            return self._rows[:0], self._counts[:0]
        part = slice(self._starts[place], self._starts[place + 1])
        return self._rows[part], self._counts[part]

    def of_all(self, stems: Sequence[int]) -> tuple[Array, Array]:
        """The rows that hold every one of some stems; each is counted once."""
        import numpy as np

        rows, *others = sorted((self.holders(stem)[0] for stem in stems), key=len)
        for commoner in others:
            rows = rows[places_in(commoner, rows)[1]]
        return rows, np.ones(len(rows), dtype="u1")

    def damping(self, average_length: float) -> Array:
        """What BM25 adds to the occurrences of a word in each memory, before it divides by them."""
        known = self._damping
        if known is None or known[0] != average_length:
            relative_lengths = self.lengths / average_length
            known = average_length, SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative_lengths)
            self._damping = known
        return known[1]

    def rows_of(self, ids: Array) -> Array:
        """The rows of those of the ids that are here."""
        places, there = places_in(self.ids, ids)
        rows: Array = places[there]
        return rows

    def without(self, ids: Array) -> Postings:
        """The same, but these memories are not found by these postings."""
        import numpy as np

        rows = self.rows_of(ids)
        return Postings(**{**self._arrays, "replaced": np.union1d(self.replaced, rows)}) if len(rows) else self

    def with_newer(self, newer: Postings) -> Postings:
        """These and newer ones; a memory that is in both is as in the newer."""
        import numpy as np

        kept = np.ones(len(self), dtype=bool)
        kept[self.rows_of(newer.ids)] = kept[self.replaced] = False
        ids = np.concatenate([self.ids[kept], newer.ids])
        order = ids.argsort()
        places = np.empty(len(order), dtype=np.uint64)
        places[order] = np.arange(len(order), dtype=np.uint64)
        old_places = np.zeros(len(self), dtype=np.uint64)
        old_places[kept] = places[: kept.sum()]
        of_kept = kept[self._rows]
        keys = np.concatenate([self._keys(old_places)[of_kept], newer._keys(places[kept.sum() :])])
        counts = np.concatenate([self._counts[of_kept], newer._counts])
        by_key = keys.argsort()
        lengths = np.concatenate([self.lengths[kept], newer.lengths])
        return Postings._sorted(ids[order], lengths[order], keys[by_key], counts[by_key])

    def _keys(self, places: Array) -> Array:
        import numpy as np

        stems = np.repeat(self._stems.astype(np.uint64), np.diff(self._starts))
        keys: Array = stems << np.uint64(32) | places[self._rows]
        return keys

    def to_bytes(self) -> bytes:
        header = json.dumps({name: len(self._arrays[name]) for name in TYPES}).encode()
        header += b" " * (-(len(header) + 1) % ALIGNED_BYTES) + b"\n"
        return header + b"".join(self._arrays[name].astype(dtype).tobytes() for name, dtype in TYPES.items())

    @classmethod
    def from_bytes(cls, saved: memoryview) -> Postings:
        """Raises one of several errors if it does not fit together."""
        import numpy as np

        header = first_line(saved)
        sizes, start, arrays = json.loads(header), len(header), {}
        for name, dtype in TYPES.items():
            arrays[name] = np.frombuffer(saved, dtype, sizes[name], start)
            start += arrays[name].nbytes
        postings = cls(**arrays)
        postings._refuse_unfit()
        return postings

    def _refuse_unfit(self) -> None:
        """Raise ValueError for what `of` does not make."""
        import numpy as np

        of_each = len(self._starts) == len(self._stems) + 1 and len(self.lengths) == len(self.ids)
        in_order = all((np.diff(array.astype(np.int64)) > 0).all() for array in (self.ids, self._stems, self._starts))
        if not (of_each and in_order and len(self._rows) == len(self._counts)):
            raise ValueError("arrays that do not fit together")
        if self._starts[0] != 0 or self._starts[-1] != len(self._rows):
            raise ValueError("stems of other rows")
        if len(self._rows) and (self._rows.max() >= len(self.ids) or self._counts.min() == 0):
            raise ValueError("rows of no memory")
        if len(self.replaced) and not 0 <= self.replaced.min() <= self.replaced.max() < len(self.ids):
            raise ValueError("other rows are replaced")
        if not (np.isfinite(self.lengths) & (self.lengths >= 0)).all():
            raise ValueError("lengths that are none")


def places_in(ordered: Array, wanted: Array) -> tuple[Array, Array]:
    """Where each of the wanted would be in an ordered array, and whether it is there."""
    import numpy as np

    places = np.minimum(ordered.searchsorted(wanted), max(len(ordered) - 1, 0))
    there = ordered[places] == wanted if len(ordered) else np.zeros(len(wanted), dtype=bool)
    return places, there
