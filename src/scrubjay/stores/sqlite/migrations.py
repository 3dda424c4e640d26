"""The schema is a series of .sql files; a migration and its record commit together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import apsw

from scrubjay.errors import Damaged, NewerStore, NotAStore
from scrubjay.stores.columns import COLUMNS, from_row, spellings
from scrubjay.stores.deletions.tombstones import key_old_marks
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.stores.sqlite.marked_logs import WRITE_MARK

__all__ = ["APPLICATION_ID", "migrate", "scripts"]

APPLICATION_ID = 0x4A4159  # "JAY", in the header of every file of ours


def scripts() -> list[str]:
    folder = Path(__file__).parent / "schema"
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.sql"))]


def migrate(connections: Connections, version: int | None = None) -> None:
    """Bring the file to this version's schema, or an older one's. A second process doing the same waits."""
    wanted = scripts()[:version]
    with connections.reading() as db:
        done = _is_ours(db, connections.path) and _version(db, connections.path) == len(wanted)
    connections.use_wal()
    if not done:
        _run(connections, wanted)
    if len(wanted) == len(scripts()):
        connections.at_each_write = WRITE_MARK


def _run(connections: Connections, wanted: Sequence[str]) -> None:
    with connections.writing() as db:
        _is_ours(db, connections.path)
        for number, script in enumerate(wanted[_version(db, connections.path) :], start=_version(db, "") + 1):
            for _ in db.execute(script):  # exhausted: execute() stops at a statement that gives a row
                pass
            db.pragma("user_version", number)
        if len(wanted) == len(scripts()):
            _spell(db)
            key_old_marks(db)
        db.pragma("application_id", APPLICATION_ID)


def _spell(db: apsw.Connection) -> None:
    """Give memories of an older version what SQL alone cannot make."""
    spelt: list[tuple[str, int]] = []
    for row in db.execute(f"select {COLUMNS} from memories where spellings is null"):
        with suppress(Damaged):  # `check --deep` names it; the others must not wait for its repair
            memory = from_row(row)
            spelt += [(found, memory.id)] if (found := spellings(memory)) else []
    db.executemany("update memories set spellings = ? where id = ?", spelt)


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
