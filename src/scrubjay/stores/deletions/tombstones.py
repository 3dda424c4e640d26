"""What was deleted by hand from a document stays deleted, also when the text around it has moved."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby, pairwise
from typing import NamedTuple

from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.former_names import names_since
from scrubjay.text.words import WORD, plain_words
from scrubjay.types import Memory

__all__ = [
    "ANYWHERE",
    "Marks",
    "bury",
    "content_hash",
    "key_document_hashes",
    "key_old_marks",
    "marks_in",
    "marks_of",
    "marks_of_import",
    "note_deletion",
    "own_key",
    "own_mark",
    "put_keys",
    "take_over",
    "unburied",
    "unbury",
    "without_buried",
]

SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")
SENTENCE_OF_LINES = re.compile(rf"{SENTENCE.pattern}|\n[^\S\n]*\n")  # one that goes on in the next line
SENTENCE_AND_BLANKS = re.compile(f"({SENTENCE.pattern})")
TELLING = 30  # characters of its words; what has fewer may well stand elsewhere, too, and is known beside its neighbour
ANYWHERE = ""  # in place of a document: a turn is the same in each transcript that tells it
DELETED = "[deleted]"  # where it stood
BURY = """
    insert into tombstones (space, document, mark, memory) values (:space, :document, :mark, :memory)
    on conflict do nothing
"""
MARKS = "select mark from tombstones where space = :space and document in (:documents)"
MARKS_OF_THE_GONE = """
    select mark from tombstones
    where space = :space and document not in (select name from documents where space = :space)
"""
TAKE_OVER = """
    insert into tombstones (space, document, mark, memory)
    select distinct space, :name, mark, memory from tombstones where space = :space and mark = :mark
    on conflict do nothing
"""
OLD_MARKS = "select mark from tombstones where length(mark) = :length"
NOTE_DELETION = """
    insert into deletions (uid, space, at) values (:uid, :space, :at)
    on conflict (uid) do update set at = excluded.at
"""
HASHES = """
    select d.id, cast(d.hash as text) from documents d join sources s on s.id = d.source
    where s.kind <> 'git' and d.hash <> ''
"""
MARK_BYTES = 16
OLD_MARK_BYTES = 12


class Known(NamedTuple):
    """What a deleted text is known again by. The parts of one that has several stay apart."""

    words: str
    written: str  # what older versions marked


class Marks(NamedTuple):
    """What was deleted from a document, as keyed hashes: they can be recognised, but not read."""

    keys: Sequence[bytes]  # the first is this store's own, the others are of stores that were imported
    known: frozenset[bytes] = frozenset()

    def has(self, text: str) -> bool:
        return self.have(_one(text))

    def have(self, known: Known) -> bool:
        return any(_keyed(key, _plain(form)) in self.known for key in self.keys for form in set(known))

    def met_by(self, memory: Memory) -> frozenset[bytes]:
        """Those of what a memory says."""
        digests = {_plain(form) for known in _telling(memory) for form in known}
        return self.known & {_keyed(key, digest) for key in self.keys for digest in digests}

    def of(self, known: Known) -> bytes:
        """Of its words: where only white space, letter case or punctuation has changed, it is still the same."""
        return _keyed(self.keys[0], _plain(known.words))


def bury(rows: Rows, memory: Memory) -> None:
    """Leave a mark for a memory that is about to be deleted, if a resync could bring it back."""
    document = ANYWHERE if memory.kind == "turn" else memory.document
    if document is not None:
        marks = Marks(_keys(rows))
        telling = _telling(memory) | ({_undated(memory)} if memory.kind == "turn" else set())
        place = {"space": memory.space, "document": document, "memory": memory.id}
        rows.run_many(BURY, ({**place, "mark": marks.of(known)} for known in telling))


def unbury(rows: Rows, memory: Memory) -> None:
    """Take the marks of a memory away, so that its source may bring it back."""
    rows.run("delete from tombstones where memory = :id", id=memory.id)
    rows.run("delete from deletions where uid = :uid", uid=memory.uid)


def note_deletion(rows: Rows, memory: Memory, at: datetime) -> None:
    """Remember that a memory was deleted, so that no import brings it back."""
    rows.run(NOTE_DELETION, uid=memory.uid, space=memory.space, at=instant(at))


def marks_in(rows: Rows, space: str, *documents: str, new: bool = False) -> Marks:
    """What was deleted of a document; of a new one, which may have had another name, also of those that are gone."""
    found = rows.all(MARKS, space=space, documents=[*documents, ANYWHERE])
    found += rows.all(MARKS_OF_THE_GONE, space=space) if new else []
    return Marks(_keys(rows), frozenset(mark for (mark,) in found))


def marks_of_import(rows: Rows, space: str, document: str) -> Marks:
    """What was deleted of a document that an import names, which may have another name here or be gone."""
    return marks_in(rows, space, document, *names_since(rows, space, document), new=document != ANYWHERE)


def take_over(rows: Rows, space: str, document: str, memories: Iterable[Memory], marks: Marks) -> None:
    """Let a new document have the marks of what stands in it: it may be one that is gone, by another name."""
    if marks.known:
        met = {mark for memory in memories for mark in marks.met_by(memory)}
        rows.run_many(TAKE_OVER, ({"space": space, "name": document, "mark": mark} for mark in sorted(met)))


def own_mark(rows: Rows, text: str) -> bytes:
    """The mark of a text in this store, whether it was deleted or not."""
    return marks_of(rows, text)[0]


def marks_of(rows: Rows, text: str) -> list[bytes]:
    """Its mark in this store, and those that it has in stores that were imported."""
    return [_keyed(key, _plain(text)) for key in _keys(rows)]


def own_key(rows: Rows) -> bytes:
    return _keys(rows)[0]


def put_keys(rows: Rows, keys: Sequence[bytes]) -> None:
    """Take over the keys of another store's marks."""
    known = _keys(rows)
    for key in keys:
        if key not in known:
            rows.run("insert into mark_key (key) values (:key)", key=key)


