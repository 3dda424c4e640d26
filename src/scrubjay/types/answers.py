"""What is answered: a hit, the results of a search, and what became of one `add`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from scrubjay.types.memories import Memory

__all__ = ["Added", "Hit", "Results"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers, how well (0..1), and what each signal contributed to that."""

    memory: Memory
    score: float
    why: Mapping[str, float]
    neighbours: tuple[Memory, ...] = ()  # of a turn: the ones said just before and after
    corrected_by: int | None = None  # of a turn: the memory that has replaced what it states
    also: tuple[int, ...] = ()  # memories that say nearly the same, and are not shown for that
    words: tuple[str, ...] = ()  # those of the question that it has
    confidence: float | None = None  # how likely it answers, where words and meaning were both asked


@dataclass(frozen=True, slots=True)
class Results(Sequence[Hit]):
    """Hits, best first, with what there is to say about them."""

    hits: tuple[Hit, ...]
    tiers: tuple[str, ...] = ()  # which ways of searching answered
    notes: tuple[str, ...] = ()  # weaker answers are announced, never silent
    words: tuple[str, ...] = ()  # of the question, as they were looked for
    doubtful: bool = False  # whether nothing found seems to answer
    keyword_trust: float | None = None  # 0..1: how much words counted beside meaning; less where they are rare here

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
    """What became of one `add`."""

    memory: Memory
    created: bool  # False: this was already known, and the known memory is returned
    similar: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()
