"""The core tools, which are always available: add, search, read, correct, delete."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.interfaces import answer_dicts, formatting
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.arguments import Item, arguments_of
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import Ids, Reply, Texts, given, row_count, tool
from scrubjay.types import Added, Mode, trust

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]

EVENTS = 20
NO_ITEM = "An item must be an object with the arguments of memory_add."
MAX_ITEMS = 100
MAX_IDS = 50


@tool("write", answers="add", always_load=True)
def memory_add(
    jay: Scrubjay, text: str, kind: str | None = None, subject: str | None = None, tags: Texts | None = None,
    aliases: Texts | None = None, cites: Texts | None = None, importance: int | None = None,
    confidence: float | None = None, context: str | None = None, metadata: dict[str, Any] | None = None,
    expires_at: str | None = None, supersedes: int | None = None, redact: bool = False,
) -> Reply:  # fmt: skip
    """Remember a preference, fact, decision or lesson: one statement, clear on its own, with names, dates and its
    subject. importance 1-10. No secrets."""
    fields = given(
        kind=kind, subject=subject, tags=tags, aliases=aliases, cites=cites, importance=importance,
        confidence=confidence, context=context, metadata=metadata, expires_at=expires_at,
    )  # fmt: skip
    return _reply(jay.add(text, supersedes=supersedes, redact=redact, **fields), "Remembered", "Stored")


@tool("write", answers="add --jsonl")
def memory_add_many(jay: Scrubjay, items: list[Item]) -> Reply:
    """Several memory_add at once, each stored or refused by itself."""
    if not 1 <= len(items) <= MAX_ITEMS:
        raise Invalid(f"items must be a list of 1 to {MAX_ITEMS} objects, each with the arguments of memory_add.")
    outcomes = {place: _outcome(jay, item) for place, item in enumerate(items, start=1)}
    text = "\n".join(f"{place}. {one.text}" for place, one in outcomes.items())
    data = {place: one.data for place, one in outcomes.items()}
    return Reply(text, answer_dicts.outcomes_dict(data, caller().error_text))


@tool("read", answers=("search", "search --explain"), always_load=True)
def memory_search(
    jay: Scrubjay, query: str, limit: int = 10, kinds: Texts | None = None, tags: Texts | None = None,
    subject: str | None = None, project: str | None = None, sources: Texts | None = None, since: str | None = None,
    until: str | None = None, as_of: str | None = None, include_superseded: bool = False,
    min_importance: int | None = None, min_confidence: float | None = None, min_score: float | None = None,
    mode: Mode | None = None, explain: bool = False, spaces: Texts | None = None,
    expand: int | None = None,
) -> Reply:  # fmt: skip
    """Recall, before answering whenever past work, decisions, people or preferences may matter. The query may name a
    time."""
    caller().need_spaces(*spaces or ())
    asked = given(
        kinds=kinds, tags=tags, subject=subject, project=project, sources=sources, since=since, until=until,
        as_of=as_of, include_superseded=include_superseded, min_importance=min_importance,
        min_confidence=min_confidence, min_score=min_score, mode=mode, spaces=spaces, expand=expand,
    )  # fmt: skip
    found = jay.search(query, limit=limit, **asked)
    data = formatting.results_dict(found, full=True, explain=True) if explain else found
    return Reply(replies.results(found, jay.conflicts(), explain), data)


@tool("read", answers=("get", "get --around"))
def memory_get(
    jay: Scrubjay, ids: Ids, around: int | None = None, offset: int = 0, field: str = "text", space: str | None = None
) -> Reply:
    """Full text; around: lines or turns on each side."""
    if space is not None:
        caller().need_spaces(space)
        jay = jay.lend(space=space)
    ids = list(dict.fromkeys(ids))
    if not ids or offset < 0:
        raise Invalid("Give at least one id, and an offset of 0 or more.")
    if len(ids) > MAX_IDS:
        raise Invalid(f"Give at most {MAX_IDS} ids at a time, not {len(ids):,}.")
    if field not in replies.FIELDS:
        raise Invalid(f"field must be one of {', '.join(replies.FIELDS)}.")
    found = jay.get_many(ids)
    missing = sorted(set(ids) - {memory.id for memory in found})
    if not found:
        raise NotFound(f"There is no memory {', '.join(map(str, missing))} in space {jay.space!r}.")
    if around is not None:
        row_count("around", around)
        excerpts = [jay.excerpt(memory.id, around=around) for memory in found]
        return Reply(replies.excerpts(excerpts, missing, jay.space), {"excerpts": excerpts})
    cited = {memory.id: jay.citations(memory.id) for memory in found if memory.cites}
    return Reply(replies.cards(found, missing, jay.space, offset, field, cited), {"memories": found})


@tool("read", answers="timeline")
def memory_timeline(
    jay: Scrubjay, id: int | None = None, window: int = 5, since: str | None = None, until: str | None = None,
    kinds: Texts | None = None, query: str | None = None,
) -> Reply:  # fmt: skip
    """What happened around a memory, or between dates."""
    row_count("window", window)
    happened = jay.timeline(id, window, since=since, until=until, kinds=kinds or (), query=query, limit=EVENTS)
    more = id is None and len(happened) == EVENTS
    notes = [f"Only the newest {EVENTS}; narrow since and until for others."] if more else []
    notes += jay.filter_notes(kinds=kinds) if kinds else []
    text = replies.lines(replies.events(happened), notes, "Nothing happened then.")
    return Reply(text, {"events": happened, "notes": notes})


@tool("write", answers="update")
def memory_update(
    jay: Scrubjay, id: int, tags: Texts | None = None, metadata: dict[str, Any] | None = None,
    importance: int | None = None, confirm: bool = False,
) -> Reply:  # fmt: skip
    """Change fields (null deletes a metadata key), or confirm that it still holds."""
    changes = given(tags=tags, metadata=metadata, importance=importance)
    if not changes and not confirm:
        raise Invalid("Nothing to update; give tags, metadata, importance or confirm.")
    updated = jay.update(id, **changes) if changes else None
    memory = jay.confirm(id) if confirm else updated
    warning = trust.update_warning(updated, jay.trust) if updated else None
    done = f"{'Updated' if updated else 'Confirmed'} {id}"
    text = "\n".join([done, *replies.note_lines([warning] if warning and caller().may("read") else [])])
    return Reply(text, memory)


@tool("write", answers="supersede", destroys=True)
def memory_supersede(
    jay: Scrubjay, id: int, text: str | None = None, by: int | None = None, reason: str | None = None
) -> Reply:
    """Correct what no longer holds, by a new text or a memory that says it. The old one is kept."""
    replaced = f"{id} is replaced by"
    return _reply(jay.supersede(id, text, by=by, reason=reason), replaced, replaced, replaced)


@tool("write", answers="delete", destroys=True)
def memory_delete(jay: Scrubjay, id: int) -> Reply:
    """Delete. Only when the user asks; else supersede."""
    before = jay.get(id) if caller().may("read") else None
    jay.delete(id)
    return Reply(replies.deleted(before) if before else f"Deleted {id}.", {"deleted": [id]})


@tool("read", answers="context")
def memory_context(
    jay: Scrubjay, message: str | None = None, tokens: int | None = None, session: str | None = None
) -> Reply:
    """What to know at a start, or for a message; a session gets nothing twice."""
    found = jay.context(message, tokens, session=session)
    data = answer_dicts.context_dict(replace(found, notes=(*found.notes, *jay.notes)))
    return Reply(replies.context(found.text, jay.notes), data)


def _outcome(jay: Scrubjay, item: Any) -> Reply:
    try:
        if not isinstance(item, dict):
            raise Invalid(NO_ITEM)
        return memory_add.function(jay, **arguments_of(memory_add.function).check(item))
    except ScrubjayError as problem:
        return Reply(f"Refused: {caller().error_text(problem)}", problem)


def _reply(added: Added, verb: str, verb_without_read: str, known: str = replies.KNOWN) -> Reply:
    """The result of adding; a caller that may not read gets the id, and nothing about similar memories."""
    may_read = caller().may("read")
    return Reply(replies.added(added, verb, known) if may_read else replies.stored(added, verb_without_read), added)


TOOLS = (
    memory_add,
    memory_add_many,
    memory_search,
    memory_get,
    memory_timeline,
    memory_update,
    memory_supersede,
    memory_delete,
    memory_context,
)
