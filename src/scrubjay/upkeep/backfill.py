"""Making vectors that are missing, and moving a whole memory to another embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from scrubjay.errors import EmbedderUnavailable, Invalid
from scrubjay.memory.view import View
from scrubjay.models.embedders import Embedder
from scrubjay.models.embedding import Embedded, Progress, embed_memories
from scrubjay.models.selection import EmbedderSelection
from scrubjay.stores import NEWEST, State, Store
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import Memory, Model, limits
from scrubjay.types.models import Filled

__all__ = ["LARGEST_BATCH", "Filling", "backfill", "embedder_and_model", "reindex"]

LARGEST_BATCH = 200
NOTHING_TO_EMBED_WITH = "There is nothing to embed with: {}"


def backfill(
    view: View, batch: int = limits.BACKFILL_BATCH, progress: Progress | None = None, *, retry: bool = False
) -> Filled:  # fmt: skip
    """Make a vector for each memory that has none; if this is stopped, the next call continues."""
    if isinstance(batch, bool) or not isinstance(batch, int) or not 1 <= batch <= LARGEST_BATCH:
        raise Invalid(f"batch must be a whole number from 1 to {LARGEST_BATCH}, not {quoted(batch)}.")
    store, selection = view.store, view.selection.follow_store()
    if selection.embedder is None:
        raise EmbedderUnavailable(NOTHING_TO_EMBED_WITH.format(selection.why_none))
    if not store.vectors.count_pending("current", refused=retry):
        return Filled(0, (), 0, quarantined=len(store.ledger.quarantined()))
    embedder, model = embedder_and_model(selection)
    return Filling(store, partial(embed_memories, embedder), model, "current", view.clock(), retry).run(batch, progress)


def embedder_and_model(selection: EmbedderSelection) -> tuple[Embedder, Model]:
    """The embedder, once its model has answered."""
    selection.ensure_model()
    if selection.embedder is None or selection.model is None:
        raise EmbedderUnavailable(NOTHING_TO_EMBED_WITH.format(selection.why_none))
    return selection.embedder, selection.model


def reindex(view: View, embedder: str | Embedder, progress: Progress | None = None) -> Filled:
    """Make all vectors anew with another embedder; the old ones answer until the last new one is made."""
    with view.selection.open_other(embedder) as (opened, model):
        filled = _build(view, opened, model, progress)
    if not filled.remaining:
        view.selection.select(embedder)
    return filled


def _build(view: View, embedder: Embedder, model: Model, progress: Progress | None) -> Filled:
    store, now = view.store, view.clock()
    store.vectors.build(model)
    done, texts = 0, 0
    failed: tuple[int, ...] = ()
    filling = Filling(store, partial(embed_memories, embedder), model, "building", now)
    while True:
        filled = filling.run(LARGEST_BATCH, progress)
        done, texts, failed = done + filled.embedded, texts + filled.texts, (*failed, *filled.failed)
        if store.vectors.finish(now, view.setting("cache.bytes")):
            return Filled(done, failed, 0, texts, len(store.ledger.quarantined()))
        if not filled.embedded and not filled.failed:
            return Filled(done, failed, filled.remaining, texts)


class Filling(NamedTuple):
    """Makes vectors of one model for memories that have none; a text that was embedded before is not embedded again."""

    store: Store
    embed: Callable[[Sequence[Memory]], Embedded]
    model: Model
    state: State
    now: datetime
    retry: bool = False

    def run(self, batch: int, progress: Progress | None) -> Filled:
        """The newest first. What the embedder refuses is quarantined; if it becomes unavailable, what is done stays."""
        total = self.store.vectors.count_pending(self.state, self.retry)
        done, texts, before = 0, 0, NEWEST
        refused: list[int] = []
        while memories := self.store.vectors.pending(self.state, before, batch, self.retry):
            filled = self._fill(memories)
            done, texts, before = done + filled.embedded, texts + filled.texts, memories[-1].id
            refused += filled.failed
            if progress:
                progress(done + len(refused), max(total, done + len(refused)))
        remaining = self.store.vectors.count_pending(self.state)
        return Filled(done, tuple(refused), remaining, texts, len(self.store.ledger.quarantined()))

    def _fill(self, memories: Sequence[Memory]) -> Filled:
        known = self.store.vectors.embedded(self.state, {memory.digest for memory in memories})
        fresh = {memory.digest: memory for memory in memories if memory.digest not in known}
        made = self.embed(list(fresh.values()))
        known |= {digest: own for digest, own in zip(fresh, made.vectors, strict=True) if own is not None}
        reasons = {digest: made.refused[index] for index, digest in enumerate(fresh) if index in made.refused}
        vectors = {memory.id: known[memory.digest] for memory in memories if memory.digest in known}
        refused = {memory.id: reasons[memory.digest] for memory in memories if memory.digest in reasons}
        self.store.vectors.fill(self.state, vectors, self.model)
        self.store.ledger.quarantine(self.state, refused, self.now)
        if made.unavailable:
            raise made.unavailable
        return Filled(len(vectors), tuple(refused), 0, sum(own is not None for own in made.vectors))
