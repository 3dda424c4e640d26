"""Cleanup: what has expired, and what is beyond the limits, goes to the trash; old trash is erased."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from math import ceil

from scrubjay.memory.trash import Trash
from scrubjay.memory.view import View
from scrubjay.types import TRUST, Memory, Trust
from scrubjay.types.reports import Cleaned, Evicted, LimitUse
from scrubjay.upkeep.figures import limits_used

__all__ = ["cleanup", "prune_cached_vectors"]

EVICTED_AT_ONCE = 100
OVER_THE_LIMIT = "over the limit, and least recently used"
FILL_TO = 0.85  # evict down to this share of a limit, so that the next add does not evict again
# Short, because it is a line of the activity, too.
STILL_OVER = (
    "{0.setting} is exceeded: {0.used:,} of {0.most:,}. The rest is protected: decisions, records, open tasks, what is"
    " important, active sessions, what the user told. Delete some, or raise the limit."
)


def cleanup(view: View, dry_run: bool = False, trusts: Sequence[Trust] = TRUST) -> Cleaned:
    """What was, or with `dry_run` would be, moved to the trash, and why; beyond the limits, only of these trusts."""
    now = view.clock()
    gone = [Evicted(memory, "expired") for memory in view.store.maintenance.expired(view.space, now)]
    if dry_run:
        expired = {evicted.memory.id for evicted in gone}
        over = [memory for memory in _beyond_the_limits(view, now, trusts) if memory.id not in expired]
        return Cleaned((*gone, *(Evicted(memory, OVER_THE_LIMIT) for memory in over)), _still_over(view, len(over)))
    prune_cached_vectors(view)
    _remove(view, gone, now)
    # How much room a memory takes is only known once it is gone.
    while over := _beyond_the_limits(view, now, trusts):
        evicted = [Evicted(memory, OVER_THE_LIMIT) for memory in over]
        _remove(view, evicted, now)
        gone += evicted
    Trash(view).erase_due()
    return Cleaned(tuple(gone), _still_over(view))


def prune_cached_vectors(view: View) -> None:
    """Delete vectors of texts that have been out of use for longer than the settings say, or take too much room."""
    view.store.vectors.prune(view.clock(), view.setting("sync.cache_days"), view.setting("cache.bytes"))


def _remove(view: View, gone: Sequence[Evicted], now: datetime) -> None:
    for reason, group in groupby(gone, key=lambda evicted: evicted.reason):
        ids = [evicted.memory.id for evicted in group]
        for start in range(0, len(ids), EVICTED_AT_ONCE):
            view.store.trash.evict(ids[start : start + EVICTED_AT_ONCE], now, reason)


def _beyond_the_limits(view: View, now: datetime, trusts: Sequence[Trust]) -> list[Memory]:
    """The memories to evict where a limit is exceeded."""
    excess = max((_excess(view, limit, now) for limit in limits_used(view)), default=0)
    return view.store.maintenance.expendable(view.space, now, excess, trusts) if excess else []


def _excess(view: View, limit: LimitUse, now: datetime) -> int:
    """How many memories to evict so that a limit is no longer exceeded, and the next add does not exceed it again."""
    memories = view.store.maintenance.count(view.space, now)
    if limit.used <= limit.most or not memories:
        return 0
    bytes_each = limit.used / memories if limit.setting == "limits.bytes" else 1
    return ceil((limit.used - int(limit.most * FILL_TO)) / bytes_each)


def _still_over(view: View, planned: int = 0) -> tuple[str, ...]:
    """A sentence for each limit that is exceeded although nothing more may be evicted."""
    over = (limit for limit in limits_used(view) if limit.used > limit.most)
    left = (limit for limit in over if not planned or limit.used - planned > limit.most)
    return tuple(STILL_OVER.format(limit) for limit in left if not planned or limit.setting == "limits.memories")
