"""Columns beside the vectors: what filters ask of the memory of each piece, as arrays, so that a filter is a few masks.

They only propose, as the vectors of the cache do: whatever may pass is let through here, and the row decides. Texts are
numbers into a list of the values that occur.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scrubjay.stores.sqlite.caches.saved_files import first_line
from scrubjay.types import Filter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["SELECTED", "BetweenOthers", "VectorColumns"]

NAMED = ("kind", "subject", "project", "session", "speaker", "tags")  # texts
MEASURED = {"seconds": "<i8", "importance": "<i8", "confidence": "<f8"}
TYPES = {"piece": "<i8", **dict.fromkeys(NAMED, "<i4"), **MEASURED, "is_there": "?"}
UNREADABLE = 2**62  # a time that is none: it may pass any filter
# The row of a piece, after its id and its vector. What another program has put there may be of any type.
SELECTED = ", ".join(
    (
        *(f"case when typeof(m.{name}) = 'text' then m.{name} end" for name in NAMED),
        f"coalesce(cast(strftime('%s', m.happened_at) as integer), {UNREADABLE})",
        f"case when typeof(m.importance) = 'integer' then m.importance else {UNREADABLE} end",
        f"case when typeof(m.confidence) in ('real', 'integer') then m.confidence else {UNREADABLE} end",
    )
)
FIRST_ROOM = 1_024


class BetweenOthers(ValueError):
    """A piece belongs between two others: its memory was not searched when these columns were made."""


class VectorColumns:
    """The columns of the pieces of one space, in the order of the pieces' ids."""

    def __init__(self) -> None:
        import numpy as np

        self._size = 0
        self._arrays: dict[str, Array] = {name: np.zeros(FIRST_ROOM, dtype) for name, dtype in TYPES.items()}
        self._numbers: dict[str, dict[str | None, int]] = {name: {} for name in NAMED}
        self._tagged: dict[str, list[int]] = {}  # by tag, the numbers of the lists of tags that have it
        self._tags_read = 0  # of how many lists of tags that is known

    def __len__(self) -> int:
        """How many there are, with those that were removed."""
        return self._size

    @property
    def pieces(self) -> Array:
        return self._column("piece")

    def add(self, rows: Sequence[Sequence[Any]]) -> Array:
        """Each row is a piece and what `SELECTED` gives. Returns their places, in order.

        Raises BetweenOthers.
        """
        import numpy as np

        values = list(zip(*rows, strict=True))
        pieces = np.array(values[0], dtype=np.int64)
        if self._size and pieces[0] <= self._arrays["piece"][self._size - 1]:
            return np.array([self._put_again(row) for row in rows])
        self._make_room(len(rows))
        new = slice(self._size, self._size + len(rows))
        self._arrays["piece"][new] = pieces
        for name, column in zip((*NAMED, *MEASURED), values[1:], strict=True):
            self._arrays[name][new] = [self._number(name, value) for value in column] if name in NAMED else column
        self._arrays["is_there"][new] = True
        self._size += len(rows)
        return np.arange(new.start, new.stop)

    def remove(self, pieces: Iterable[int]) -> None:
        for piece in pieces:
            place = self._place(piece)
            if place is not None:
                self._arrays["is_there"][place] = False

    def passing(self, filter: Filter) -> Array | None:
        """The places of the pieces that may pass a filter; None for all."""
        import numpy as np

        passes = self._column("is_there").copy()
        for mask in (*self._named(filter), *self._measured(filter)):
            passes &= mask
        return None if passes.all() else np.flatnonzero(passes)

    def to_bytes(self) -> bytes:
        values = {name: list(numbers) for name, numbers in self._numbers.items()}
        header = json.dumps({"size": self._size, "values": values}).encode()
        return header + b"\n" + b"".join(self._column(name).tobytes() for name in TYPES)

    @classmethod
    def from_bytes(cls, saved: memoryview) -> VectorColumns:
        """Raises one of several errors if it does not fit together."""
        import numpy as np

        header = first_line(saved)
        read, body, start, columns = json.loads(header), saved[len(header) :], 0, cls()
        columns._size = size = read["size"]
        for name in NAMED:
            columns._numbers[name] = {value: number for number, value in enumerate(read["values"][name])}
        for name, dtype in TYPES.items():
            columns._arrays[name] = np.frombuffer(body, dtype, size, start).copy()
            start += columns._arrays[name].nbytes
        columns._refuse_unfit()
        return columns

    def _refuse_unfit(self) -> None:
        """Raise ValueError for what `add` does not write."""
        import numpy as np

        for name, numbers in self._numbers.items():
            own = self._column(name)
            if not all(isinstance(value, str | None) for value in numbers):
                raise ValueError("a value that is no text")
            if self._size and not 0 <= own.min() <= own.max() < len(numbers):
                raise ValueError("a number of no value")
        if not (np.diff(self.pieces) > 0).all():
            raise ValueError("pieces that are not in order")
        self._read_tags()

    def _column(self, name: str) -> Array:
        return self._arrays[name][: self._size]

    def _number(self, name: str, value: str | None) -> int:
        numbers = self._numbers[name]
        return numbers.setdefault(value, len(numbers))

    def _place(self, piece: int) -> int | None:
        pieces = self._column("piece")
        place = int(pieces.searchsorted(piece))
        return place if place < len(pieces) and pieces[place] == piece else None

    def _put_again(self, row: Sequence[Any]) -> int:
        """The place of a piece that was there before: its memory was changed, or is current again."""
        place = self._place(row[0])
        if place is None:
            raise BetweenOthers(row[0])
        for name, value in zip((*NAMED, *MEASURED), row[1:], strict=True):
            self._arrays[name][place] = self._number(name, value) if name in NAMED else value
        self._arrays["is_there"][place] = True
        return place

    def _make_room(self, more: int) -> None:
        import numpy as np

        room = len(self._arrays["piece"])
        if self._size + more > room:
            larger = max(2 * room, self._size + more)
            for name, array in self._arrays.items():
                self._arrays[name] = np.concatenate([array, np.zeros(larger - room, array.dtype)])

    def _named(self, filter: Filter) -> Iterable[Array]:
        for name in ("subject", "project", "session", "speaker"):
            if (wanted := getattr(filter, name)) is not None:
                yield self._column(name) == self._numbers[name].get(wanted, -1)
        if filter.kinds:
            numbers = self._numbers["kind"]
            yield self._one_of("kind", [numbers[kind] for kind in filter.kinds if kind in numbers])
        if filter.tags:
            self._read_tags()
            yield self._one_of("tags", [number for tag in filter.tags for number in self._tagged.get(tag, ())])

    def _measured(self, filter: Filter) -> Iterable[Array]:
        seconds = self._column("seconds")
        if filter.since is not None:
            yield seconds >= int(filter.since.timestamp() // 1)
        if filter.until is not None:
            yield (seconds <= int(filter.until.timestamp() // 1)) | (seconds == UNREADABLE)
        if filter.min_importance is not None:
            yield self._column("importance") >= filter.min_importance
        if filter.min_confidence is not None:
            yield self._column("confidence") >= filter.min_confidence

    def _one_of(self, name: str, numbers: Sequence[int]) -> Array:
        import numpy as np

        wanted = np.zeros(len(self._numbers[name]), dtype=bool)
        wanted[numbers] = True
        mask: Array = wanted[self._column(name)]
        return mask

    def _read_tags(self) -> None:
        """Learn which lists of tags have which tag."""
        lists = list(self._numbers["tags"])
        for number, text in enumerate(lists[self._tags_read :], self._tags_read):
            for tag in {tag for tag in json.loads(text or "[]") if isinstance(tag, str)}:
                self._tagged.setdefault(tag, []).append(number)
        self._tags_read = len(lists)
