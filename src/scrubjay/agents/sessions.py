"""Sessions: runs of an agent, from start to summary."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable

from scrubjay.dates.timestamps import Clock
from scrubjay.memory.arguments import count
from scrubjay.memory.fields import short_text
from scrubjay.stores import Store
from scrubjay.types import Added, Filter, Memory, Session

__all__ = ["Sessions"]


class Sessions:
    """The sessions of one space."""

    def __init__(
        self,
        store: Store,
        space: str,
        project: str | None,
        clock: Clock,
        remember: Callable[..., Added],
        admit: Callable[..., str],
    ) -> None:
        self._store = store
        self._space = space
        self._project = project
        self._clock = clock
        self._remember = remember
        self._admit = admit

    def start(self, name: str | None = None, *, client: str | None = None, redact: bool = False) -> Session:
        """Begin a session; one of that name that has begun already goes on."""
        chosen = name if name is not None else os.urandom(6).hex()
        named = self._admit(short_text("A session's name", chosen), redact)
        made_with = None if client is None else self._admit(short_text("client", client), redact)
        return self._store.sessions.begin(self._space, named, self._project, made_with, self._clock())

    def end(self, name: str, summary: str | None = None, *, redact: bool = False) -> Session:
        """End a session; its summary becomes a memory of kind summary."""
        at = self._clock()
        self._store.sessions.get(self._space, name)
        memory = None
        if summary is not None:
            about = {"kind": "summary", "session": name, "source": f"session:{name}"}
            memory = self._remember(summary, redact=redact, **about).memory.id
        return self._store.sessions.end(self._space, name, at, memory)

    def count(self, name: str, tool_calls: int = 1) -> Session:
        """Count tool calls of a session."""
        return self._store.sessions.count_tool_calls(self._space, name, count("tool_calls", tool_calls))

    def get(self, name: str) -> Session:
        return self._store.sessions.get(self._space, short_text("A session's name", name))

    def turns(self, name: str) -> builtins.list[Memory]:
        """What was said in a session, in order; also what was corrected since."""
        self.get(name)
        filter = Filter(spaces=(self._space,), now=self._clock(), session=name, kinds=("turn",), replaced_turns=True)
        return sorted(self._store.memories.newest(filter, None), key=lambda turn: (turn.position or 0, turn.id))

    def list(self, *, active: bool | None = None, limit: int = 20) -> builtins.list[Session]:
        """The newest first."""
        return self._store.sessions.find(self._space, active, count("limit", limit))
