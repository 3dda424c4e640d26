"""What agents work with: tasks, sessions, events on a timeline, and the context they are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from scrubjay.types.memories import Memory

__all__ = ["Activity", "Context", "Event", "Priority", "Session", "Status", "Task"]

Status = Literal["pending", "in_progress", "completed", "cancelled"]
Priority = Literal["high", "normal", "low"]


@dataclass(frozen=True, slots=True)
class Task:
    """A memory of kind task, with its status."""

    memory: Memory
    scope: str = "user"
    status: Status = "pending"
    priority: Priority = "normal"
    due: datetime | None = None
    note: str | None = None
    notes: tuple[str, ...] = ()  # about the create or update that returned it


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of an agent."""

    space: str
    name: str
    project: str | None
    client: str | None
    started_at: datetime
    ended_at: datetime | None  # None while it is active; by its silence, if nobody ended it
    summary: int | None  # id of the memory that summarises it
    turns: int
    tool_calls: int
    title: str | None = None  # the client's, or the first words of the user
    files: tuple[str, ...] = ()  # that its agent changed; only of a session that was asked for by name
    links: tuple[str, ...] = ()  # e.g. to a pull request; likewise


@dataclass(frozen=True, slots=True)
class Event:
    """Something on the timeline: a memory, a change of one, or the start or end of a session."""

    at: datetime
    what: str  # remembered, said, replaced, reverted, session started, session ended; contact created, updated, …
    memory: Memory | None = None
    detail: str = ""
    about: tuple[int, ...] = ()  # for a revision: ids of the memories it changed

    @classmethod
    def of(cls, memory: Memory) -> Event:
        return cls(memory.happened_at, "said" if memory.kind == "turn" else "remembered", memory)

    @property
    def id(self) -> int | None:
        return self.memory.id if self.memory else None

    @property
    def kind(self) -> str:
        """The kind of the memory; of a change, what happened."""
        return self.memory.kind if self._is_of_the_memory and self.memory else self.what

    @property
    def replaced_mark(self) -> str:
        """What stands before the memory's title if it was replaced since; a change says itself what became of it."""
        return self.memory.replaced_mark if self._is_of_the_memory and self.memory else ""

    @property
    def _is_of_the_memory(self) -> bool:
        return self.what in ("remembered", "said")

    @property
    def title(self) -> str:
        return self.memory.title if self.memory else self.detail

    @property
    def text(self) -> str:
        return self.memory.text if self.memory else self.detail


@dataclass(frozen=True, slots=True)
class Context:
    """Text to give to an agent now, fenced and within its token budget, and the memories in it."""

    text: str
    memories: tuple[Memory, ...]
    tokens: int
    held_back: Mapping[int, str] = field(default_factory=dict)  # ids of what would have been told, and why it was not
    why: Mapping[int, str] = field(default_factory=dict)  # of what a generator chose, by id
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What a hook of an agent client did, or the memory by itself."""

    at: datetime
    client: str  # `scrubjay`: the memory by itself
    event: str  # as the client names it; by itself: extract or cleanup
    outcome: str  # told, captured, nothing, skipped, late or failed; by itself also extracted, cleaned up, still over
    reason: str  # why nothing was told or kept
    ms: int  # how long the client waited
    session: str | None = None
    project: str | None = None
    space: str | None = None  # None where no memory was opened
    store: str | None = None
    memories: tuple[int, ...] = ()  # ids of what the agent was given; by itself: of what was extracted or removed
    tokens: int = 0  # of that
    held_back: Mapping[int, str] = field(default_factory=dict)  # ids of what the agent was not given, and why
    turns: int = 0  # that were stored
    headless: bool = False  # no person was there
