"""How memories change: one replaces another, fields are updated, links are made, a change is undone; contradictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, overload

from scrubjay.types.answers import Link
from scrubjay.types.memories import Memory

__all__ = ["Conflict", "Edit", "History", "MemoryChange", "Reverted", "Step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One memory replaced another: when, by whom, why, and whether that was undone."""

    old: int
    new: int | None  # None: the replacement was deleted
    at: datetime
    effective_at: datetime  # when the old one stopped being true
    id: int = 0
    created: bool = False  # the new memory was created, or made current again, by this step
    actor: str | None = None
    reason: str | None = None
    undone_at: datetime | None = None
    undone_by: str | None = None
    undone_reason: str | None = None
    change: int = 0  # steps with the same number are one change, and are undone together
    undoes: int | None = None  # the change that this one undid
    same: bool = False  # both say the same: after a revert only one of them may be current


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """An update of fields other than the text: which ones, when, by whom, and whether it was undone."""

    memory: int
    at: datetime
    fields: tuple[str, ...]  # fields of a task start with "task."
    id: int = 0
    actor: str | None = None
    undone_at: datetime | None = None
    undone_by: str | None = None
    undone_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted(Step):
    """What `revert` undid: a step with the rest of its change, or an update, where `old` and `new` are the same id."""

    restored: tuple[int, ...] = ()  # ids of memories that are current again
    fields: tuple[str, ...] = ()  # for an update: the fields that have their previous value again
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class History(Sequence[Memory]):
    """Memories that replaced one another, oldest first, the steps between them, their updates and their links."""

    memories: tuple[Memory, ...]
    steps: tuple[Step, ...] = ()
    edits: tuple[Edit, ...] = ()
    links: tuple[Link, ...] = ()  # those that were taken away among them

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
    """Two current memories about one subject that seem to contradict each other, such as two values of one thing."""

    older: Memory
    newer: Memory
    score: float


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """One change in the log: which memory, in which space, and what became of it."""

    id: str  # of the change: `events(after=id)` goes on there
    memory: int | None  # None where changes were missed
    change: Literal["added", "changed", "replaced", "restored", "deleted", "missed"]
    space: str
