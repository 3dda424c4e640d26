"""The engine of a PostgreSQL database: snapshots, transactions, locks, and its two indexes."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubjay.stores.contract import Look, Size
from scrubjay.stores.postgres import integrity, near_index
from scrubjay.stores.postgres.connections import Connections
from scrubjay.stores.postgres.migrations import migrate
from scrubjay.stores.postgres.pool import SCHEMA
from scrubjay.stores.postgres.rows import PostgresRows

if TYPE_CHECKING:
    from scrubjay.types.reports import Check

__all__ = ["PostgresEngine"]

TABLE_BYTES = f"select pg_total_relation_size('{SCHEMA}.' || :table)"
ALL_BYTES = f"""
    select coalesce(sum(pg_total_relation_size(oid)), 0) from pg_class
    where relnamespace = '{SCHEMA}'::regnamespace and relkind = 'r'
"""
# So many new memories at once change how a search is best made; the server would notice within minutes.
MANY = 500
PLANNED_BY_SIZE = "memories, pieces, words, word_counts"
HOLDING_TEXT = (
    "memories, words, word_counts, trash, trash_steps, pieces, edits, names, accesses, requests, cached, tasks, steps,"
    " secrets, records, links, sessions, session_notes"
)
COUNTED_OUT = "delete from word_counts where memories <= 0"  # words that no memory has any more


class PostgresEngine:
    """One database, brought to the newest schema when it is opened."""

    def __init__(self, url: str) -> None:
        self.connections = Connections(url)
        self.url = self.connections.url
        try:
            migrate(self.connections)
        except BaseException:
            self.connections.close()
            raise
        self._local = threading.local()  # the rows of the snapshot or transaction that this thread is in

    @property
    def read_only(self) -> bool:
        return self.connections.read_only

    @property
    def in_transaction(self) -> bool:
        """Whether this thread is in a snapshot or transaction."""
        return getattr(self._local, "rows", None) is not None

    @contextmanager
    def reading(self, spaces: Collection[str] | None = None, may_lag: bool = False) -> Iterator[PostgresRows]:
        outer: PostgresRows | None = getattr(self._local, "rows", None)
        if outer is not None:
            with outer.seeing(spaces):
                yield outer
            return
        with self.connections.reading(spaces, may_lag) as db, self._entered(PostgresRows(db, spaces)) as rows:
            yield rows

    @contextmanager
    def writing(self, spaces: Collection[str] | None = None, wait: bool = True) -> Iterator[PostgresRows]:
        outer: PostgresRows | None = getattr(self._local, "rows", None)
        if outer is not None and outer.writes:
            with outer.seeing(spaces):
                yield outer
            return
        with (
            self.connections.writing(spaces, wait) as db,
            self._entered(PostgresRows(db, spaces, writes=True)) as rows,
        ):
            yield rows
            missing = rows.vectors.missing()
        if rows.inserted >= MANY:
            with self.connections.alone() as owner:
                owner.execute(f"analyze {PLANNED_BY_SIZE}")
        if missing:
            near_index.build(self.connections, missing)

    @contextmanager
    def _entered(self, rows: PostgresRows) -> Iterator[PostgresRows]:
        outer, self._local.rows = getattr(self._local, "rows", None), rows
        try:
            yield rows
        finally:
            self._local.rows = outer

    def lock(self, name: str, wait_seconds: float = -1) -> AbstractContextManager[Any]:
        return nullcontext() if self.read_only else self.connections.lock(name, wait_seconds)

    def size(self, table: str | None = None) -> Size:
        with self.reading() as rows:
            (used,) = rows.one(ALL_BYTES) if table is None else rows.one(TABLE_BYTES, table=table)
        return Size(int(used), int(used))

    def compact(self) -> bool:
        """Free the room of deleted rows. What the server's log and its backups still hold is its administrator's."""
        with self.writing() as rows:
            rows.run(COUNTED_OUT)
        with self.connections.alone() as db:
            db.execute(f"vacuum {HOLDING_TEXT}")
        return True

    def check(self, looks: Sequence[Look], deep: bool, repair: bool, at: datetime) -> Check:
        return integrity.check(self, looks, deep, repair)

    def files(self) -> list[Path]:
        return []

    def close(self) -> None:
        self.connections.close()
