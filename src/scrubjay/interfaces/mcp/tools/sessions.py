"""Tools for runs of an agent: their start, their turns, their summary."""

from __future__ import annotations

from typing import Any, cast

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.replies import one_line
from scrubjay.interfaces.mcp.tool import offered
from scrubjay.text.plural import counted

__all__ = ["TOOLS"]


@offered("write")
def session_start(jay: Scrubjay, session: str | None = None) -> str:
    """Begin a session, or go on with one of that name; tells what to know now."""
    begun = jay.sessions.start(session, client=caller().client)
    known = jay.context(session=begun.name).text if caller().may("read") else ""
    return f"{one_line(f'Session {begun.name} goes on.')}\n{known}".rstrip()


@offered("write")
def session_end(jay: Scrubjay, session: str, summary: str | None = None) -> str:
    """End a session; its summary, what was done and what is left, is told at the next start."""
    return one_line(f"Session {jay.sessions.end(session, summary).name} has ended.")


@offered("write")
def session_turns(jay: Scrubjay, session: str, turns: list[dict[str, Any]]) -> str:
    """Keep what was said, in order: each turn {"speaker": …, "text": …}. Called again, it appends."""
    if strange := sorted({str(key) for turn in turns for key in turn} - {"speaker", "text", "happened_at", "position"}):
        raise Invalid(f"A turn has no field {strange[0][:40]!r}; it has speaker, text, happened_at, position.")
    kept = jay.add_turns(session, cast("Any", turns))
    return one_line(f"Kept {counted(sum(added.created for added in kept), 'turn')} of session {session}.")


TOOLS = (session_start, session_end, session_turns)
