"""The tools that are always there: remember, recall, correct."""

from __future__ import annotations

from typing import Any

from scrubjay import Invalid, NotFound, Scrubjay
from scrubjay.doors.mcp import wording
from scrubjay.doors.mcp.tool import Ids, Texts, given, offered

__all__ = ["TOOLS"]

EVENTS = 20


@offered("write", repeatable=True, at_hand=True)
def memory_add(
    jay: Scrubjay, text: str, kind: str | None = None, subject: str | None = None, tags: Texts | None = None,
    importance: int | None = None, supersedes: int | None = None, redact: bool = False,
) -> str:  # fmt: skip
    """Remember what will matter in later sessions: a preference, fact, decision, lesson. One statement per call,
    clear on its own, with names and dates; say its subject. importance 1-10. No secrets (redact masks them)."""
    fields = given(kind=kind, subject=subject, tags=tags, importance=importance)
    return wording.added(jay.add(text, supersedes=supersedes, redact=redact, **fields))


@offered("read", at_hand=True)
def memory_search(
    jay: Scrubjay, query: str, limit: int = 10, kinds: Texts | None = None, project: str | None = None,
    since: str | None = None, until: str | None = None, explain: bool = False,
) -> str:  # fmt: skip
    """Recall by word and meaning. Use before answering whenever past work, decisions, people or preferences may matter.
    The query may name a time ("last week"). Gives id, kind, date, score, title; since and until are dates; explain says
    why each was found."""
    filters = given(kinds=kinds, project=project, since=since, until=until)
    return wording.results(jay.search(query, limit=limit, **filters), jay.conflicts(), explain)


@offered("read")
def memory_get(jay: Scrubjay, ids: Ids, around: int | None = None, offset: int = 0) -> str:
    """Full text of memories; with around, a passage or turn with so many lines or turns before and after. offset
    (characters) goes on with a long text."""
    if not ids or offset < 0:
        raise Invalid("Give at least one id, and an offset from 0 on.")
    found = jay.get_many(ids)
    missing = sorted(set(ids) - {memory.id for memory in found})
    if not found:
        raise NotFound(f"There is no memory {', '.join(map(str, missing))} in space {jay.space!r}.")
    if around is not None:
        return wording.excerpts([jay.excerpt(memory.id, around=around) for memory in found], missing, jay.space)
    return wording.cards(found, missing, jay.space, offset)


@offered("read")
def memory_timeline(
    jay: Scrubjay, id: int | None = None, since: str | None = None, until: str | None = None, window: int = 5
) -> str:
    """What happened around a memory, window before and after, or between two dates."""
    happened = jay.timeline(id, window, since=since, until=until, limit=EVENTS)
    more = id is None and len(happened) == EVENTS
    notes = [f"Only the newest {EVENTS}; narrow since and until for others."] if more else []
    return wording.lines(wording.events(happened), notes, "Nothing happened then.")


@offered("write", repeatable=True)
def memory_update(
    jay: Scrubjay, id: int, tags: Texts | None = None, metadata: dict[str, Any] | None = None,
    importance: int | None = None, confirm: bool = False,
) -> str:  # fmt: skip
    """Change tags, metadata (null deletes a key) or importance, or confirm that a memory still holds."""
    changes = given(tags=tags, metadata=metadata, importance=importance)
    if not changes and not confirm:
        raise Invalid("Nothing to update; give tags, metadata, importance or confirm.")
    if changes:
        jay.update(id, **changes)
    if confirm:
        jay.confirm(id)
    return f"{'Confirmed' if confirm and not changes else 'Updated'} {id}"


@offered("write", destroys=True)
def memory_supersede(
    jay: Scrubjay, id: int, text: str | None = None, by: int | None = None, reason: str | None = None
) -> str:
    """Correct a memory that no longer holds: a new text, or the id of one that says it. The old one stays in the
    history."""
    return wording.added(jay.supersede(id, text, by=by, reason=reason), f"{id} is replaced by")


@offered("write", destroys=True)
def memory_delete(jay: Scrubjay, id: int) -> str:
    """Delete for good. Only when the user asks; else supersede."""
    gone = jay.get(id)
    jay.delete(id)
    return wording.deleted(gone) if gone else f"Deleted {id} for good."


@offered("read")
def memory_context(jay: Scrubjay, message: str | None = None, tokens: int | None = None) -> str:
    """What to know now: at a session's start without arguments (tasks, preferences, decisions), or for a message."""
    return jay.context(message, tokens).text or "There is nothing to tell."


TOOLS = (
    memory_add,
    memory_search,
    memory_get,
    memory_timeline,
    memory_update,
    memory_supersede,
    memory_delete,
    memory_context,
)
