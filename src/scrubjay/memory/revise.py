"""How knowledge changes: a memory is updated, replaced by another, confirmed, deleted; each change can be undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Invalid, NotFound, StoreError
from scrubjay.memory.add import add, with_trust_warning
from scrubjay.memory.arguments import memory_id, short_text
from scrubjay.memory.fields import FIELDS, UPDATABLE, checked, given_names
from scrubjay.memory.trash import Trash
from scrubjay.memory.view import View
from scrubjay.models.embedding import embed_memories
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, TRUST, Added, Memory, first_words, limits

if TYPE_CHECKING:
    from scrubjay.types.history import History, Reverted

__all__ = [
    "confirm",
    "delete",
    "dismiss",
    "history",
    "replace_by_text",
    "revert",
    "supersede",
    "undelete",
    "update",
]

LISTS = ("tags", "aliases", "cites", "paths")


def update(view: View, id: int, fields: Mapping[str, Any], *, redact: bool = False) -> Memory:
    """Change fields. A new title is embedded anew, because it is part of what is searched by meaning."""
    embedder, memory, now = view.selection.follow_store().embedder, view.existing(id), view.clock()
    _edited(memory, fields, now)  # what is too long is refused before it is scanned for secrets, which takes time
    given = view.allowed_beside(memory.text, view.allowed(dict(fields), redact), redact)
    if given.get("cites"):
        given["cites"] = view.cited(checked("cites", given["cites"], now))
    after = _edited(memory, given, now)
    vectors = None
    if after.title != memory.title and embedder is not None:
        (vectors,) = embed_memories(embedder, [after]).vectors
    return view.store.memories.change(
        memory.id, [memory.space], lambda current: _edited(current, given, now), vectors, view.actor
    )  # fmt: skip


def _edited(memory: Memory, fields: Mapping[str, Any], now: datetime) -> Memory:
    if "text" in fields:
        raise Invalid(f"A memory's text is never changed in place; use supersede({memory.id}, …).")
    if unknown := sorted(set(fields) - UPDATABLE):
        raise Invalid(f"{quoted(unknown[0])} cannot be updated; you can update {', '.join(sorted(UPDATABLE))}.")
    changes: dict[str, Any] = {
        name: None if value is None else checked(name, value, now) for name, value in fields.items()
    }
    if "metadata" in changes:
        merged = {**memory.metadata, **(changes["metadata"] or {})}
        changes["metadata"] = {key: value for key, value in merged.items() if value is not None}
        if any(value is not None for value in (fields["metadata"] or {}).values()):  # removing keys is always allowed
            limits.check_metadata(changes["metadata"])
    if "title" in changes:
        changes["title"] = changes["title"] or first_words(memory.text)
    if empty := [name for name, value in changes.items() if value is None and not FIELDS[name].may_be_empty]:
        raise Invalid(f"{empty[0]} cannot be empty.")
    changes |= {name: changes[name] or () for name in LISTS if name in changes}
    return replace(memory, **changes, updated_at=now)


def supersede(
    view: View, id: int, text: str | None, by: int | None, reason: str | None, fields: Mapping[str, Any], *,
    redact: bool = False, allow_secret: bool = False,
) -> Added:  # fmt: skip
    """Replace a memory by a new text, or by another memory."""
    if (text is None) == (by is None):
        raise Invalid("Give either a new text, or (by) the memory that takes its place.")
    if by is None:
        return replace_by_text(view, [id], text or "", reason, fields, redact=redact, allow_secret=allow_secret)
    if fields:
        raise Invalid("The memory that takes its place stays as it is; change it with update.")
    old = view.existing(id)
    view.store.revisions.link(id, memory_id(by), [view.space], view.step(id, reason, redact))
    return with_trust_warning(view, Added(view.existing(by), created=False), old)


def replace_by_text(
    view: View, ids: Sequence[int], text: str, reason: str | None, fields: Mapping[str, Any], *,
    redact: bool = False, allow_secret: bool = False,
) -> Added:  # fmt: skip
    """Replace memories by one new text, as one change; it inherits fields of the first."""
    olds = [view.existing(id) for id in ids]
    steps = [view.step(old.id, reason, redact) for old in olds]
    added = add(
        view, text, _inherited(olds[0], fields), replaces=steps, given=given_names(fields), redact=redact,
        allow_secret=allow_secret,
    )  # fmt: skip
    return with_trust_warning(view, added, max(olds, key=lambda old: TRUST.index(old.trust)))


def _inherited(old: Memory, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a successor: what was given, else what the old memory had."""
    kept = {name: getattr(old, name) for name, field in FIELDS.items() if field.inherited}
    if old.kind in KINDS_CUT_FROM_A_SOURCE:
        del kept["kind"]  # the correction of a turn was not said in that conversation
    return {**kept, **fields}


def revert(view: View, id: int, reason: str | None = None) -> Reverted:
    """Undo the last change of a memory."""
    undone = view.store.revisions.undo(
        memory_id(id), [view.space], view.clock(), view.actor, view.reason(reason), view.trust
    )  # fmt: skip
    if "title" in undone.fields:
        with suppress(NotFound, StoreError):  # it has expired, or there is no room: `backfill` makes its vectors
            _embed_again(view, view.existing(undone.old))
    return undone


def _embed_again(view: View, memory: Memory) -> None:
    """Make the vectors of a title that was changed back; without an embedder, `backfill` makes them later."""
    selection = view.selection.follow_store()
    if selection.embedder is not None and selection.model is not None:
        (vectors,) = embed_memories(selection.embedder, [memory]).vectors
        if vectors is not None:
            view.store.vectors.fill("current", {memory.id: vectors}, selection.model)


def confirm(view: View, id: int, undo: bool = False) -> Memory:
    """Count one more confirmation, or one less."""
    now = view.clock()

    def counted(memory: Memory) -> Memory:
        if not undo:
            return replace(memory, confirmed_count=memory.confirmed_count + 1, confirmed_at=now)
        if not memory.confirmed_count:
            raise Invalid(f"Memory {id} was never confirmed; there is nothing to undo.")
        left = memory.confirmed_count - 1
        return replace(memory, confirmed_count=left, confirmed_at=memory.confirmed_at if left else None)

    return view.store.memories.change(memory_id(id), [view.space], counted)


def dismiss(view: View, older: int, newer: int, undo: bool = False) -> None:
    pair, conflicts = (memory_id(older), memory_id(newer)), view.store.conflicts
    if undo:
        conflicts.reopen(*pair, view.space)
    else:
        conflicts.dismiss(*pair, view.space, view.clock())


def delete(view: View, ids: Sequence[int]) -> None:
    """Move memories to the trash: all of them, or none if one is missing."""
    if not ids:
        raise Invalid("Name at least one memory to delete, by its id.")
    view.store.trash.put(list(dict.fromkeys(map(memory_id, ids))), [view.space], view.clock(), view.actor)
    if not Trash(view).days:
        Trash(view).erase_due()


def undelete(view: View, id: int) -> Memory:
    """Take a memory out of the trash, with at most the trust of the caller; of a record, returns what holds."""
    only_by = view.actor or "" if view.restores_only_own else None
    return view.store.trash.take_out(memory_id(id), [view.space], view.clock(), view.trust, only_by)


def history(view: View, id: int | None, subject: str | None) -> History:
    """The memories that one replaced or that replaced it, or all of a subject: the oldest first, with the steps."""
    if (id is None) == (subject is None):
        raise Invalid("Give history either an id or a subject.")
    if subject is not None:
        return view.store.revisions.of_subject(short_text("subject", subject), view.space)
    return view.store.revisions.chain(memory_id(id), [view.space])
