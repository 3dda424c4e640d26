"""The only place that opens a SQLite file: pragmas, waiting, read-only files, and one connection per use."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TypeVar

import apsw

from scrubjay.errors import Busy, Damaged, Invalid, NotAStore, ReadOnly, ScrubjayError, StoreError
from scrubjay.files import private_files, regular_files
from scrubjay.stores.sqlite.opening.marked_logs import refuse_log_of_others
from scrubjay.stores.sqlite.opening.opened import Unshared, file_uri, has_no_room, is_read_only, memory_uri, opened

__all__ = ["MEMORY", "Connections", "refuse_special_files", "translated"]

MEMORY = ":memory:"
WAIT_SECONDS = 300.0
PAUSE_SECONDS = 0.05
OPENED = ("", "-wal", "-shm", "-journal")  # by SQLite
BESIDE = (*OPENED[1:], ".sync.lock", ".embed.lock")
Identity = tuple[int, int]  # device and inode
BRIEF_TRIES = 20
WAL_HEADER_BYTES = 32
WAL_FRAME_BYTES = 24  # before each page
MALFORMED = "malformed JSON"
NO_WORDS = ("not an error", "the disk gave an error")  # of SQLite, while it makes a copy
NOT_DONE = "{} could not be read or written ({}); nothing was changed."
FULL = "the disk is full"
TOO_LARGE_A_SUM = "integer overflow"
TOO_LARGE = "A number is too large for {}; run `scrubjay check --deep --repair`."

_Opened = TypeVar("_Opened")


class Connections:
    """A pool of connections, one of which may write at a time: a thread that reads waits for no thread that writes.

    Who has written reads on with the same connection: after a write, all others read their pages from the file again.
    """

    def __init__(self, path: str) -> None:
        path = os.path.realpath(path) if os.path.islink(path) else path  # SQLite's other files lie beside the real one
        self.path = path
        self.read_only = path != MEMORY and is_read_only(Path(path))
        self._uri = memory_uri() if path == MEMORY else file_uri(Path(path), self.read_only)
        self._idle: list[apsw.Connection] = []
        self._pool = threading.Lock()
        self._turns = threading.RLock()
        if path != MEMORY:
            refuse_log_of_others(path)
        self._writer: apsw.Connection | None = None  # while it writes
        self._closed = False
        self._unshared = False  # the connection in use, which is then the only one
        self.at_each_write = ""  # a statement
        if path != MEMORY:
            with suppress(OSError, ValueError):  # what is wrong with the path, SQLite says next
                private_files.create(Path(path))  # WAL and shared memory get the mode of this file
        self._identity: Identity | None = None
        self._log_identity: Identity | None = None
        self._index_identity: Identity | None = None
        with translated(path):
            self._idle.append(self._connect())

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        # A database in memory has no log: SQLite would refuse to read during a write. So its threads take turns.
        with self._turn(wait=True) if self.path == MEMORY else nullcontext(), self._lent(_wait) as connection:
            yield connection

    @contextmanager
    def _lent(self, busy: Callable[[int], bool] | None) -> Iterator[apsw.Connection]:
        """A connection that nobody else uses; `busy` is asked whether to try again when the file is."""
        with translated(self.path):
            connection, file = self._from_pool()
            connection = connection or self._connect()
            connection.set_busy_handler(busy)
            self._unshared = isinstance(connection, Unshared)
            try:
                yield connection
            finally:
                self._give_back(connection, file)

    def _from_pool(self) -> tuple[apsw.Connection | None, Identity | None]:
        """A connection that nobody uses, if there is one, and which file is open."""
        with self._pool:
            self._refuse_closed()
            self._refuse_replaced()
            return self._idle.pop() if self._idle else None, self._identity

    @contextmanager
    def writing(self, wait: bool = True) -> Iterator[apsw.Connection]:
        """One transaction. It takes the write lock at its start, so that it never has to give up halfway.

        Within another one of the same thread it is a part of that one.
        """
        if self.read_only:
            raise ReadOnly()
        with self._turn(wait):
            if self._writer is not None:  # of this thread: it has the lock
                yield self._writer
                return
            self._refuse_unshared()  # of this thread: it would wait for itself
            with self._lent(_wait if wait else None) as connection:
                self._refuse_unshared()
                connection.execute("begin immediate")
                self._writer = connection
                try:
                    self._refuse_lost()
                    connection.execute(self.at_each_write)
                    yield connection
                    self._refuse_lost()
                    self._commit(connection)
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("rollback")
                    raise
                finally:
                    self._writer = None

    def _commit(self, connection: apsw.Connection) -> None:
        """Commit, or leave nothing: what could not be brought to the disk must not turn up later.

        When the last step fails, the write-ahead log may hold the whole transaction already, and whoever opens the
        file next would take it for committed.
        """
        try:
            connection.execute("commit")
        except (apsw.IOError, apsw.FullError):
            if connection.in_transaction:
                connection.execute("rollback")
            if self.path != MEMORY:
                self._cut_log(connection)
            raise

    def _cut_log(self, connection: apsw.Connection) -> None:
        """Cut off what stands in the write-ahead log behind the last transaction that was committed."""
        log = Path(f"{self.path}-wal")
        reader = self._connect()
        try:
            connection.execute("begin immediate")  # nobody else may be writing there
            frames, _ = reader.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
            committed = WAL_HEADER_BYTES + frames * (WAL_FRAME_BYTES + int(connection.pragma("page_size")))
            if log.exists() and log.stat().st_size > committed:
                os.truncate(log, committed)
            connection.execute("rollback")
        except (apsw.Error, OSError) as problem:
            raise StoreError(
                f"{self.path} could not be written ({problem}), and it is not known whether the last change is in it; "
                "look for it once the disk is in order."
            ) from problem
        finally:
            reader.close()

    def use_wal(self) -> None:
        """Let readers and a writer not wait for each other. The file keeps this, so it must be known to be ours."""
        if self.read_only:
            return
        with self.reading() as db:
            # Switching to WAL does not call the busy handler: two processes opening a new file race here.
            _patiently(lambda: db.pragma("journal_mode", "wal"))
            db.execute("select 1 from sqlite_schema limit 1").fetchall()  # makes the index of the log, if it is missing
            if not isinstance(db, Unshared):
                self._index_identity = _identity(f"{self.path}-shm")

    def vacuum(self) -> None:
        """Write the file anew: no page of it holds anything that was deleted."""
        with self._turn(wait=True), self._lent(_wait) as connection:
            connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)  # the new copy, for as long as it is written
            try:
                connection.execute("vacuum")
            finally:
                connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)

    def empty_log(self) -> bool:
        """Move the write-ahead log into the file and empty it. False while somebody reads an older state."""
        with self._turn(wait=True), self._lent(_wait_briefly) as connection:
            try:
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except apsw.BusyError:
                return False
            return True

    def overwrite(self, other: apsw.Connection) -> None:
        """Let the file hold what another database holds; its pages are exchanged in one transaction."""
        with (
            self._turn(wait=True),
            self._lent(_wait) as connection,
            connection.backup("main", other, "main") as backup,
        ):
            backup.step(-1)

    def exchange(self, files: Callable[[], _Opened]) -> _Opened:
        """Let another file take the place of this one, while no connection of this memory is open."""
        with self._turns, self._pool:
            self._refuse_closed()
            self._close_all()
            try:
                return files()
            finally:
                self._identity = self._log_identity = self._index_identity = None
                with translated(self.path):
                    self._idle.append(self._connect())

    def file_bytes(self) -> int:
        """The size of the file, with what SQLite has not yet moved into it."""
        files = (Path(self.path), Path(f"{self.path}-wal")) if self.path != MEMORY else ()
        return sum(file.stat().st_size for file in files if file.exists())

    def files(self) -> list[Path]:
        """The store, and what SQLite and we keep beside it."""
        names = [f"{self.path}{suffix}" for suffix in ("", *BESIDE)] if self.path != MEMORY else []
        return [Path(name) for name in names if os.path.exists(name) and not os.path.islink(name)]

    def close(self) -> None:
        with self._turns, self._pool:
            self._closed = True
            self._close_all()

    def _close_all(self) -> None:
        idle, self._idle = self._idle, []
        stale = self._has_other_index() and os.path.exists(f"{self.path}-wal")
        for connection in idle:
            # Else it would move only what it knows of into the file, and delete a log that holds more.
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(stale))
            connection.close()

    @contextmanager
    def _turn(self, wait: bool) -> Iterator[None]:
        if not self._turns.acquire(blocking=wait):
            raise Busy()
        try:
            yield
        finally:
            self._turns.release()

    def _give_back(self, connection: apsw.Connection, file: Identity | None) -> None:
        with self._pool:
            reads_on = self.path != MEMORY and connection.txn_state("main") != apsw.SQLITE_TXN_NONE  # it cannot write
            if not self._closed and file == self._identity:
                if self._unshared:
                    self._unshared = False  # the next one may find room
                elif reads_on:
                    self._idle.append(self._connect())  # with the last connection SQLite deletes the index of the log
                else:
                    self._idle.append(connection)
                    return
        connection.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreError("This memory is closed; open it again.")

    def _refuse_unshared(self) -> None:
        if self._unshared:
            raise StoreError(NOT_DONE.format(self.path, FULL))

    def _refuse_replaced(self) -> None:
        """Notice that the path names another file than the open one, or none: what is written here would be lost."""
        if self._identity is not None and _identity(self.path) != self._identity:
            raise StoreError(
                f"{self.path} was moved, deleted or replaced while it was open; nothing was written. Put it back, or "
                "open the memory again to go on with the file that is there now."
            )
        if self._has_other_index():
            raise StoreError(
                f"{self.path}-shm was deleted or replaced while it was open; nothing was written. Open the memory "
                "again, in every program that uses it."
            )

    def _has_other_index(self) -> bool:
        """Whether others who use the file share another index of its log than we: neither would see what is written."""
        return self._index_identity is not None and _identity(f"{self.path}-shm") != self._index_identity

    def _refuse_lost(self) -> None:
        """The same before a write; its log beside the file must be there, too."""
        self._refuse_replaced()
        log = _identity(f"{self.path}-wal")
        self._log_identity = self._log_identity or log
        if log != self._log_identity:
            raise StoreError(
                f"{self.path}-wal was deleted or replaced while it was open; nothing was written. End every program "
                "that uses this memory: what was written before is then moved into the file."
            )

    def _connect(self) -> apsw.Connection:
        refuse_special_files(self.path)
        connection = opened(self._uri, self.read_only, _wait)
        if self.path != MEMORY:
            self._identity = self._identity or _identity(self.path)
        return connection


def refuse_special_files(path: str) -> None:
    """SQLite would wait for ever for a pipe in the place of a file or of its journal."""
    if found := next((name for suffix in OPENED if regular_files.is_special(name := f"{path}{suffix}")), None):
        raise StoreError(f"{found} is not a regular file; remove it, or name another store.")


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Say SQLite's complaints in our words."""
    try:
        yield
    except ScrubjayError:
        raise
    except apsw.NotADBError:
        raise NotAStore(f"{path} is not a Scrubjay memory: it is no SQLite database.") from None
    except (apsw.CorruptError, UnicodeDecodeError):
        raise Damaged(f"{path} is damaged; restore a backup, or run `scrubjay check --repair`.") from None
    except UnicodeEncodeError:
        raise Invalid("That holds half a character (a lone surrogate); decode it first.") from None
    except OverflowError:  # something was added to the last of all numbers
        raise Damaged(TOO_LARGE.format(path)) from None
    except apsw.SQLError as problem:
        if TOO_LARGE_A_SUM in str(problem):
            raise Damaged(TOO_LARGE.format(path)) from None
        if MALFORMED in str(problem):  # tags or metadata of a memory, which a statement takes apart
            raise Damaged(f"Tags or metadata in {path} cannot be read; run `scrubjay check --deep --repair`.") from None
        raise
    except apsw.ReadOnlyError:
        raise ReadOnly() from None
    except apsw.BusyError:
        raise Busy() from None
    except apsw.CantOpenError:
        raise StoreError(f"{path} cannot be opened; check that its folder exists and may be written to.") from None
    except (apsw.FullError, apsw.IOError) as problem:
        reason = FULL if has_no_room(problem) else str(problem).replace(*NO_WORDS)
        raise StoreError(NOT_DONE.format(path, reason)) from problem


def _identity(path: str) -> Identity | None:
    """What tells a file from another one of the same name."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _wait_briefly(tries: int) -> bool:
    return tries < BRIEF_TRIES and _wait(tries)


def _wait(tries: int) -> bool:
    """Wait for another process to finish its write; a user never sees "database is locked"."""
    time.sleep(min(PAUSE_SECONDS, 0.001 * (tries + 1)))
    return tries * PAUSE_SECONDS < WAIT_SECONDS


def _patiently(action: Callable[[], _Opened]) -> _Opened:
    for tries in range(int(WAIT_SECONDS / PAUSE_SECONDS)):
        try:
            return action()
        except apsw.BusyError:
            _wait(tries)
    raise Busy()
