"""The vector cache: codes of each space's vectors, kept up to date with the file by its change log.

The vectors in the file are the truth. This cache only proposes, so it may be lost, stale or damaged at any time. It may
also be newer than the snapshot that a search reads: then it also proposes what was removed since that snapshot.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from scrubjay.stores.sqlite.caches.saved_files import SavedFiles
from scrubjay.stores.sqlite.caches.vector_codes import NOTHING, VectorCodes, nearest
from scrubjay.stores.sqlite.caches.vector_columns import SELECTED, BetweenOthers
from scrubjay.types import Filter

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Proposal", "VectorCache"]

UNKNOWN = 2.0  # above any cosine: read this piece first

ROWS_AT_ONCE = 4_096
# A rebuild reads every vector of a space: worth saving from here on, and again once a tenth has changed.
SAVE_FROM = 256
SAVE_SHARE = 10
KEPT_CHANGES = 1_000  # as many may have been followed since the oldest snapshot that is still read
MOST_PIECES = 100_000  # of one change; each is of one memory, and a file may claim any number
KEPT_NAMES = 10_000  # of spaces that were asked; a caller may name any
MAGIC = b"scrubjay vectors 6"

# Of a damaged file, numbers may be of any type.
LATEST = "select seq, cast(token as integer) from changes order by seq desc limit 1"
CHANGES = """
    select seq, cast(token as integer), space, verb, cast(first_piece as integer), cast(last_piece as integer)
    from changes
"""
RECENT = f"{CHANGES} order by seq desc limit ?"
SINCE = f"{CHANGES} where seq >= ? order by seq"
PIECES_BETWEEN = f"""
    select p.vector, p.id, {SELECTED} from pieces p cross join memories m on m.id = p.memory
    where p.id between ? and ? and p.model = ? and length(p.vector) = ? order by p.id
"""
HAS_MEMORIES = "select 1 from memories where space = ? limit 1"
CURRENT_PIECES = f"""
    select p.vector, p.id, {SELECTED} from pieces p cross join memories m on m.id = p.memory
    where m.space = ? and m.superseded_at is null and p.model = ? and length(p.vector) = ? order by p.id
