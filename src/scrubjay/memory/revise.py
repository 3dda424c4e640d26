"""How knowledge changes: one memory takes the place of another, and both stay readable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.memory.fields import FIELDS, checked
from scrubjay.models.embedders import Embedder
from scrubjay.models.embedding import Choice, embed_memories
from scrubjay.stores import Store
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Added, Memory, Step, Trust, first_words, limits, trust

__all__ = ["confirm", "edited", "embed_again", "inherited", "linked", "update", "warned"]

INHERITED = ("kind", "subject", "project", "tags", "importance")
NEVER_UPDATED = {"source", "trust", "session", "happened_at", "client", "actor"}


def inherited(old: Memory, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a successor: what was given, else what its predecessor had."""
    kept = {name: getattr(old, name) for name in INHERITED}
    if old.kind in KINDS_CUT_FROM_A_SOURCE:
        del kept["kind"]  # what corrects a turn was not said in that conversation
    return {**kept, **fields}


def linked(store: Store, old: int, added: Added, step: Step, door: Trust) -> Added:
    """Put what was just added in the place of another. If that cannot be, the memory is worth more than the link."""
    try:
        before = store.revisions.link(old, added.memory.id, [added.memory.space], step)
    except ScrubjayError as problem:
        return replace(added, notes=(*added.notes, f"Replaces nothing: {problem}"))
    return warned(added, before, door)


def warned(added: Added, old: Memory, door: Trust) -> Added:
    warning = trust.warning(added.memory, old, door)
    return replace(added, notes=(*added.notes, warning)) if warning else added


def confirm(store: Store, id: int, space: str, now: datetime) -> Memory:
    def count(memory: Memory) -> Memory:
        return replace(memory, confirmed_count=memory.confirmed_count + 1, confirmed_at=now)

    return store.memories.change(id, [space], count)


def update(
    store: Store, embedder: Embedder | None, memory: Memory, fields: Mapping[str, Any], now: datetime, actor: str | None
) -> Memory:
    """Change what is not text. A new title is embedded anew, since it is part of what is searched by meaning."""
    after = edited(memory, fields, now)
    vectors = None
    if after.title != memory.title and embedder is not None:
        (vectors,) = embed_memories(embedder, [after]).rows
    return store.memories.change(
        memory.id, [memory.space], lambda current: edited(current, fields, now), vectors, actor
    )


def embed_again(store: Store, choice: Choice, memory: Memory) -> None:
    """Give a memory whose title has changed back the vectors of that title; without an embedder, `backfill` does."""
    if choice.embedder is not None and choice.model is not None:
        (rows,) = embed_memories(choice.embedder, [memory]).rows
        if rows is not None:
            store.vectors.fill("current", {memory.id: rows}, choice.model)


def edited(memory: Memory, fields: Mapping[str, Any], now: datetime) -> Memory:
    if "text" in fields:
        raise Invalid(f"A memory's text is never changed in place; use supersede({memory.id}, …).")
    if unknown := sorted(set(fields) - (FIELDS - NEVER_UPDATED)):
        raise Invalid(f"{unknown[0]!r} cannot be updated; you can update {', '.join(sorted(FIELDS - NEVER_UPDATED))}.")
    changes: dict[str, Any] = {
        name: None if value is None else checked(name, value, now) for name, value in fields.items()
    }
    if "metadata" in changes:
        merged = {**memory.metadata, **(changes["metadata"] or {})}
        changes["metadata"] = {key: value for key, value in merged.items() if value is not None}
        if any(value is not None for value in (fields["metadata"] or {}).values()):  # to take away is always allowed
            limits.check_metadata(changes["metadata"])
    if "title" in changes:
        changes["title"] = changes["title"] or first_words(memory.text)
    if empty := [name for name in ("kind", "importance", "confidence") if name in changes and changes[name] is None]:
        raise Invalid(f"{empty[0]} cannot be empty.")
    if "tags" in changes:
        changes["tags"] = changes["tags"] or ()
    return replace(memory, **changes, updated_at=now)
