"""Tools for knowledge that changes: lists, histories, conflicts."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal

from scrubjay.errors import Invalid
from scrubjay.interfaces import changes
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import Ids, Texts, given, row_count, tool

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]

NAMES = 200  # shown at most


@tool("read")
def memory_list(
    jay: Scrubjay, kinds: Texts | None = None, subject: str | None = None, tags: Texts | None = None,
    project: str | None = None, since: str | None = None, until: str | None = None, limit: int = 20, offset: int = 0,
) -> str:  # fmt: skip
    """The newest memories, narrowed by field."""
    filters = given(kinds=kinds, subject=subject, tags=tags, project=project, since=since, until=until)
    found = jay.list(limit=row_count("limit", limit), offset=offset, **filters)
    more = len(found) == limit and bool(found)
    notes = [f"For more: offset={offset + limit}."] if more else []
    named = given(kinds=kinds) if found else given(kinds=kinds, subject=subject, tags=tags, project=project)
    return replies.lines(replies.memory_lines(found), [*notes, *jay.filter_notes(**named)])


@tool("read")
def memory_names(jay: Scrubjay, of: Literal["spaces", "subjects", "kinds", "tags", "sessions", "sources"]) -> str:
    """Which of these names there are to filter by, and how many memories each has."""
    match of:
        case "sessions":
            found = {session.name: session.turns for session in jay.sessions.list(limit=NAMES)}
        case "sources":
            found = {one.source.name: one.memories for one in jay.status().sources}
        case "spaces":
            found = {space: number for space, number in jay.spaces().items() if caller().may_see(space)}
        case _:
            found = getattr(jay, of)()
    rows = [replies.one_line(f"{name}: {number}") for name, number in islice(found.items(), NAMES)]
    more = [f"Only the first {NAMES} of {len(found)}."] if len(found) > NAMES else []
    return replies.lines(rows, more, f"There are no {of}.")


@tool("read")
def memory_history(jay: Scrubjay, id: int | None = None, subject: str | None = None) -> str:
    """The corrections of a memory, or all that was ever known about a subject."""
    found = jay.history(id, subject=subject)
    if not found and subject is not None:
        return replies.lines([], jay.filter_notes(subject=subject))
    return replies.history(found)


@tool("write", destroys=True)
def memory_revert(jay: Scrubjay, id: int, reason: str | None = None) -> str:
    """Undo the last change of a memory: that it was replaced, that it replaced others, or an update."""
    undone = jay.revert(id, reason=reason)
    if not caller().may("read"):
        return f"Reverted {id}."
    return "\n".join([changes.reverted(undone), *replies.note_lines(undone.notes)])


@tool("write")
def memory_undelete(jay: Scrubjay, id: int) -> str:
    """Restore a deleted memory as it was; possible for 30 days by default."""
    return f"Restored {jay.undelete(id).id}."


@tool("read", changes=True)
def memory_conflicts(jay: Scrubjay, dismiss: Ids | None = None, undo: bool = False) -> str:
    """Pairs that seem to contradict each other; settle one with memory_supersede, or dismiss or undo [older, newer]."""
    if dismiss is not None:
        caller().need("write")
        if len(dismiss) != 2:
            raise Invalid("dismiss takes the two ids of a pair, e.g. [7, 9].")
        jay.dismiss(*dismiss, undo=undo)
    return replies.conflicts(jay.conflicts())


TOOLS = (memory_list, memory_names, memory_history, memory_revert, memory_undelete, memory_conflicts)
