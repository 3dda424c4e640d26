"""Tools for knowledge that changes: lists, histories, conflicts."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from scrubjay.errors import Invalid
from scrubjay.interfaces import answer_dicts, changes
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller, seen_by_caller
from scrubjay.interfaces.mcp.definition import Ids, Reply, Texts, given, row_count, tool

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]

NAMES = 200  # shown at most
NAMED = ("spaces", "subjects", "kinds", "tags", "sessions", "sources")


@tool("read", answers="list")
def memory_list(
    jay: Scrubjay, kinds: Texts | None = None, subject: str | None = None, tags: Texts | None = None,
    project: str | None = None, since: str | None = None, until: str | None = None, limit: int = 20, offset: int = 0,
) -> Reply:  # fmt: skip
    """The newest memories, narrowed by field."""
    filters = given(kinds=kinds, subject=subject, tags=tags, project=project, since=since, until=until)
    found = jay.list(limit=row_count("limit", limit), offset=offset, **filters)
    more = len(found) == limit and bool(found)
    notes = [f"For more: offset={offset + limit}."] if more else []
    named = given(kinds=kinds) if found else given(kinds=kinds, subject=subject, tags=tags, project=project)
    notes += jay.filter_notes(**named)
    return Reply(replies.lines(replies.memory_lines(found), notes), {"memories": found, "notes": notes})


@tool("read", answers=NAMED)
def memory_names(jay: Scrubjay, of: Literal["spaces", "subjects", "kinds", "tags", "sessions", "sources"]) -> Reply:
    """Which of these names there are to filter by, and how many memories each has."""
    data: Any
    match of:
        case "sessions":
            data = jay.sessions.list(limit=NAMES)
            found = {session.name: session.turns for session in data}
        case "sources":
            data = seen_by_caller(jay.sources.list(), jay)
            found = {one.source.name: one.memories for one in jay.status().sources}
        case _:
            counts: dict[str, int] = getattr(jay, of)()
            found = {name: number for name, number in counts.items() if of != "spaces" or caller().may_see(name)}
            data = answer_dicts.counts_list(of.removesuffix("s"), found)
    rows = [replies.one_line(f"{name}: {number}") for name, number in islice(found.items(), NAMES)]
    more = [f"Only the first {NAMES} of {len(found)}."] if len(found) > NAMES else []
    return Reply(replies.lines(rows, more, f"There are no {of}."), {of: data})


@tool("read", answers="history")
def memory_history(jay: Scrubjay, id: int | None = None, subject: str | None = None) -> Reply:
    """The corrections of a memory, or all that was ever known about a subject."""
    found = jay.history(id, subject=subject)
    if not found and subject is not None:
        return Reply(replies.lines([], jay.filter_notes(subject=subject)), found)
    return Reply(replies.history(found), found)


@tool("write", answers="revert", destroys=True)
def memory_revert(jay: Scrubjay, id: int, reason: str | None = None) -> Reply:
    """Undo the last change of a memory: that it was replaced, that it replaced others, or an update."""
    undone = jay.revert(id, reason=reason)
    if not caller().may("read"):
        return Reply(f"Reverted {id}.", undone)
    return Reply("\n".join([changes.reverted(undone), *replies.note_lines(undone.notes)]), undone)


@tool("write", answers="undelete")
def memory_undelete(jay: Scrubjay, id: int) -> Reply:
    """Restore a deleted memory as it was; possible for 30 days by default."""
    memory = jay.undelete(id)
    return Reply(f"Restored {memory.id}.", memory)


@tool("read", answers="conflicts", changes=True)
def memory_conflicts(jay: Scrubjay, dismiss: Ids | None = None, undo: bool = False) -> Reply:
    """Pairs that seem to contradict each other; settle one with memory_supersede, or dismiss or undo [older, newer]."""
    if dismiss is not None:
        caller().need("write")
        if len(dismiss) != 2:
            raise Invalid("dismiss takes the two ids of a pair, e.g. [7, 9].")
        jay.dismiss(*dismiss, undo=undo)
    pairs = jay.conflicts()
    return Reply(replies.conflicts(pairs), {"conflicts": pairs})


TOOLS = (memory_list, memory_names, memory_history, memory_revert, memory_undelete, memory_conflicts)
