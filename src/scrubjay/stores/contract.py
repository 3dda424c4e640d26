"""What the store takes and gives, besides the nouns of `scrubjay.types`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from scrubjay.types import Filter, Memory, RankingFields
from scrubjay.types.documents import Document

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = [
    "NEWEST",
    "CandidateRequest",
    "Candidates",
    "Deleted",
    "Evidence",
    "EvidenceRequest",
    "Nearest",
    "Presented",
    "Revision",
    "State",
    "Turn",
    "Use",
    "WordCounts",
]

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
    """Cosines by memory, and what to say if they were found the slow way."""

    cosines: Mapping[int, float]
    note: str | None = None


class CandidateRequest(NamedTuple):
    """Which memories to propose."""

    filter: Filter
    limit: int  # by word, and by meaning
    text: str | None = None  # None: not by word
    vector: Matrix | None = None  # None: not by meaning
    at_least: int = 0  # by word: look at commoner words, too, if fewer were found
    newest: Filter | None = None  # also the newest of these, whatever they say
    newest_limit: int = 0
    without_kinds: Collection[str] = ()


class Candidates(NamedTuple):
    """Ids by word, the best first; cosines by id; and what to say about the way they were found."""

    by_word: tuple[int, ...] = ()
    cosines: Mapping[int, float] | None = None  # None where meaning was not asked
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.by_word or self.cosines)

    def with_more(self, more: Candidates) -> Candidates:
        found = None if self.cosines is None else {**(more.cosines or {}), **self.cosines}
        return Candidates(tuple(dict.fromkeys(self.by_word + more.by_word)), found, self.notes)


class EvidenceRequest(NamedTuple):
    """What to read about candidates."""

    ids: Collection[int]
    filter: Filter
    text: str | None = None  # None: count no words
    vector: Matrix | None = None  # None: no further cosines
    cosines: Mapping[int, float] | None = None  # those known already; None where meaning was not asked
    neighbours_of: Sequence[int] | None = None  # whose neighbours become candidates; None: read no conversations
    short_turn_words: int = 0  # up to here a turn is compared with the one before
    common_words: Sequence[str] = ()  # of a language
    common_share: float = 0.0  # the share of memories that must hold one of these
    with_texts: bool = False


class Evidence(NamedTuple):
    """What the store knows about candidates. `ids` are those asked for and the neighbours that became candidates."""

    ids: Collection[int]
    fields: Mapping[int, RankingFields]
    turns: Mapping[int, Turn]
    words: WordCounts | None
    cosines: Mapping[int, float]
    pieces: Mapping[int, int]  # vectors of each text
    previous: Mapping[int, tuple[int, float]]  # of a short turn: the short turn before it, and the cosine of the two
    texts: Mapping[int, str]
    has_common_words: bool  # whether the store holds the language of the `common_words` asked about


class Presented(NamedTuple):
    """Memories to show; of turns also their neighbours, and replaced memories that share their words."""

    memories: Mapping[int, Memory]
    neighbours: Mapping[int, Sequence[Memory]]
    replaced: Mapping[int, Sequence[tuple[Memory, Memory]]]  # each with the memory that replaced it


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
