"""Cleanup: what has expired, and what is beyond the limits, goes to the trash; old trash is erased."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from math import ceil

from scrubjay.memory.trash import Trash
from scrubjay.memory.view import View
from scrubjay.types import Evicted, Limits, Memory

__all__ = ["cleanup", "prune_cached_vectors"]

EVICTED_AT_ONCE = 100
OVER_THE_LIMIT = "over the limit, and least recently used"
FILL_TO = 0.85  # evict down to this share of a limit, so that the next add does not evict again


def cleanup(view: View, dry_run: bool = False) -> list[Evicted]:
    """What was, or with `dry_run` would be, moved to the trash, and why."""
    now = view.clock()
    gone = [Evicted(memory, "expired") for memory in view.store.maintenance.expired(view.space, now)]
    if dry_run:
        expired = {evicted.memory.id for evicted in gone}
        over = [memory for memory in _beyond_the_limits(view, now) if memory.id not in expired]
        return gone + [Evicted(memory, OVER_THE_LIMIT) for memory in over]
    prune_cached_vectors(view)
    _remove(view, gone, now)
    # How much room a memory takes is only known once it is gone.
    while over := _beyond_the_limits(view, now):
        evicted = [Evicted(memory, OVER_THE_LIMIT) for memory in over]
        _remove(view, evicted, now)
        gone += evicted
    Trash(view).erase_due()
    return gone


def prune_cached_vectors(view: View) -> None:
    """Delete vectors of texts that have been out of use for longer than the settings say, or take too much room."""
    view.store.vectors.prune(view.clock(), view.setting("sync.cache_days"), view.setting("cache.bytes"))


def _remove(view: View, gone: Sequence[Evicted], now: datetime) -> None:
    for reason, group in groupby(gone, key=lambda evicted: evicted.reason):
        ids = [evicted.memory.id for evicted in group]
        for start in range(0, len(ids), EVICTED_AT_ONCE):
            view.store.trash.evict(ids[start : start + EVICTED_AT_ONCE], now, reason)


def _beyond_the_limits(view: View, now: datetime) -> list[Memory]:
    """The memories to evict where a limit is exceeded."""
    limits = Limits(view.setting("limits.memories"), view.setting("limits.bytes"))
    stats = view.store.maintenance.stats(view.space, now)
    memories = stats.memories + stats.superseded
    excess = 0
    if limits.memories and memories > limits.memories:
        excess = memories - int(limits.memories * FILL_TO)
    used = view.store.maintenance.bytes_used() - view.store.trash.bytes()
    if limits.bytes and used > limits.bytes and memories:
        excess = max(excess, ceil((used - limits.bytes * FILL_TO) / (used / memories)))
    return view.store.maintenance.expendable(view.space, now, excess) if excess else []