def key_old_marks(rows: Rows) -> None:
    """Older versions kept plain hashes: a guessed text could be looked up in them."""
    key = bytes(rows.one("select key from mark_key")[0])  # 0008_trash.sql has just made it
    old = [mark for (mark,) in rows.all(OLD_MARKS, length=OLD_MARK_BYTES)]
    sql = "update tombstones set mark = :keyed where mark = :mark"
    rows.run_many(sql, ({"keyed": _keyed(key, mark), "mark": mark} for mark in old))


def key_document_hashes(rows: Rows) -> None:
    """Older versions kept plain hashes of files. That of a history is the name of a commit, and stays."""
    key = own_key(rows)
    rows.run_many(
        "update documents set hash = :hash where id = :id",
        ({"id": id, "hash": _keyed(key, plain.encode()).hex()} for id, plain in rows.all(HASHES)),
    )


def content_hash(data: bytes, key: bytes) -> str:
    """Of the content of a document: without the key, a guess at the content cannot be confirmed by it."""
    return _keyed(key, hashlib.blake2b(data, digest_size=MARK_BYTES).hexdigest().encode()).hex()


def _keys(rows: Rows) -> list[bytes]:
    return [bytes(key) for (key,) in rows.all("select key from mark_key order by own desc, key")] or [b""]


def _plain(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=OLD_MARK_BYTES).digest()


def _keyed(key: bytes, digest: bytes) -> bytes:
    return hmac.digest(key, digest, "sha256")[:MARK_BYTES]


def unburied(memory: Memory, marks: Marks, dated: bool = True) -> list[Memory]:
    """What is left of a memory: all, nothing or, of a passage that also holds other lines than deleted ones, those.

    A turn that is not dated has the time of its file, which is another when that is read again.
    """
    lines = memory.text.split("\n")
    if not marks.known:
        return [memory]
    if not dated and memory.kind == "turn" and marks.have(_undated(memory)):
        return []
    if memory.kind != "passage" or memory.lines is None:
        return [] if all(map(marks.have, _telling(memory))) else [memory]
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


def without_buried(lines: Sequence[str], marks: Marks, memories: Iterable[Memory]) -> list[str]:
    """Lines without what was deleted, unless a memory that is still there says it, too."""
    if not marks.known:
        return [*lines]
    kept = {line.strip() for memory in memories for line in memory.text.split("\n")}
    said = {sentence for line in kept for sentence in _sentences(line)}
    gone = {number for number in _buried_lines(lines, marks) if lines[number].strip() not in kept}
    return [DELETED if number in gone else _unsaid(line, marks, said) for number, line in enumerate(lines)]


