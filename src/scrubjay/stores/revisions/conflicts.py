"""Open conflicts: pairs about one subject that seem to contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import apsw

from scrubjay.errors import NotFound
from scrubjay.stores.columns import instant
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.stores.writing import existing, get
from scrubjay.types import Conflict

__all__ = ["Conflicts"]

PUT_CONFLICT = """
    insert or ignore into conflicts (older, newer, score, found_at)
    select o.id, n.id, ?3, ?4 from memories o, memories n where o.id = ?1 and n.id = ?2
"""
DISMISS = """
    update conflicts set dismissed_at = :at where dismissed_at is null
    and (older, newer) in ((:older, :newer), (:newer, :older))
"""
CONFLICTS = """
    select c.older, c.newer, c.score from conflicts c
    join memories o on o.id = c.older join memories n on n.id = c.newer
    where n.space = :space and c.dismissed_at is null and o.superseded_at is null and n.superseded_at is null
    and coalesce(o.expires_at, '9') > :now and coalesce(n.expires_at, '9') > :now
    order by c.found_at desc, c.newer desc
"""


class Conflicts:
    """Pairs of memories that seem to contradict each other."""

    def __init__(self, engine: Connections) -> None:
        self._engine = engine

    def put(self, pairs: Sequence[tuple[int, int, float]], at: datetime) -> None:
        """Remember pairs (older, newer, how likely) that seem to contradict each other."""
        if pairs:
            with self._engine.writing() as db:
                _put(db, pairs, at)

    def dismiss(self, older: int, newer: int, space: str, at: datetime) -> None:
        with self._engine.writing() as db:
            _dismiss(db, older, newer, space, at)

    def open(self, space: str, now: datetime) -> list[Conflict]:
        """Those with both memories current that nobody has dismissed, the newest first."""
        with self._engine.reading() as db:
            return _find(db, space, now)


def _put(db: apsw.Connection, pairs: Sequence[tuple[int, int, float]], at: datetime) -> None:
    db.executemany(PUT_CONFLICT, [(*pair, instant(at)) for pair in pairs])


def _dismiss(db: apsw.Connection, older: int, newer: int, space: str, at: datetime) -> None:
    for id in (older, newer):
        existing(db, id, [space])
    db.execute(DISMISS, {"older": older, "newer": newer, "at": instant(at)})
    if not db.changes():
        raise NotFound(f"There is no open conflict between {older} and {newer}.")


def _find(db: apsw.Connection, space: str, now: datetime) -> list[Conflict]:
    rows: list[Any] = db.execute(CONFLICTS, {"space": space, "now": instant(now)}).fetchall()
    memories = get(db, [id for row in rows for id in row[:2]], [space], now)
    return [Conflict(memories[older], memories[newer], score) for older, newer, score in rows]
