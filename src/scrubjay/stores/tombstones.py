"""What was deleted by hand from a document stays deleted, also when the text around it has moved."""

from __future__ import annotations

import hashlib
from collections.abc import Set

import apsw

from scrubjay.stores.rows import instant
from scrubjay.types import Memory

__all__ = ["bury", "is_buried", "marks_in"]


def bury(db: apsw.Connection, memory: Memory) -> None:
    """Leave a mark for a memory that is about to be deleted, if a resync could bring it back."""
    if memory.document is not None:
        values = [(memory.space, memory.document, mark) for mark in _marks(memory)]
        db.executemany("insert or ignore into tombstones (space, document, mark) values (?, ?, ?)", values)


def marks_in(db: apsw.Connection, space: str, document: str) -> set[bytes]:
    rows = db.execute("select mark from tombstones where space = ? and document = ?", (space, document))
    return {mark for (mark,) in rows}


def is_buried(memory: Memory, marks: Set[bytes]) -> bool:
    """Whether most of it was deleted: a passage that only overlaps with a deleted one is not."""
    if not marks:
        return False
    own = _marks(memory)
    return 2 * len(own & marks) > len(own)


def _marks(memory: Memory) -> set[bytes]:
    """A passage is known by its lines, wherever it is cut; a turn also by who said it when."""
    if memory.kind == "passage":
        return {_mark(line.strip()) for line in memory.text.splitlines() if line.strip()}
    if memory.kind == "turn":
        return {_mark(f"{memory.speaker}\0{instant(memory.happened_at)}\0{memory.text}")}
    return {_mark(memory.text)}


def _mark(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=12).digest()
