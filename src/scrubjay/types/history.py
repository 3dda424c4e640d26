"""How memories change: a step from one to another, an update of one, either of them undone, and contradictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload

from scrubjay.types.memories import Memory

__all__ = ["Conflict", "Edit", "History", "Reverted", "Step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One memory put in the place of another: when, by whom, why, and whether that was undone."""

    old: int
    new: int | None  # None: what replaced it was deleted
    at: datetime
    effective_at: datetime  # from when on the old one no longer held
    id: int = 0
    created: bool = False  # the step itself made the new memory, or brought it back
    actor: str | None = None
    reason: str | None = None
    undone_at: datetime | None = None
    undone_by: str | None = None
    undone_reason: str | None = None
    change: int = 0  # steps with the same number are one change, and are undone together
    undoes: int | None = None  # the change that this one undid
    same: bool = False  # both say the same: one was to be current again, and the other was current already


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """An update of what is not text: which fields, when, by whom, and whether it was undone."""

    memory: int
    at: datetime
    fields: tuple[str, ...]  # those of a task begin with "task."
    id: int = 0
    actor: str | None = None
    undone_at: datetime | None = None
    undone_by: str | None = None
    undone_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted(Step):
    """The step that `revert` undid, with all of its change; or an update, of which old and new are the one memory."""

    restored: tuple[int, ...] = ()  # memories that are current again
    fields: tuple[str, ...] = ()  # of an update: what has its former value again
    notes: tuple[str, ...] = ()


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
