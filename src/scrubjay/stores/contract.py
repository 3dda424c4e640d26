"""What the store takes and gives, besides the nouns of `scrubjay.types`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from scrubjay.types import Memory
from scrubjay.types.documents import Document

__all__ = ["NEWEST", "Deleted", "Nearest", "Revision", "State", "Turn", "Use", "WordCounts"]

State = Literal["current", "building"]  # of the models that a store has vectors of

NEWEST = 2**63 - 1  # above every id


class WordCounts(NamedTuple):
    """How often the words of a question occur: in how many memories of a space, and how often in each of a few."""

    frequencies: Sequence[int]
    memories: int
    counted: Mapping[int, tuple[Sequence[int], int]]  # id: occurrences of each word, and words in all
    words: Sequence[str] = ()  # as they are written in the question

    def held_by(self, id: int) -> tuple[str, ...]:
        """Those of the words that a memory has."""
        occurrences, _ = self.counted.get(id, ((), 0))
        return tuple(word for word, count in zip(self.words, occurrences, strict=False) if count)


class Turn(NamedTuple):
    """Where a turn was said: its conversation, and who is at which place before (-1, …) and after it (1, …)."""

    session: str
    beside: dict[int, int]


class Nearest(NamedTuple):
    """Cosines by memory, and what to say if they were come by the slow way."""

    cosines: Mapping[int, float]
    note: str | None = None


class Use(NamedTuple):
    """One use of a memory."""

    memory: int
    at: datetime
    verb: str
    score: float | None = None
    query: str | None = None


class Revision(NamedTuple):
    """What a document, and the memories cut from it, are to become."""

    document: Document
    memories: Sequence[Memory]
    before: Document | None  # as it was when the reading began; under another name, it was renamed
    appends: bool = False  # add to its memories, instead of taking their place
    goes_on: bool = False  # after where it was read to before: nothing in it can be known already
    dated: bool = True  # the times of its memories are those at which they were said


class Deleted(NamedTuple):
    """A memory in the trash: since when, and why."""

    memory: Memory
    at: datetime
    reason: str
