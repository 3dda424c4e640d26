"""The engine of a SQLite file, or of a database in memory: snapshots, transactions, locks, and its two indexes."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from scrubjay.errors import StoreError
from scrubjay.files import private_files
from scrubjay.stores.contract import Look, Size
from scrubjay.stores.sqlite.caches.vector_cache import VectorCache
from scrubjay.stores.sqlite.caches.word_cache import FIRST_EVENT, WordCache
from scrubjay.stores.sqlite.caches.word_frequencies import WordFrequencies
from scrubjay.stores.sqlite.connections import MEMORY, Connections
from scrubjay.stores.sqlite.opening.migrations import migrate
from scrubjay.stores.sqlite.rows import SqliteRows

if TYPE_CHECKING:
    from scrubjay.types.reports import Check

__all__ = ["SqliteEngine"]

NO_LOCK = "{} cannot be used ({}): it must be a file, and you must be allowed to write it; remove it."
TABLE_BYTES = """
    select coalesce(sum(pgsize), 0) from dbstat('main', 1)
    where name in (select name from sqlite_schema where tbl_name = :table)
"""


class SqliteEngine:
    """One SQLite file, brought to the newest schema when it is opened."""

    def __init__(self, path: str) -> None:
        self.connections = Connections(path)
        self.url = path = self.connections.path
        try:
            migrate(self.connections)
        except BaseException:
            self.connections.close()
            raise
        file = None if path == MEMORY else Path(path)
        self._vectors, self._words = VectorCache(file, self.read_only), WordCache(file, self.read_only)
        self._frequencies = WordFrequencies()
        self._local = threading.local()  # the rows of the snapshot or transaction that this thread is in

    @property
    def read_only(self) -> bool:
        return self.connections.read_only

    @contextmanager
    def reading(self, spaces: Collection[str] | None = None, may_lag: bool = False) -> Iterator[SqliteRows]:
        outer: SqliteRows | None = getattr(self._local, "rows", None)
        if outer is not None:
            yield outer
            return
        with self.connections.reading() as db:
            db.execute("begin")
            try:
                with self._entered(self._rows(db)) as rows:
                    yield rows
            finally:
                if db.in_transaction:
                    db.execute("end")

    @contextmanager
    def writing(self, spaces: Collection[str] | None = None, wait: bool = True) -> Iterator[SqliteRows]:
        with (
            self.connections.writing(wait) as db,
            self._entered(self._rows(db)) as rows,
        ):
            yield rows

    def _rows(self, db: apsw.Connection) -> SqliteRows:
        return SqliteRows(db, self._frequencies, self._words, self._vectors)

    @contextmanager
    def _entered(self, rows: SqliteRows) -> Iterator[SqliteRows]:
        outer, self._local.rows = getattr(self._local, "rows", None), rows
        try:
            yield rows
        finally:
            self._local.rows = outer

    @contextmanager
    def lock(self, name: str, wait_seconds: float = -1) -> Iterator[None]:
        """The operating system releases the lock of a process that was killed."""
        if self.url == MEMORY or self.read_only:
            yield
            return
        from filelock import FileLock

        path = f"{self.url}.{name}.lock"
        lock = FileLock(path, timeout=wait_seconds, mode=private_files.FILE_MODE)
        try:
            lock.acquire()
        except TimeoutError:
            raise
        except OSError as problem:  # a link or a folder lies there
            raise StoreError(NO_LOCK.format(path, problem.strerror)) from None
        try:
            yield
        finally:
            lock.release()

    def size(self, table: str | None = None) -> Size:
        with self.reading() as rows:
            if table is not None:
                (used,) = rows.one(TABLE_BYTES, table=table)
                return Size(used, used)
            pages = int(rows.db.pragma("page_count")) - int(rows.db.pragma("freelist_count"))
            return Size(self.connections.file_bytes(), pages * int(rows.db.pragma("page_size")))

    def compact(self) -> bool:
        with self.writing() as rows:
            rows.text.merge()
            rows.vectors.restart_log()
            rows.run(FIRST_EVENT)
        nobody_reads_older = self.connections.empty_log()
        self._vectors.clear()  # after that: whoever read an older state may have saved it once more
        self._words.clear()
        if not nobody_reads_older:
            return False  # writing the file anew would only make the log longer
        self.connections.vacuum()
        return self.connections.empty_log()

    def check(self, looks: Sequence[Look], deep: bool, repair: bool, at: datetime) -> Check:
        from scrubjay.stores.sqlite.integrity import check  # most processes never need it

        return check(self, looks, deep, repair, at)

    def files(self) -> list[Path]:
        return [*self.connections.files(), *self._vectors.files()]

    def close(self) -> None:
        self.connections.close()
