"""Tools for knowledge that changes: what there is, how it came about, what contradicts."""

from __future__ import annotations

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces import formatting
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.tool import Ids, Texts, given, offered

__all__ = ["TOOLS"]


@offered("read")
def memory_list(
    jay: Scrubjay, kinds: Texts | None = None, subject: str | None = None, tags: Texts | None = None,
    project: str | None = None, since: str | None = None, until: str | None = None, limit: int = 20, offset: int = 0,
) -> str:  # fmt: skip
    """The newest memories, narrowed by field."""
    filters = given(kinds=kinds, subject=subject, tags=tags, project=project, since=since, until=until)
    found = jay.list(limit=limit, offset=offset, **filters)
    more = len(found) == limit and bool(found)
    notes = [f"For more: offset={offset + limit}."] if more else []
    named = given(kinds=kinds) if found else given(kinds=kinds, subject=subject, tags=tags, project=project)
    return replies.lines(replies.told(found), [*notes, *jay.filter_notes(**named)])


@offered("read")
def memory_history(jay: Scrubjay, id: int | None = None, subject: str | None = None) -> str:
    """How a memory came to say what it says, or all that was ever known of a subject, with every correction."""
    told = jay.history(id, subject=subject)
    if not told and subject is not None:
        return replies.lines([], jay.filter_notes(subject=subject))
    return replies.history(told)


@offered("write", destroys=True)
def memory_revert(jay: Scrubjay, id: int, reason: str | None = None) -> str:
    """Undo what was last done to a memory: that it was replaced, replaced others, or was updated."""
    undone = jay.revert(id, reason=reason)
    if not caller().may("read"):
        return f"Reverted {id}."
    return "\n".join([f"{formatting.reverted(undone)}.", *replies.said_of(undone.notes)])


@offered("write")
def memory_undelete(jay: Scrubjay, id: int) -> str:
    """Take a deleted memory back, as it was; possible for 30 days unless set otherwise."""
    return f"Restored {jay.undelete(id).id}."


@offered("read", changes=True)
def memory_conflicts(jay: Scrubjay, dismiss: Ids | None = None) -> str:
    """Pairs that seem to contradict each other; settle one with memory_supersede, or dismiss [older, newer]."""
    if dismiss is not None:
        caller().need("write")
        if len(dismiss) != 2:
            raise Invalid("dismiss takes the two ids of a pair, e.g. [7, 9].")
        jay.dismiss(*dismiss)
    return replies.conflicts(jay.conflicts())


TOOLS = (memory_list, memory_history, memory_revert, memory_undelete, memory_conflicts)
