"""Vectors that are still missing, and moving a whole memory to another embedder."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import ceil

from scrubjay.embedders import Embedder
from scrubjay.embedding import Progress, embed_memories
from scrubjay.errors import Invalid
from scrubjay.stores import State, Store
from scrubjay.types import Evicted, Filled, Limits, Memory, Model

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
    done = 0
    while True:
        filled = _fill(store, embedder, model, "building", LARGEST_BATCH, progress)
        done += filled.embedded
        if store.finish(filled.failed):
            return Filled(done, filled.failed, 0)
        if not filled.embedded:
            return Filled(done, filled.failed, filled.remaining)


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
    total = store.count_pending(state)
    embedded, failed, after = 0, [], 0
    while memories := store.pending(state, after, batch):
        vectors, _ = embed_memories(embedder, memories)
        made = {memory.id: rows for memory, rows in zip(memories, vectors, strict=True) if rows is not None}
        store.fill(state, made, model)
        embedded += len(made)
        failed += [memory.id for memory in memories if memory.id not in made]
        after = memories[-1].id
        if progress:
            progress(embedded + len(failed), max(total, embedded + len(failed)))
    return Filled(embedded, tuple(failed), len(failed))
