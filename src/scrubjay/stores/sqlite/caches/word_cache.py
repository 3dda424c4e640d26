"""The word cache: which memories of a large space hold which stems, kept up to date with the file by its log of events.

FTS5 takes a microsecond for each occurrence that it ranks, and in a large space the words of a question occur a hundred
thousand times; here they are ranked as arrays. The file is the truth. This cache only proposes, so it may be lost, old
or damaged at any time.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from scrubjay.stores.sqlite.caches.postings import Postings, places_in
from scrubjay.stores.sqlite.caches.saved_files import SavedFiles

if TYPE_CHECKING:
    from scrubjay.stores.sqlite.caches.postings import Array

__all__ = ["FIRST_EVENT", "WordCache"]

# Occurrences that are read of a question's rarest words; where commoner ones occur, is looked up for the best of these.
READ = 200_000
SMALLEST = 1e-9  # of sums: whoever holds any of the words has more
PART = 100_000  # memories that are put into order at once, when the cache is built
MERGED_SHARE = 4  # a part that is not so many times as large as the next one is merged with it
SAVE_FROM, SAVE_SHARE, SAVE_LATEST = 256, 10, 10_000  # changes: at least, a tenth of the memories, at most
KEPT_EVENTS = 1_000  # as many may have been followed since the oldest snapshot that is still read
MAGIC = b"scrubjay words 3"

# Of a damaged file, numbers may be of any type.
EVENT = "seq, cast(token as integer)"
RECENT = f"select {EVENT} from events order by seq desc limit ?"
LATEST = f"select {EVENT} from events order by seq desc limit 1"
SINCE = f"select {EVENT}, space, cast(memory as integer), change from events where seq >= ? order by seq"
STEMS = "select id, stems from memories where space = ? and typeof(stems) = 'blob' order by id"
STEMS_OF = """
    select m.id, m.stems from json_each(?) i cross join memories m on m.id = i.value
    where m.space = ? and typeof(m.stems) = 'blob' order by m.id
