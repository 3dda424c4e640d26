"""Taking in a store that lies in a project: a mark to know it by, and no more trust than it has earned."""

from __future__ import annotations

from datetime import datetime
from secrets import token_hex
from typing import Any

import apsw

from scrubjay.errors import NotAStore
from scrubjay.stores.connections import MEMORY, Connections
from scrubjay.stores.migrations import migrate
from scrubjay.stores.rows import instant

__all__ = ["adopt", "marked", "take_over"]

MARK_BYTES = 16
SCHEMA = r"select type, name, tbl_name, sql from sqlite_schema where name not like 'sqlite\_%' escape '\'"
HAS_MARKS = "select 1 from sqlite_schema where name = 'project_mark' and type = 'table'"
REMEMBER_TRUST = "insert or ignore into trust_before select id, trust from memories where trust <> 'external'"
GIVE_BACK_TRUST = """
    update memories set trust = (select b.trust from trust_before b where b.memory = memories.id)
    where trust = 'external' and id in (select memory from trust_before)
"""


def adopt(path: str, at: datetime, foreign: bool) -> str:
    """Mark a store, and give the mark. In one that somebody else made, nothing speaks for the user or an agent."""
    mark = token_hex(MARK_BYTES)
    connections = Connections(path)
    try:
        migrate(connections)
        with connections.writing() as db:
            if foreign:
                _refuse_strange_schema(db, path)
                _distrust_contents(db, at)
            db.execute("delete from project_mark")
            db.execute("insert into project_mark (mark) values (?)", (mark,))
    finally:
        connections.close()
    return mark


def take_over(path: str) -> int:
    """Give memories the trust that they came with; how many there were."""
    connections = Connections(path)
    try:
        with connections.writing() as db:
            db.execute(GIVE_BACK_TRUST)
            changed = db.changes()
            db.execute("delete from trust_before")
            return changed
    finally:
        connections.close()


def marked(path: str, mark: str) -> bool:
    """Whether a file is the store that was given this mark."""
    connections = Connections(path)
    try:
        with connections.reading() as db:
            db.pragma("trusted_schema", False)  # this may be anybody's file
            if not db.execute(HAS_MARKS).fetchone():
                return False
            return db.execute("select mark from project_mark").fetchall() == [(mark,)]
    finally:
        connections.close()


def _refuse_strange_schema(db: apsw.Connection, path: str) -> None:
    """A trigger or a view of somebody's own could undo whatever is written here."""
    ours = Connections(MEMORY)
    try:
        migrate(ours)
        with ours.reading() as new:
            strange = _schema(db) ^ _schema(new)
    finally:
        ours.close()
    if strange:
        raise NotAStore(f"{path} has other tables or triggers than a Scrubjay memory, and cannot be trusted.")


def _schema(db: apsw.Connection) -> set[tuple[str, ...]]:
    rows: list[Any] = db.execute(SCHEMA).fetchall()
    return set(rows)


def _distrust_contents(db: apsw.Connection, at: datetime) -> None:
    db.execute(REMEMBER_TRUST)
    db.execute("update memories set trust = 'external' where trust <> 'external'")
    # Its tokens would let their owners in over the network, and its jobs would be asked for with the user's key.
    db.execute("update tokens set revoked_at = ? where revoked_at is null", (instant(at),))
    db.execute("delete from jobs")
