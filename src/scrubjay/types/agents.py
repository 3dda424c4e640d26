"""What agents work with: tasks, sessions, events on a timeline, and the context they are given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from scrubjay.types.memories import Memory

__all__ = ["Context", "Event", "Priority", "PrivatePart", "Session", "Status", "Task"]

Status = Literal["pending", "in_progress", "completed", "cancelled"]
Priority = Literal["high", "normal", "low"]


@dataclass(frozen=True, slots=True)
class Task:
    """A memory of kind task, and where it stands in its life."""

    memory: Memory
    scope: str = "user"
    status: Status = "pending"
    priority: Priority = "normal"
    due: datetime | None = None
    note: str | None = None
    notes: tuple[str, ...] = ()  # of one that was just created or updated: what there is to say about that


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of an agent."""

    space: str
    name: str
    project: str | None
    client: str | None
    started_at: datetime
    ended_at: datetime | None  # None while it is active
    summary: int | None  # the memory that sums it up
    turns: int
    tool_calls: int


@dataclass(frozen=True, slots=True)
class Event:
    """Something on the timeline: a memory, or what became of one, or of a session."""

    at: datetime
    what: str  # remembered, said, replaced, reverted, session started, session ended
    memory: Memory | None = None
    detail: str = ""
    about: tuple[int, ...] = ()  # of a revision: the memories it concerns

    @classmethod
    def of(cls, memory: Memory) -> Event:
        return cls(memory.happened_at, "said" if memory.kind == "turn" else "remembered", memory)

    @property
    def id(self) -> int | None:
        return self.memory.id if self.memory else None

    @property
    def kind(self) -> str:
        return self.memory.kind if self.memory else self.what

    @property
    def title(self) -> str:
        return self.memory.title if self.memory else self.detail

    @property
    def text(self) -> str:
        return self.memory.text if self.memory else self.detail


@dataclass(frozen=True, slots=True)
class Context:
    """What to tell an agent now: fenced text within its budget, and the memories in it."""

    text: str
    memories: tuple[Memory, ...]
    tokens: int


class PrivatePart(NamedTuple):
    """In how many private parts a conversation is, and the position of the turn that opened the first, if given."""

    depth: int = 0
    position: int | None = None
