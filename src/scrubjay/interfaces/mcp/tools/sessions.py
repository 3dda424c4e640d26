"""Tools for sessions: start, turns, end with a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from scrubjay.dates.timestamps import local_day as day
from scrubjay.errors import Invalid
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import Reply, row_count, tool
from scrubjay.interfaces.mcp.replies import lines, one_line
from scrubjay.text.plural import counted
from scrubjay.text.secret_scan.quoting import quoted

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]

TURN = {"speaker", "text", "role", "content", "happened_at", "position"}


@tool("write", answers="sessions start")
def session_start(jay: Scrubjay, session: str | None = None) -> Reply:
    """Start a session, or continue the one of that name; returns what to know now."""
    started = jay.sessions.start(session, client=caller().client)
    known = jay.context(session=started.name).text if caller().may("read") else ""
    return Reply(f"{one_line(f'Session {started.name} is active.')}\n{known}".rstrip(), started)


@tool("write", answers="sessions end")
def session_end(jay: Scrubjay, session: str, summary: str | None = None) -> Reply:
    """End a session; its summary, what was done and what is left, is shown at the next start."""
    from scrubjay.interfaces.seen import need_whole_name  # not needed for the list of tools

    need_whole_name(caller(), jay, session)
    ended = jay.sessions.end(session, summary)
    return Reply(one_line(f"Session {session} has ended."), ended)


@tool("read", answers="sessions")
def session_list(jay: Scrubjay, file: str | None = None, limit: int = 10) -> Reply:
    """The last sessions; file: only those that changed it, e.g. auth.py."""
    found = jay.sessions.list(file=file, limit=row_count("limit", limit))
    rows = [
        one_line(f"{one.name}: {day(one.started_at)}, {counted(one.turns, 'turn')}, {one.title or 'no title'}")
        for one in found
    ]
    nothing = "There are no sessions." if file is None else "No session is known to have changed it."
    return Reply(lines(rows, nothing=nothing), {"sessions": found})


@tool("write", answers="turns add")
def session_turns(jay: Scrubjay, session: str, turns: list[dict[str, Any]]) -> Reply:
    """Store a conversation, in order: each turn {"speaker": …, "text": …}. Called again, it appends."""
    if unknown := sorted({str(key) for turn in turns for key in turn} - TURN):
        raise Invalid(f"A turn has no field {quoted(unknown[0])}; it has speaker, text, happened_at, position.")
    turns_added = jay.add_turns(session, cast("Any", turns))
    text = f"Stored {counted(sum(added.created for added in turns_added), 'turn')} of session {session}."
    return Reply(one_line(text), {"turns": [added.memory for added in turns_added]})


TOOLS = (session_start, session_end, session_list, session_turns)
