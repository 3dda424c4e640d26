"""What was deleted by hand from a document stays deleted, also when the text around it has moved."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import groupby, pairwise

import apsw

from scrubjay.stores.rows import instant
from scrubjay.types import Memory

__all__ = ["bury", "marks_in", "unburied"]

SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")
TELLING = 30  # characters; what is shorter may well stand elsewhere, too, and is known only beside its neighbour
ANYWHERE = ""  # in place of a document: a turn is the same in each transcript that tells it


def bury(db: apsw.Connection, memory: Memory) -> None:
    """Leave a mark for a memory that is about to be deleted, if a resync could bring it back."""
    document = ANYWHERE if memory.kind == "turn" else memory.document
    if document is not None:
        values = [(memory.space, document, mark) for mark in _marks(memory)]
        db.executemany("insert or ignore into tombstones (space, document, mark) values (?, ?, ?)", values)


def marks_in(db: apsw.Connection, space: str, document: str) -> set[bytes]:
    rows = db.execute("select mark from tombstones where space = ? and document in (?, ?)", (space, document, ANYWHERE))
    return {mark for (mark,) in rows}


def unburied(memory: Memory, marks: Set[bytes]) -> list[Memory]:
    """What is left of a memory: all, nothing or, of a passage that also holds other lines than deleted ones, those."""
    lines = memory.text.split("\n")
    if not marks or memory.kind != "passage" or memory.lines is None:
        return [] if _marks(memory) <= marks else [memory]
    first, last = memory.lines
    if len(lines) == 1 or last - first + 1 != len(lines):
        return [] if _is_mostly_buried(memory.text, marks) else [memory]
    gone = _buried_lines(lines, marks)
    left = []
    for is_gone, numbers in groupby(range(len(lines)), key=gone.__contains__):
        own = [number for number in numbers if not is_gone and lines[number].strip()]
        if own:
            text = "\n".join(lines[own[0] : own[-1] + 1])
            place = (first + own[0], first + own[-1])
            left.append(replace(memory, uid=os.urandom(16).hex(), text=text, lines=place))
    return left if gone else [memory]


def _buried_lines(lines: Sequence[str], marks: Set[bytes]) -> set[int]:
    numbers = [number for number, line in enumerate(lines) if line.strip()]
    gone = {number for number in numbers if all(_mark(one) in marks for one in _sentences(lines[number]))}
    for one, next in pairwise(numbers):
        if _mark(_pair(lines[one], lines[next])) in marks:
            gone |= {one, next}
    return gone


def _is_mostly_buried(line: str, marks: Set[bytes]) -> bool:
    """Of a long line, which is cut between its sentences: a part that only overlaps with a deleted one is not."""
    sentences = list(_sentences(line))
    return 2 * sum(len(one) for one in sentences if _mark(one) in marks) > sum(map(len, sentences))


def _marks(memory: Memory) -> set[bytes]:
    """A passage is known by its lines and sentences, wherever it is cut, and a turn by who said it when."""
    if memory.kind == "turn":
        return {_mark(f"{memory.speaker}\0{instant(memory.happened_at)}\0{memory.text}")}
    if memory.kind != "passage":
        return {_mark(memory.text)}
    lines = [line for line in memory.text.split("\n") if line.strip()]
    sentences = [sentence for line in lines for sentence in _sentences(line)]
    told = {_mark(sentence) for sentence in sentences if len(lines) == 1 or len(sentence) >= TELLING}
    return told | {_mark(_pair(one, next)) for one, next in pairwise(lines)}


def _sentences(line: str) -> Iterator[str]:
    return filter(None, map(str.strip, SENTENCE.split(line)))


def _pair(one: str, next: str) -> str:
    return f"{one.strip()}\n{next.strip()}"


def _mark(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=12).digest()
