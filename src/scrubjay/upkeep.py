"""Vectors that are still missing, and moving a whole memory to another embedder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING

from scrubjay.embedders import Embedder
from scrubjay.embedding import Progress, embed_memories
from scrubjay.errors import Invalid
from scrubjay.stores import NEWEST, State, Store
from scrubjay.types import Evicted, Filled, Limits, Memory, Model

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["BATCH", "backfill", "cleanup", "reindex"]

BATCH = 50
EVICTED_AT_ONCE = 100
OVER = "over the limit, and least recently used"
ROOM = 0.85  # evict down to this share of a limit, so that the next add does not evict again
LARGEST_BATCH = 200


def backfill(
    store: Store, embedder: Embedder, model: Model, batch: int = BATCH, progress: Progress | None = None
) -> Filled:
    """Give a vector to each memory that has none. Stopped halfway, it goes on where it was."""
    if isinstance(batch, bool) or not isinstance(batch, int) or not 1 <= batch <= LARGEST_BATCH:
        raise Invalid(f"batch must be a whole number from 1 to {LARGEST_BATCH}, not {batch!r}.")
    return _fill(store, embedder, model, "current", batch, progress)


def reindex(store: Store, embedder: Embedder, model: Model, progress: Progress | None = None) -> Filled:
    """Embed everything anew beside the current vectors, which answer until the last new one is there."""
    store.build(model)
    done, texts = 0, 0
    while True:
        filled = _fill(store, embedder, model, "building", LARGEST_BATCH, progress)
        done, texts = done + filled.embedded, texts + filled.texts
        if store.finish(filled.failed):
            return Filled(done, filled.failed, 0, texts)
        if not filled.embedded:
            return Filled(done, filled.failed, filled.remaining, texts)


def cleanup(store: Store, space: str, now: datetime, limits: Limits, dry_run: bool = False) -> list[Evicted]:
    """Remove what has expired, and beyond the limits what is used least; then give the space back."""
    gone = [Evicted(memory, "expired") for memory in store.expired(space, now)]
    if dry_run:
        expired = {evicted.memory.id for evicted in gone}
        over = [memory for memory in _beyond(store, space, now, limits) if memory.id not in expired]
        return gone + [Evicted(memory, OVER) for memory in over]
    _remove(store, gone)
    # How much room a memory takes is only known once it is gone.
    while over := _beyond(store, space, now, limits):
        evicted = [Evicted(memory, OVER) for memory in over]
        _remove(store, evicted)
        gone += evicted
    if gone:
        store.compact()
    return gone


def _remove(store: Store, gone: Sequence[Evicted]) -> None:
    for start in range(0, len(gone), EVICTED_AT_ONCE):
        store.remove([evicted.memory.id for evicted in gone[start : start + EVICTED_AT_ONCE]])


def _beyond(store: Store, space: str, now: datetime, limits: Limits) -> list[Memory]:
    """The memories to evict, so that a limit that is passed is kept to with some room to spare."""
    stats = store.stats(space, now)
    size = stats.memories + stats.superseded
    excess = 0
    if limits.memories and size > limits.memories:
        excess = size - int(limits.memories * ROOM)
    used = store.bytes_used()
    if limits.bytes and used > limits.bytes and size:
        excess = max(excess, ceil((used - limits.bytes * ROOM) / (used / size)))
    return store.expendable(space, now, excess) if excess else []


def _fill(
    store: Store, embedder: Embedder, model: Model, state: State, batch: int, progress: Progress | None
) -> Filled:
    """Fill in what is missing, the newest first; a text that was embedded before is not embedded again."""
    total = store.count_pending(state)
    done, texts, failed, before = 0, 0, [], NEWEST
    while memories := store.pending(state, before, batch):
        vectors, made = _vectors(store, embedder, state, memories)
        store.fill(state, vectors, model)
        failed += [memory.id for memory in memories if memory.id not in vectors]
        done, texts, before = done + len(vectors), texts + made, memories[-1].id
        if progress:
            progress(done + len(failed), max(total, done + len(failed)))
    return Filled(done, tuple(failed), len(failed), texts)


def _vectors(
    store: Store, embedder: Embedder, state: State, memories: Sequence[Memory]
) -> tuple[dict[int, Matrix], int]:
    """Vectors by memory, and how many texts were embedded for that."""
    known = store.embedded(state, {memory.digest for memory in memories})
    fresh = {memory.digest: memory for memory in memories if memory.digest not in known}
    rows, _ = embed_memories(embedder, list(fresh.values()))
    known |= {digest: vectors for digest, vectors in zip(fresh, rows, strict=True) if vectors is not None}
    return {memory.id: known[memory.digest] for memory in memories if memory.digest in known}, len(fresh)
