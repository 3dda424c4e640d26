"""Vectors that are still missing, and moving a whole memory to another embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from math import ceil
from typing import NamedTuple

from scrubjay.errors import Damaged, EmbedderError, EmbedderUnavailable, Invalid
from scrubjay.models.embedders import Embedder
from scrubjay.models.embedding import Choice, Embedded, Progress, embed_memories
from scrubjay.stores import NEWEST, State, Store
from scrubjay.types import Check, Evicted, Limits, Memory
from scrubjay.types.models import Filled, Model

__all__ = ["BATCH", "LARGEST_BATCH", "Filling", "backfill", "check_vectors", "cleanup", "ready", "reindex"]

BATCH = 50
EVICTED_AT_ONCE = 100
OVER = "over the limit, and least recently used"
ROOM = 0.85  # evict down to this share of a limit, so that the next add does not evict again
LARGEST_BATCH = 200


def backfill(
    store: Store, choice: Choice, now: datetime, batch: int = BATCH, progress: Progress | None = None, *,
    retry: bool = False,
) -> Filled:  # fmt: skip
    """Give a vector to each memory that has none. Stopped halfway, it goes on where it was."""
    if isinstance(batch, bool) or not isinstance(batch, int) or not 1 <= batch <= LARGEST_BATCH:
        raise Invalid(f"batch must be a whole number from 1 to {LARGEST_BATCH}, not {batch!r}.")
    if choice.embedder is None:
        raise EmbedderUnavailable(f"There is nothing to embed with: {choice.why_not}")
    if not store.vectors.count_pending("current", refused=retry):
        return Filled(0, (), 0, quarantined=len(store.ledger.quarantined()))
    embedder, model = ready(choice.settled())
    return Filling(store, partial(embed_memories, embedder), model, "current", now, retry).run(batch, progress)


def reindex(
    store: Store, embedder: Embedder, model: Model, now: datetime, keep_bytes: int, progress: Progress | None = None
) -> Filled:
    """Embed everything anew beside the current vectors, which answer until the last new one is there."""
    store.vectors.build(model)
    done, texts = 0, 0
    failed: tuple[int, ...] = ()
    while True:
        filled = Filling(store, partial(embed_memories, embedder), model, "building", now).run(LARGEST_BATCH, progress)
        done, texts, failed = done + filled.embedded, texts + filled.texts, (*failed, *filled.failed)
        if store.vectors.finish(now, keep_bytes):
            return Filled(done, failed, 0, texts, len(store.ledger.quarantined()))
        if not filled.embedded and not filled.failed:
            return Filled(done, failed, filled.remaining, texts)


def cleanup(store: Store, space: str, now: datetime, limits: Limits, dry_run: bool = False) -> list[Evicted]:
    """Move what has expired to the trash, and beyond the limits what is used least."""
    gone = [Evicted(memory, "expired") for memory in store.maintenance.expired(space, now)]
    if dry_run:
        expired = {evicted.memory.id for evicted in gone}
        over = [memory for memory in _beyond(store, space, now, limits) if memory.id not in expired]
        return gone + [Evicted(memory, OVER) for memory in over]
    _remove(store, gone, now)
    # How much room a memory takes is only known once it is gone.
    while over := _beyond(store, space, now, limits):
        evicted = [Evicted(memory, OVER) for memory in over]
        _remove(store, evicted, now)
        gone += evicted
    return gone


def _remove(store: Store, gone: Sequence[Evicted], now: datetime) -> None:
    for reason, alike in groupby(gone, key=lambda evicted: evicted.reason):
        ids = [evicted.memory.id for evicted in alike]
        for start in range(0, len(ids), EVICTED_AT_ONCE):
            store.trash.evict(ids[start : start + EVICTED_AT_ONCE], now, reason)


def _beyond(store: Store, space: str, now: datetime, limits: Limits) -> list[Memory]:
    """The memories to evict, so that a limit that is passed is kept to with some room to spare."""
    stats = store.maintenance.stats(space, now)
    size = stats.memories + stats.superseded
    excess = 0
    if limits.memories and size > limits.memories:
        excess = size - int(limits.memories * ROOM)
    used = store.maintenance.bytes_used() - store.trash.bytes()
    if limits.bytes and used > limits.bytes and size:
        excess = max(excess, ceil((used - limits.bytes * ROOM) / (used / size)))
    return store.maintenance.expendable(space, now, excess) if excess else []


def check_vectors(store: Store, choice: Choice, report: Check, now: datetime, repair: bool) -> Check:
    """Add to a report how many memories have no vector though the others have; a repair makes them."""
    try:
        missing = store.vectors.count_pending("current") if store.vectors.model() else 0
    except Damaged:
        missing = 0  # what cannot be read is in the report
    if not missing:
        return report
    sentence = f"{missing} {'memory has' if missing == 1 else 'memories have'} no vector"
    if repair and choice.embedder is not None:
        try:
            filled = backfill(store, choice, now)
            if not filled.remaining and not filled.failed:
                return Check(report.problems, [*report.repaired, f"{sentence}."])
        except EmbedderError as problem:
            sentence = f"{sentence} ({problem})"
    return Check([*report.problems, f"{sentence}; `scrubjay backfill` makes what is missing."], report.repaired)


def ready(choice: Choice) -> tuple[Embedder, Model]:
    if choice.embedder is None or choice.model is None:
        raise EmbedderUnavailable(f"There is nothing to embed with: {choice.why_not}")
    return choice.embedder, choice.model


class Filling(NamedTuple):
    """Vectors of one model, for memories that have none; a text that was embedded before is not embedded again."""

    store: Store
    make: Callable[[Sequence[Memory]], Embedded]
    model: Model
    state: State
    now: datetime
    retry: bool = False

    def run(self, batch: int, progress: Progress | None) -> Filled:
        """The newest first. What the embedder refuses is set aside; when it goes away, what is done stays done."""
        total = self.store.vectors.count_pending(self.state, self.retry)
        done, texts, before = 0, 0, NEWEST
        refused: list[int] = []
        while memories := self.store.vectors.pending(self.state, before, batch, self.retry):
            filled = self._fill(memories)
            done, texts, before = done + filled.embedded, texts + filled.texts, memories[-1].id
            refused += filled.failed
            if progress:
                progress(done + len(refused), max(total, done + len(refused)))
        waiting = self.store.vectors.count_pending(self.state)
        return Filled(done, tuple(refused), waiting, texts, len(self.store.ledger.quarantined()))

    def _fill(self, memories: Sequence[Memory]) -> Filled:
        known = self.store.vectors.embedded(self.state, {memory.digest for memory in memories})
        fresh = {memory.digest: memory for memory in memories if memory.digest not in known}
        made = self.make(list(fresh.values()))
        known |= {digest: rows for digest, rows in zip(fresh, made.rows, strict=True) if rows is not None}
        reasons = {digest: made.refused[place] for place, digest in enumerate(fresh) if place in made.refused}
        vectors = {memory.id: known[memory.digest] for memory in memories if memory.digest in known}
        refused = {memory.id: reasons[memory.digest] for memory in memories if memory.digest in reasons}
        self.store.vectors.fill(self.state, vectors, self.model)
        self.store.ledger.quarantine(self.state, refused, self.now)
        if made.away:
            raise made.away
        return Filled(len(vectors), tuple(refused), 0, sum(rows is not None for rows in made.rows))
