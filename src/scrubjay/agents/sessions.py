"""Sessions: runs of an agent, from start to summary, and what was said in them.

What an agent is told at a session's start is made in context.py.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrubjay.agents.automatic import clean_daily, extract_session, learns_from
from scrubjay.memory.add import add, add_turns
from scrubjay.memory.arguments import count, short_text
from scrubjay.memory.fields import TurnFields
from scrubjay.memory.view import View
from scrubjay.types import Added, Filter, Memory, trust

if TYPE_CHECKING:
    from scrubjay.types.agents import Session

__all__ = ["Sessions", "add_exchange", "end_session"]


class Sessions:
    """The sessions of one space."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._store = view.store

    def start(self, name: str | None = None, *, client: str | None = None, redact: bool = False) -> Session:
        """Begin a session; one of that name that has begun already goes on."""
        view, chosen = self._view, name if name is not None else _new_name()
        stored_name = view.allowed(short_text("A session's name", chosen), redact)
        stored_client = None if client is None else view.allowed(short_text("client", client), redact)
        begun = self._store.sessions.begin(view.space, stored_name, view.project, stored_client, view.clock())
        clean_daily(view)
        return begun

    def end(self, name: str, summary: str | None = None, *, redact: bool = False) -> Session:
        """End a session; its summary becomes a memory of kind summary."""
        ended = self._end(name, summary, redact)
        if learns_from(self._view, ended=True):
            extract_session(self._view, ended.name)
        return ended

    def _end(self, name: str, summary: str | None, redact: bool) -> Session:
        view, now = self._view, self._view.clock()
        name = self.get(name).name
        if summary is None:
            return end_session(view, name)
        fields = {"kind": "summary", "session": name, "source": f"session:{name}"}
        add(
            view, summary, fields, redact=redact,
            then=lambda stored: self._store.sessions.end(view.space, name, now, stored[0].memory.id),
        )  # fmt: skip
        return self.get(name)

    def count(self, name: str, tool_calls: int = 1) -> Session:
        """Count tool calls of a session."""
        return self._store.sessions.count_tool_calls(self._view.space, name, count("tool_calls", tool_calls))

    def get(self, name: str) -> Session:
        """By its name, or by a beginning of it that no other session has."""
        return self._store.sessions.get(self._view.space, short_text("A session's name", name), self._view.clock())

    def turns(self, name: str) -> builtins.list[Memory]:
        """What was said in a session, in order; also what was corrected since."""
        name = self.get(name).name
        filter = Filter(
            spaces=(self._view.space,), now=self._view.clock(), session=name, kinds=("turn",), replaced_turns=True
        )
        return sorted(self._store.memories.newest(filter, None), key=lambda turn: (turn.position or 0, turn.id))

    def list(self, *, active: bool | None = None, file: str | None = None, limit: int = 20) -> builtins.list[Session]:
        """The newest first; with a file, e.g. auth.py or src/auth.py, only those whose agent changed it."""
        touched = None if file is None else short_text("file", file)
        return self._store.sessions.find(self._view.space, active, count("limit", limit), self._view.clock(), touched)


def end_session(view: View, name: str) -> Session:
    """End a session without a summary, and learn nothing from it yet."""
    return view.store.sessions.end(view.space, Sessions(view).get(name).name, view.clock(), None)


def add_exchange(
    view: View, user: str, agent: str, session: str | None = None, tags: Sequence[str] = ()
) -> builtins.list[Added]:
    """Store what a user said and what the agent answered, as two turns of a session."""
    question: TurnFields = {"text": user, "speaker": "user", "tags": tags}
    answer: TurnFields = {
        "text": agent,
        "speaker": "assistant",
        "tags": tags,
        "trust": trust.lower(view.trust, "agent"),
    }
    return add_turns(view, session or _new_name(), [question, answer])


def _new_name() -> str:
    return os.urandom(6).hex()
