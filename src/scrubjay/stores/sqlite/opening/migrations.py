"""Brings a file to the newest schema: each step and its number commit together."""

from __future__ import annotations

import apsw

from scrubjay.errors import NewerStore, NotAStore
from scrubjay.stores.sqlite.connections import Connections
from scrubjay.stores.sqlite.opening.marked_logs import WRITE_MARK
from scrubjay.stores.sqlite.rows import SqliteRows
from scrubjay.stores.sqlite.schema import DATA, scripts

__all__ = ["APPLICATION_ID", "migrate", "scripts", "version_of"]

APPLICATION_ID = 0x4A4159  # "JAY", in the header of every file of ours


def migrate(connections: Connections, version: int | None = None) -> None:
    """Bring the file to this version's schema, or an older one's. A second process doing the same waits."""
    newest = len(scripts())
    wanted = newest if version is None else version
    with connections.reading() as db:
        done = _is_ours(db, connections.path) and _version(db, connections.path) == wanted
    connections.use_wal()
    if not done:
        _run(connections, wanted)
    if wanted == newest:
        connections.at_each_write = WRITE_MARK


def version_of(connections: Connections) -> int:
    """The version of a file's schema; 0 for an empty file."""
    with connections.reading() as db:
        return _version(db, connections.path) if _is_ours(db, connections.path) else 0


def _run(connections: Connections, wanted: int) -> None:
    with connections.writing() as db:
        _is_ours(db, connections.path)
        for number in range(_version(db, connections.path) + 1, wanted + 1):
            for _ in db.execute(scripts()[number - 1]):  # exhausted: execute() stops at a statement that gives a row
                pass
            if number in DATA:
                DATA[number](SqliteRows.without_caches(db))
            db.pragma("user_version", number)
        db.pragma("application_id", APPLICATION_ID)


def _is_ours(db: apsw.Connection, path: str) -> bool:
    """True for a file of ours, False for an empty one."""
    if db.pragma("application_id") == APPLICATION_ID:
        return True
    if db.execute("select 1 from sqlite_schema limit 1").fetchone():
        raise NotAStore(f"{path} is a SQLite database of another program, not a Scrubjay memory.")
    return False


def _version(db: apsw.Connection, path: str) -> int:
    version = int(db.pragma("user_version"))
    if version > len(scripts()):
        raise NewerStore(f"{path} was written by a newer Scrubjay; upgrade with `pip install -U scrubjay`.")
    return version
