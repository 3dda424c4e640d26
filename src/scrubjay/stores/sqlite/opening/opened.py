"""One connection to a SQLite file, also where the disk has no room for what SQLite keeps beside it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import apsw

from scrubjay.errors import Invalid

__all__ = ["Unshared", "file_uri", "has_no_room", "is_read_only", "memory_uri", "opened"]

CACHE_KIB = 65_536
STATEMENTS = 200
READ_FLAGS = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READONLY
WRITE_FLAGS = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


class Unshared(apsw.Connection):
    """For reading only: it has the index of the log in its own memory, and nobody else can use the file meanwhile."""


def opened(uri: str, read_only: bool, busy: Callable[[int], bool]) -> apsw.Connection:
    """A connection; an unshared one if the disk is full, and nobody else has made the index of the log before."""
    connection = apsw.Connection(uri, READ_FLAGS if read_only else WRITE_FLAGS, statementcachesize=STATEMENTS)
    try:
        _prepare(connection, busy)
    except apsw.Error as problem:
        connection.close()
        if read_only or not has_no_room(problem):
            raise
        return _unshared(uri, busy)
    return connection


def has_no_room(problem: Exception) -> bool:
    """Whether the disk is full; SQLite calls it something else if there is no room for the index of the log."""
    return isinstance(problem, apsw.FullError) or getattr(problem, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE


def _unshared(uri: str, busy: Callable[[int], bool]) -> Unshared:
    connection = Unshared(uri, WRITE_FLAGS, statementcachesize=STATEMENTS)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.pragma("locking_mode", "exclusive")  # a lock on the file takes the place of the shared index
    try:
        _prepare(connection, busy)
    except apsw.Error:
        connection.close()
        raise
    return connection


def _prepare(connection: apsw.Connection, busy: Callable[[int], bool]) -> None:
    """Make its settings, and read: this makes the index of the log, if it is missing."""
    connection.set_busy_handler(busy)
    connection.pragma("trusted_schema", False)  # the file may be anybody's
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)  # and no statement reads or writes another one
    # A plan does not depend on values: else most statements, and FTS5's for each word, are prepared at each use.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.pragma("synchronous", "full")
    connection.pragma("secure_delete", True)
    connection.pragma("foreign_keys", True)
    connection.pragma("cache_size", -CACHE_KIB)
    connection.pragma("temp_store", "memory")
    connection.pragma("schema_version")


def is_read_only(path: Path) -> bool:
    """Whether a file may not be written; a cleared write bit counts for root too."""
    if path.is_dir():
        raise Invalid(f"{path} is a folder; name a file in it, e.g. {path / 'memory.db'}.")
    if not path.exists():
        return False
    return _is_write_protected(path) or not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK)


def _is_write_protected(path: Path) -> bool:
    return not path.stat().st_mode & 0o222


def file_uri(path: Path, read_only: bool) -> str:
    uri = f"file:{quote(os.fsencode(path.absolute()))}"
    if not read_only:
        return uri
    # A WAL file needs its shared memory file; where that cannot be made, nobody can be writing either.
    unwritable = _is_write_protected(path) or not os.access(path.parent, os.W_OK)
    unshared = unwritable and not Path(f"{path}-wal").exists()
    return f"{uri}?immutable=1" if unshared else f"{uri}?mode=ro"


def memory_uri() -> str:
    return f"file:/scrubjay-{os.urandom(8).hex()}?vfs=memdb"
