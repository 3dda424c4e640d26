"""What calls return: a hit, the results of a search, the outcome of an `add`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, overload

from scrubjay.types.memories import Citation, Memory

__all__ = ["Added", "Cited", "CitedState", "Hit", "Link", "Results"]


CitedState = Literal["FRESH", "STALE", "GONE"]


@dataclass(frozen=True, slots=True)
class Cited:
    """What a memory cites or was cut from, whether that is still as it was, and what has changed."""

    citation: Citation
    state: CitedState
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.citation} {self.state}" + (f": {self.detail}" if self.detail else "")


@dataclass(frozen=True, slots=True)
class Link:
    """A link from one memory to another: since when, by whom, whether it was taken away, and the other end as it is."""

    source: int
    target: int
    word: str  # relates_to, depends_on, part_of, or any other
    at: datetime
    actor: str | None = None
    memory: Memory | None = None  # at the other end; a history has none
    undone_at: datetime | None = None
    undone_by: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found, its score (0..1), and what each signal contributed to that score."""

    memory: Memory
    score: float
    why: Mapping[str, float]
    neighbours: tuple[Memory, ...] = ()  # for a turn: the turns just before and after it
    corrected_by: int | None = None  # for a turn: id of the memory that has replaced what it states
    also: tuple[int, ...] = ()  # ids of memories that say nearly the same, and are left out for that reason
    words: tuple[str, ...] = ()  # words of the question that the memory contains
    confidence: float | None = None  # how likely it answers the question, 0..1; None if only its characters matched
    likely: bool = False  # whether it is likely enough to be told
    citations: tuple[Cited, ...] = ()  # what it cites, and of a passage or turn what it was cut from
    linked: tuple[Link, ...] = ()  # with `expand`: what is linked to it, the nearest first
    in_place_of: int | None = None  # id of the memory that was asked about, and that this one has replaced

    def __repr__(self) -> str:
        return f"Hit({self.score:.2f}, {self.memory!r})"

    def snippet(self, most: int = 160) -> str:
        """At most that many characters of the text, on one line, around the words of the question."""
        from scrubjay.text.snippet import snippet  # needs SQLite's tokenizer

        return snippet(self.memory.text, self.words, most)


@dataclass(frozen=True, slots=True)
class Results(Sequence[Hit]):
    """Hits, best first, with notes about the search."""

    hits: tuple[Hit, ...]
    tiers: tuple[str, ...] = ()  # the ways of searching that were used
    notes: tuple[str, ...] = ()  # say why an answer is weaker than usual: no embedder, hidden matches, …
    words: tuple[str, ...] = ()  # words of the question, as they were searched for

    @property
    def likely(self) -> tuple[Hit, ...]:
        """The hits that are likely to answer: those worth telling. The others stay in the list."""
        return tuple(hit for hit in self.hits if hit.likely)

    @property
    def doubtful(self) -> bool:
        """Whether something was found, and nothing of it is likely to answer."""
        return bool(self.hits) and not self.likely

    def __repr__(self) -> str:
        about = f", notes={self.notes!r}" if self.notes else ""
        return f"Results({list(self.hits)!r}{about})"

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)


@dataclass(frozen=True, slots=True)
class Added:
    """The outcome of one `add`."""

    memory: Memory
    created: bool  # False: it was known already, and `memory` is the known one
    similar: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()
    replaced: tuple[int, ...] = ()  # ids of the memories that it took the place of
