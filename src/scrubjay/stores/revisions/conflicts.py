"""Open conflicts: pairs about one subject that seem to contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from scrubjay.errors import NotFound
from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Engine, Rows
from scrubjay.stores.rows import existing, get

if TYPE_CHECKING:
    from scrubjay.types.history import Conflict

__all__ = ["COLUMNS", "Conflicts", "put_conflicts"]

COLUMNS = ("older", "newer", "score", "found_at", "dismissed_at")
PUT = """
    insert into conflicts (older, newer, score, found_at)
    select o.id, n.id, :score, :at from memories o, memories n where o.id = :older and n.id = :newer
    on conflict do nothing
"""
DISMISS = """
    update conflicts set dismissed_at = :at where dismissed_at is null
    and (older, newer) in ((:older, :newer), (:newer, :older))
"""
REOPEN = """
    update conflicts set dismissed_at = null where dismissed_at is not null
    and (older, newer) in ((:older, :newer), (:newer, :older))
"""
OPEN = """
    select c.older, c.newer, c.score from conflicts c
    cross join memories n on n.id = c.newer cross join memories o on o.id = c.older
    where n.space = :space and c.dismissed_at is null and o.superseded_at is null and n.superseded_at is null
    and coalesce(o.expires_at, '9') > :now and coalesce(n.expires_at, '9') > :now
    order by c.found_at desc, c.newer desc
"""


class Conflicts:
    """Pairs of memories that seem to contradict each other."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, pairs: Sequence[tuple[int, int, float]], at: datetime) -> None:
        """Remember pairs (older, newer, how likely) that seem to contradict each other."""
        if pairs:
            with self._engine.writing() as rows:
                put_conflicts(rows, pairs, at)

    def dismiss(self, older: int, newer: int, space: str, at: datetime) -> None:
        """Say that two memories do not contradict each other."""
        with self._engine.writing([space]) as rows:
            for id in (older, newer):
                existing(rows, id, [space])
            if not rows.run(DISMISS, older=older, newer=newer, at=instant(at)):
                raise NotFound(f"There is no open conflict between {older} and {newer}.")

    def reopen(self, older: int, newer: int, space: str) -> None:
        """Take back that two memories do not contradict each other."""
        with self._engine.writing([space]) as rows:
            for id in (older, newer):
                existing(rows, id, [space])
            if not rows.run(REOPEN, older=older, newer=newer):
                raise NotFound(f"No conflict between {older} and {newer} was dismissed.")

    def open(self, space: str, now: datetime) -> list[Conflict]:
        """Those with both memories current that nobody has dismissed, the newest first."""
        from scrubjay.types.history import Conflict

        with self._engine.reading([space]) as rows:
            pairs = rows.all(OPEN, space=space, now=instant(now))
            memories = get(rows, [id for pair in pairs for id in pair[:2]], [space], now)
        return [Conflict(memories[older], memories[newer], score) for older, newer, score in pairs]


def put_conflicts(rows: Rows, pairs: Sequence[tuple[int, int, float]], at: datetime) -> None:
    each = ({"older": older, "newer": newer, "score": score} for older, newer, score in pairs)
    rows.run_many(PUT, ({**pair, "at": instant(at)} for pair in each))