"""
BEGUN = "begun"  # the change that has every cache built anew
FIRST_EVENT = f"insert into events (space, memory, change) values ('', 0, '{BEGUN}')"


@dataclass(slots=True)
class _Index:
    """The words of one space as of one event."""

    parts: tuple[Postings, ...]
    seq: int
    token: int
    unsaved: int = 0
    # The last events that it has followed, as number and token.
    passed: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=KEPT_EVENTS))
    last_asked: _Asked | None = None


class _Held(NamedTuple):
    """Who holds a word in each part, and what it counts."""

    of_parts: Sequence[tuple[Array, Array]]
    frequency: int
    weight: float


class _Asked(NamedTuple):
    """Words that were looked up. A search asks for the best that hold them, and then for their frequencies."""

    parts: tuple[Postings, ...]
    words: Sequence[Sequence[int]]
    held: Sequence[_Held]


class WordCache:
    """Proposes which memories hold the words of a question."""

    def __init__(self, store: Path | None, read_only: bool = False) -> None:
        self._saved = SavedFiles(store, "words", MAGIC, read_only)
        self._indexes: dict[str, _Index] = {}
        self._lock = threading.Lock()

    def best(
        self, db: apsw.Connection, space: str, words: Sequence[Sequence[int]], among: Sequence[Array], most: int | None
    ) -> tuple[Array, Array]:
        """The ids of the best by BM25, at most so many or all, and their scores; `among` ids, if given.

        A word is one stem, or some that are neighbours: then those are looked at who hold all of them.
        """
        import numpy as np

        parts, of_words = self._asked(db, space, words)
        if not parts:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        held = sorted((one for one in of_words if one.frequency), key=lambda one: one.frequency)
        average = _average_length(parts)
        read = len(held) if most is None else max(sum(map(READ.__ge__, accumulate(one.frequency for one in held))), 1)
        sums = [_sums(number, part, held[:read], among, average) for number, part in enumerate(parts)]
        found = _highest(parts, _from(_reached(sums, held[:read], most), sums), most)
        for number, (rows, scores) in enumerate(found):
            _add_words(number, parts[number], rows, scores, held[read:], average)
        ids = [part.ids[rows] for part, (rows, _) in zip(parts, found, strict=True)]
        return np.concatenate(ids), np.concatenate([scores for _, scores in found])

    def frequencies(self, db: apsw.Connection, space: str, words: Sequence[Sequence[int]]) -> tuple[list[int], int]:
        """How many memories hold each word, and how many there are."""
        parts, of_words = self._asked(db, space, words)
        return [one.frequency for one in of_words], sum(part.current for part in parts)

    def clear(self) -> None:
        """Start over for every space, and leave no file: words of erased memories may be in them."""
        with self._lock:
            self._indexes.clear()
            self._saved.remove_all()

    def _asked(
        self, db: apsw.Connection, space: str, words: Sequence[Sequence[int]]
    ) -> tuple[tuple[Postings, ...], Sequence[_Held]]:
        """The parts of a space, and who holds each of the words there."""
        with self._lock:
            index = self._followed(db, space)
            parts, last = index.parts, index.last_asked
        if last is None or last.parts is not parts or last.words != words:
            last = index.last_asked = _Asked(parts, words, _held(parts, words))
        return parts, last.held

    def _followed(self, db: apsw.Connection, space: str) -> _Index:
        index = self._indexes.get(space) or self._load(space)
        if index is None or not _follow(db, index, space):
            index = _build(db, space)
        self._indexes[space] = index
        size = sum(map(len, index.parts))
        if index.unsaved >= min(max(SAVE_FROM, size // SAVE_SHARE), SAVE_LATEST):
            self._save(space, index)
        return index

    def _load(self, space: str) -> _Index | None:
        """What an earlier process saved, if it is whole and of this space."""
        found = self._saved.read(space, lambda parts: tuple(map(Postings.from_bytes, parts)))
        if found is None or found[0].keys() != {"seq", "token"}:
            return None
        saved, parts = found
        return _Index(parts, saved["seq"], saved["token"])

    def _save(self, space: str, index: _Index) -> None:
        saved_with = {"seq": index.seq, "token": index.token}
        self._saved.write(space, saved_with, [part.to_bytes() for part in index.parts])
        index.unsaved = 0


def _held(parts: Sequence[Postings], words: Sequence[Sequence[int]]) -> list[_Held]:
    memories, held = sum(part.current for part in parts), []
    for word in words:
        of_parts = [part.holders(*word) if len(word) == 1 else part.of_all(word) for part in parts]
        frequency = sum(part.current_of(rows) for part, (rows, _) in zip(parts, of_parts, strict=True))
        held.append(_Held(of_parts, frequency, log(1 + (memories - frequency + 0.5) / (frequency + 0.5))))
    return held


def _average_length(parts: Sequence[Postings]) -> float:
    """Of all memories: one is worth the same whichever part it is in. Rounded, so that one more seldom changes it."""
    words, memories = sum(part.current_words for part in parts), sum(part.current for part in parts)
    return max(round(words / max(memories, 1), 1), 1.0)


def _sums(number: int, part: Postings, held: Sequence[_Held], among: Sequence[Array], average: float) -> Array:
    """What these words count for each row of one part."""
    import numpy as np

    sums, damping = np.zeros(len(part), dtype=np.float32), part.damping(average)
    for one in held:
        rows, counts = one.of_parts[number]
        places = rows.astype(np.intp)  # once, for the three times that numpy needs it
        sums[places] += _worth(one, counts, damping[places])
    sums[part.replaced] = 0
    for ids in among:
        passing = np.zeros(len(part), dtype=bool)
        passing[part.rows_of(ids)] = True
        sums[~passing] = 0
    return sums


def _reached(sums: Sequence[Array], held: Sequence[_Held], most: int | None) -> float:
    """A sum above 0 that so many rows reach for sure: as many of those that hold one word do."""
    import numpy as np

    one = next((one for one in held if most is not None and one.frequency >= most), None)
    if one is None or most is None:
        return SMALLEST
    reached = np.concatenate([own[rows] for own, (rows, _) in zip(sums, one.of_parts, strict=True)])
    return max(float(np.partition(reached, len(reached) - most)[len(reached) - most]), SMALLEST)


def _from(least: float, sums: Sequence[Array]) -> list[tuple[Array, Array]]:
    """The rows of each part whose sum is no smaller, and their sums."""
    import numpy as np

    found = [np.flatnonzero(own >= least) for own in sums]
    return [(rows, own[rows]) for rows, own in zip(found, sums, strict=True)]


def _add_words(number: int, part: Postings, found: Array, sums: Array, held: Sequence[_Held], average: float) -> None:
    """Add to the sums of these rows of one part what further words count."""
    damping = part.damping(average)[found]
    for one in held:
        rows, counts = one.of_parts[number]
        places, there = places_in(rows, found)
        sums[there] += _worth(one, counts[places[there]], damping[there])


def _highest(
    parts: Sequence[Postings], found: Sequence[tuple[Array, Array]], most: int | None
) -> list[tuple[Array, Array]]:
    """Of the rows of all parts, those with the highest scores; of equals the newest, however the parts are cut."""
    import numpy as np

    scores = np.concatenate([own for _, own in found])
    if most is None or len(scores) <= most:
        return list(found)
    least = np.partition(scores, len(scores) - most)[len(scores) - most]
    ids = np.concatenate([part.ids[rows] for part, (rows, _) in zip(parts, found, strict=True)])
    equal = np.flatnonzero(scores == least)
    kept = scores > least
    kept[equal[np.argsort(-ids[equal])][: most - int(kept.sum())]] = True
    of_parts = np.split(kept, np.cumsum([len(own) for _, own in found])[:-1])
    return [(rows[own], sums[own]) for (rows, sums), own in zip(found, of_parts, strict=True)]


def _worth(word: _Held, counts: Array, damping: Array) -> Array:
    """What a word gives each memory that holds it so often: the less, the longer the memory is."""
    worth: Array = word.weight * (counts / (counts + damping))
    return worth


def _build(db: apsw.Connection, space: str) -> _Index:
    # In one snapshot: the words as of exactly this event.
    seq, token = db.execute(LATEST).fetchone() or (0, 0)
    rows: Any = db.execute(STEMS, (space,))
    parts = []
    while some := list(islice(rows, PART)):
        parts.append(Postings.of(some))
    index = _Index(tuple(parts), seq, token, unsaved=sum(map(len, parts)))
    recent: list[Any] = db.execute(RECENT, (KEPT_EVENTS,)).fetchall()
    index.passed += reversed(recent)
    return index


def _follow(db: apsw.Connection, index: _Index, space: str) -> bool:
    """Put the words of what has changed since into a part of its own. False if this is the index of another history."""
    events: list[Any] = db.execute(SINCE, (index.seq,)).fetchall()
    if not events:  # perhaps it has followed events that this snapshot does not see
        return db.execute(LATEST).fetchone() in index.passed
    if events[0][:2] != (index.seq, index.token) or any(change == BEGUN for *_, change in events[1:]):
        return False
    index.passed += [event[:2] for event in events]
    changed = {memory for _, _, changed_space, memory, _ in events[1:] if changed_space == space}
    if changed:
        found: Any = db.execute(STEMS_OF, (json.dumps(sorted(changed)), space)).fetchall()
        index.parts = _with_newer(index.parts, sorted(changed), Postings.of(found))
        index.unsaved += len(changed)
    index.seq, index.token = events[-1][:2]
    return True


def _with_newer(parts: Sequence[Postings], changed: Sequence[int], newer: Postings) -> tuple[Postings, ...]:
    """No memory is found by the words that it held before it was changed, nor counted once it is deleted."""
    import numpy as np

    ids = np.array(changed, dtype=np.int64)
    older = tuple(part.without(ids) for part in parts)
    return _merged((*older, newer)) if len(newer) else older


def _merged(parts: tuple[Postings, ...]) -> tuple[Postings, ...]:
    """Each part a good deal larger than the next, so that there are few; parts that are full stay as they are."""
    while len(parts) > 1 and len(parts[-2]) < min(MERGED_SHARE * len(parts[-1]), PART):
        parts = (*parts[:-2], parts[-2].with_newer(parts[-1]))
    return parts
