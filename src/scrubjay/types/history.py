"""How memories replaced one another, and which contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from scrubjay.types.memories import Memory
from scrubjay.types.revisions import Edit, Step

__all__ = ["Conflict", "History"]


@dataclass(frozen=True, slots=True)
class History(Sequence[Memory]):
    """Memories that replaced one another, oldest first, the steps between them, and what was updated."""

    memories: tuple[Memory, ...]
    steps: tuple[Step, ...] = ()
    edits: tuple[Edit, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Memory, ...]: ...
    def __getitem__(self, index: int | slice) -> Memory | tuple[Memory, ...]:
        return self.memories[index]

    def __len__(self) -> int:
        return len(self.memories)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two current memories about one subject that seem to say the same with another value."""

    older: Memory
    newer: Memory
    score: float