def _unsaid(line: str, marks: Marks, said: Container[str]) -> str:
    """A line without those of its sentences that were deleted."""
    parts = SENTENCE_AND_BLANKS.split(line)
    return "".join(DELETED if (own := part.strip()) and own not in said and marks.has(own) else part for part in parts)


def _buried_lines(lines: Sequence[str], marks: Marks) -> set[int]:
    numbers = [number for number, line in enumerate(lines) if plain_words(line)]
    gone = {number for number in numbers if all(map(marks.has, _sentences(lines[number])))}
    for one, next in pairwise(numbers):
        if marks.have(_pair(lines[one], lines[next])):
            gone |= {one, next}
    gone |= _lines_of_buried_sentences(lines, marks)
    return gone | _between(gone, numbers, len(lines))


def _between(gone: Container[int], numbers: Sequence[int], count: int) -> set[int]:
    """The lines without words (brackets, rules) of which each neighbour that has words was deleted."""
    found = set[int]()
    for before, after in pairwise([-1, *numbers, count]):
        neighbours = [number for number in (before, after) if 0 <= number < count]
        if neighbours and all(number in gone for number in neighbours):
            found.update(range(before + 1, after))
    return found


def _lines_of_buried_sentences(lines: Sequence[str], marks: Marks) -> set[int]:
    """The lines that hold nothing but parts of sentences that were deleted, however these are broken into lines."""
    text = "\n".join(lines)
    spans = list(_sentence_spans(text))
    gone = [marks.has(text[slice(*span)]) for span in spans]
    for number, (one, next) in enumerate(pairwise(spans)):
        if not (gone[number] and gone[number + 1]) and marks.have(_pair(text[slice(*one)], text[slice(*next)])):
            gone[number] = gone[number + 1] = True
    if not all(gone) and marks.has(text):
        gone = [True] * len(spans)
    ends = [end for _, end in spans]
    found, start = set[int](), 0
    for number, line in enumerate(lines):
        words = [bisect_left(ends, start + word.end()) for word in WORD.finditer(line)]
        found |= {number} if words and all(map(gone.__getitem__, words)) else set()
        start += len(line) + 1
    return found


def _is_mostly_buried(line: str, marks: Marks) -> bool:
    """Of a long line, which is cut between its sentences: a part that only overlaps with a deleted one is not."""
    if marks.has(line):
        return True
    sentences = list(_sentences(line))
    return 2 * sum(len(one) for one in sentences if marks.has(one)) > sum(map(len, sentences))


def _telling(memory: Memory) -> set[Known]:
    """A passage is known by its lines and sentences, wherever it is cut, and a turn by who said it when."""
    if memory.kind == "turn":
        return {_said(memory, f"{memory.speaker}\0{instant(memory.happened_at)}")}
    if memory.kind != "passage":
        return {_one(memory.text)}
    lines = [line for line in memory.text.split("\n") if plain_words(line)]
    whole = [memory.text[start:end] for start, end in _sentence_spans(memory.text)]
    sentences = map(_one, [*lines, *whole, *(sentence for line in lines for sentence in _sentences(line))])
    told = {sentence for sentence in sentences if len(lines) == 1 or len(sentence.words) >= TELLING}
    return {_one(memory.text)} | told | {_pair(one, next) for own in (lines, whole) for one, next in pairwise(own)}


def _undated(turn: Memory) -> Known:
    return _said(turn, f"{turn.speaker}\0{turn.session}\0")


def _said(turn: Memory, place: str) -> Known:
    """Names and times count as they are written."""
    return Known(f"{place}\0{_words(turn.text)}", f"{place}\0{turn.text}")


def _one(text: str) -> Known:
    return Known(_words(text), text)


def _pair(one: str, next: str) -> Known:
    """Two that stand together: one that has the words of both is another text."""
    return Known(f"{_words(one)}\n{_words(next)}", f"{one.strip()}\n{next.strip()}")


def _words(text: str) -> str:
    """Its words, or where it has none, its signs."""
    return plain_words(text) or " ".join(text.split())


def _sentences(line: str) -> Iterator[str]:
    return filter(None, map(str.strip, SENTENCE.split(line)))


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence that has words begins and ends; one may go on in the next line, none over a blank line."""
    start = 0
    for end, next in [*(found.span() for found in SENTENCE_OF_LINES.finditer(text)), (len(text), len(text))]:
        if plain_words(text[start:end]):
            yield start, end
        start = next