"""


class Proposal(NamedTuple):
    """Some pieces, the most that each of them may score, and the most that any other piece may score."""

    pieces: list[int]
    scores: list[float]
    rest: float


class _Change(NamedTuple):
    """What one change of the log removed from this space; an empty range where it removed nothing."""

    seq: int
    token: int
    removed: range


@dataclass(slots=True)
class _Index:
    """The vectors of one space as of one change."""

    codes: VectorCodes
    model: int
    seq: int
    token: int
    unsaved: int = 0
    passed: deque[_Change] = field(default_factory=lambda: deque(maxlen=KEPT_CHANGES))  # the last one is `seq`


class VectorCache:
    """Proposes which pieces are nearest to a vector."""

    def __init__(self, store: Path | None, read_only: bool = False) -> None:
        self._saved = SavedFiles(store, "codes", MAGIC, read_only)
        self._indexes: dict[str, _Index] = {}
        self._asked: set[str] = set()
        self._lock = threading.Lock()

    def nearest(
        self, db: apsw.Connection, space: str, model: int, vector: Matrix, limit: int, filter: Filter
    ) -> Proposal:
        """The nearest pieces that may pass, as far as this cache can tell. Raises when it cannot."""
        if db.execute(HAS_MEMORIES, (space,)).fetchone() is None:  # nothing is kept of a space that is only named
            return Proposal([], [], NOTHING)
        with self._lock:
            index = self._followed(db, space, model, len(vector))
            codes = index.codes.that_may_pass(filter)
        scores, ids, rest = nearest(codes, vector, limit)
        with self._lock:
            removed = _removed_since(db, index)  # after the search: what another thread has removed meanwhile, too
        return Proposal(removed + ids, [UNKNOWN] * len(removed) + scores, rest)

    def was_asked(self, space: str) -> bool:
        """Whether this is not the first time: a process that asks but once need not get the cache ready."""
        before = space in self._asked
        if len(self._asked) >= KEPT_NAMES:
            self._asked.clear()
        self._asked.add(space)
        return before

    def forget(self, space: str) -> None:
        """Start over for one space, after a failure."""
        with self._lock:
            self._indexes.pop(space, None)
            self._saved.remove(space)

    def files(self) -> list[Path]:
        """What was saved, and the folder that it is in."""
        return self._saved.files()

    def clear(self) -> None:
        """Start over for every space, and leave no file: vectors of erased memories may be in them."""
        with self._lock:
            self._indexes.clear()
            self._saved.remove_all()

    def _followed(self, db: apsw.Connection, space: str, model: int, dimensions: int) -> _Index:
        index = self._indexes.get(space) or self._load(space)
        fits = index is not None and (index.model, index.codes.dimensions) == (model, dimensions)
        if index is None or not fits or not self._follow(db, index, space, dimensions):
            index = _build(db, space, model, dimensions)
        self._indexes[space] = index
        if index.unsaved >= max(SAVE_FROM, len(index.codes) // SAVE_SHARE):
            self._save(space, index)
        return index

    def _follow(self, db: apsw.Connection, index: _Index, space: str, dimensions: int) -> bool:
        """Apply what was written since. False if this index belongs to another history, or has no place for it."""
        changes: list[Any] = db.execute(SINCE, (index.seq,)).fetchall()
        if not changes:
            return _is_newer(index, db)
        if changes[0][:2] != (index.seq, index.token):
            return False
        if not index.passed:
            index.passed.append(_Change(index.seq, index.token, range(0)))
        for change in changes[1:]:
            index.passed.append(_change(change, space))
            _, _, changed, verb, first, last = change
            if changed != space:
                continue
            if last - first >= MOST_PIECES:
                return False
            index.unsaved += last - first + 1
            if verb == "add":
                try:
                    _add(index.codes, db.execute(PIECES_BETWEEN, (first, last, index.model, dimensions * 4)))
                except BetweenOthers:
                    return False
            else:
                index.codes.remove(range(first, last + 1))
        index.seq, index.token = changes[-1][:2]
        return True

    def _load(self, space: str) -> _Index | None:
        """What an earlier process saved, if it is whole and of this space."""
        found = self._saved.read(space, VectorCodes.from_parts)
        if found is None or found[0].keys() != {"model", "seq", "token"}:
            return None
        saved, codes = found
        return _Index(codes, saved["model"], saved["seq"], saved["token"])

    def _save(self, space: str, index: _Index) -> None:
        saved_with = {"model": index.model, "seq": index.seq, "token": index.token}
        self._saved.write(space, saved_with, index.codes.to_parts())
        index.unsaved = 0


def _build(db: apsw.Connection, space: str, model: int, dimensions: int) -> _Index:
    # In one snapshot: the vectors as of exactly this change.
    seq, token = db.execute(LATEST).fetchone() or (0, 0)
    recent: list[Any] = db.execute(RECENT, (KEPT_CHANGES,)).fetchall()
    codes = VectorCodes(dimensions)
    _add(codes, db.execute(CURRENT_PIECES, (space, model, dimensions * 4)))
    passed = deque((_change(change, space) for change in reversed(recent)), maxlen=KEPT_CHANGES)
    return _Index(codes, model, seq, token, unsaved=len(codes), passed=passed)


def _change(row: tuple[Any, ...], space: str) -> _Change:
    seq, token, changed, verb, first, last = row
    return _Change(seq, token, range(first, last + 1) if changed == space and verb == "remove" else range(0))


def _is_newer(index: _Index, db: apsw.Connection) -> bool:
    """Whether the index has followed changes that this snapshot does not see."""
    latest: Any = db.execute(LATEST).fetchone() or (0, 0)
    return any(change[:2] == latest for change in index.passed)


def _removed_since(db: apsw.Connection, index: _Index) -> list[int]:
    """The pieces that the index no longer holds and this snapshot does."""
    latest: Any = db.execute(LATEST).fetchone() or (0, 0)
    later = [change for change in index.passed if change.seq > latest[0]] if latest[0] < index.seq else []
    return [piece for change in later for piece in change.removed]


def _add(codes: VectorCodes, rows: Iterator[tuple[Any, ...]]) -> None:
    import numpy as np

    while batch := list(islice(rows, ROWS_AT_ONCE)):
        vectors = np.frombuffer(b"".join([row[0] for row in batch]), dtype="<f4").reshape(len(batch), -1)
        codes.add(vectors, [row[1:] for row in batch])
