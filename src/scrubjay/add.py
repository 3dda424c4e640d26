"""The write path: see whether it is known, embed it, store it, and say what it has to do with the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scrubjay.embedding import Choice, Progress, embed_memories
from scrubjay.errors import EmbedderMismatch, EmbedderUnavailable, Invalid, NotFound
from scrubjay.related import contradicted, retired_by, similar
from scrubjay.stores import Store
from scrubjay.types import Added, Hit, Memory, Step

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["add", "add_one"]

AUTOMATIC = "automatic: the same statement with another value"
UNEMBEDDED = "Stored without a vector, so found by words only until `scrubjay backfill`: {}"
REPLACED = "Replaces {}: {}"
CONFLICTS = "May contradict {}: {} (supersede it, or dismiss the conflict)"
SIMILAR = "Much like {}: {} (if it says the same, supersede that)"


def add(store: Store, choice: Choice, memories: Sequence[Memory], progress: Progress | None = None) -> list[Added]:
    """Store memories in one transaction, embedding only those that are new."""
    return [added for added, _ in _stored(store, choice, memories, None, progress)]


def add_one(
    store: Store,
    choice: Choice,
    memory: Memory,
    *,
    replaces: Step | None = None,
    auto_supersede: bool = False,
    apart_from: int | None = None,
) -> Added:
    """Store one memory and say what it has to do with the known ones, apart from one that it is meant to replace."""
    ((added, vectors),) = _stored(store, choice, [memory], replaces, None)
    if not added.created:
        return added
    vector = None if vectors is None else vectors[0]
    against = contradicted(store, added.memory, vector, memory.created_at)
    old = retired_by(added.memory, against) if auto_supersede else None
    if old is not None and not _retired(store, old, added.memory):
        old = None
    pairs = [(other, score) for other, score in against if other is not old and other.id != apart_from]
    store.put_conflicts([(other.id, added.memory.id, score) for other, score in pairs], memory.created_at)
    near = tuple(hit for hit in similar(store, added.memory, vector, memory.created_at) if hit.memory.id != apart_from)
    notes = (*added.notes, *_notes(old, [other for other, _ in pairs], near))
    return replace(added, similar=near, notes=notes)


def _retired(store: Store, old: Memory, new: Memory) -> bool:
    """Put the new one in the old one's place, unless another process has just replaced or deleted either."""
    step = Step(
        old=old.id, new=new.id, at=new.created_at, effective_at=new.happened_at, actor=new.actor, reason=AUTOMATIC
    )
    try:
        store.link(old.id, new.id, [new.space], step)
    except (Invalid, NotFound):
        return False
    return True


def _notes(old: Memory | None, contradicting: Sequence[Memory], near: Sequence[Hit]) -> list[str]:
    notes = [REPLACED.format(old.id, old.title)] if old else []
    notes += [CONFLICTS.format(other.id, other.title) for other in contradicting]
    told = {other.id for other in contradicting}
    return notes + [SIMILAR.format(hit.memory.id, hit.memory.title) for hit in near[:1] if hit.memory.id not in told]


def _stored(
    store: Store, choice: Choice, memories: Sequence[Memory], replaces: Step | None, progress: Progress | None
) -> list[tuple[Added, Matrix | None]]:
    known = store.known(memories)
    fresh = [memory for memory, before in zip(memories, known, strict=True) if before is None]
    made, problem = _vectors(choice, fresh, progress)
    each = iter(made)
    vectors = [next(each) if before is None else None for before in known]
    try:
        stored = store.put(memories, vectors, choice.model, replaces)
    except EmbedderMismatch as moved:  # by another process, just now: the memories are worth more than their vectors
        vectors, problem = [None] * len(memories), str(moved)
        stored = store.put(memories, vectors, None, replaces)
    notes = (UNEMBEDDED.format(problem),) if problem else ()
    return [
        (Added(memory, created, notes=notes if created else ()), rows)
        for (memory, created), rows in zip(stored, vectors, strict=True)
    ]


def _vectors(
    choice: Choice, memories: Sequence[Memory], progress: Progress | None
) -> tuple[Sequence[Matrix | None], str | None]:
    """A matrix for each memory, or None, and why if there is something to say about it."""
    nothing = [None] * len(memories)
    if choice.embedder is None or not memories:
        return nothing, choice.why_not if choice.wanted else None
    try:
        return embed_memories(choice.embedder, memories, progress)
    except EmbedderUnavailable as problem:
        return nothing, str(problem)
