"""What was deleted by hand from a document stays deleted, also when the text around it has moved."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Set

import apsw

from scrubjay.stores.rows import instant
from scrubjay.types import Memory

__all__ = ["bury", "is_buried", "marks_in"]

SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n")
ANYWHERE = ""  # in place of a document: a turn is the same in each transcript that tells it


def bury(db: apsw.Connection, memory: Memory) -> None:
    """Leave a mark for a memory that is about to be deleted, if a resync could bring it back."""
    if memory.document is not None:
        document = ANYWHERE if memory.kind == "turn" else memory.document
        values = [(memory.space, document, mark) for mark, _ in _marks(memory)]
        db.executemany("insert or ignore into tombstones (space, document, mark) values (?, ?, ?)", values)


def marks_in(db: apsw.Connection, space: str, document: str) -> set[bytes]:
    rows = db.execute("select mark from tombstones where space = ? and document in (?, ?)", (space, document, ANYWHERE))
    return {mark for (mark,) in rows}


def is_buried(memory: Memory, marks: Set[bytes]) -> bool:
    """Whether most of it was deleted: a passage that only overlaps with a deleted one is not."""
    if not marks:
        return False
    own = _marks(memory)
    return 2 * sum(length for mark, length in own if mark in marks) > sum(length for _, length in own)


def _marks(memory: Memory) -> list[tuple[bytes, int]]:
    """A passage is known by its sentences, wherever it is cut, and a turn by who said it when; each with its length."""
    if memory.kind == "passage":
        sentences = [sentence.strip() for sentence in SENTENCE.split(memory.text)]
        return [(_mark(sentence), len(sentence)) for sentence in sentences if sentence]
    if memory.kind == "turn":
        return [(_mark(f"{memory.speaker}\0{instant(memory.happened_at)}\0{memory.text}"), 1)]
    return [(_mark(memory.text), 1)]


def _mark(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=12).digest()
