"""Taking in a store that lies in a project: a mark to know it by, and no more trust than it has earned."""

from __future__ import annotations

import json
from datetime import datetime
from secrets import token_hex
from typing import Any

import apsw

from scrubjay.errors import Damaged, NotAStore
from scrubjay.stores.columns import instant
from scrubjay.stores.evidence.word_counts import make_stems_anew
from scrubjay.stores.sqlite.caches.word_cache import FIRST_EVENT
from scrubjay.stores.sqlite.connections import MEMORY, Connections
from scrubjay.stores.sqlite.opening.migrations import migrate, version_of
from scrubjay.stores.sqlite.rows import SqliteRows

__all__ = ["FIRST_CHANGE", "adopt", "marked", "refuse_strange_schema", "take_over"]

MARK_BYTES = 16
MOST_IDS = 2**53  # as many as JSON can tell exactly
# Without what SQLite makes itself. A name alone tells nothing: a trigger in a forged file may have any.
SCHEMA = """
    select type, name, tbl_name, sql from sqlite_schema
    where not (type = 'index' and sql is null) and not (type = 'table' and name in ('sqlite_stat1', 'sqlite_stat4'))
"""
HAS_MARKS = "select 1 from sqlite_schema where name = 'project_mark' and type = 'table'"
REMEMBER_TRUST = "insert or ignore into trust_before select id, trust from memories where trust <> 'external'"
GIVE_BACK_TRUST = """
    update memories set trust = (select b.trust from trust_before b where b.memory = memories.id)
    where trust = 'external' and id in (select memory from trust_before)
"""
RANK = "insert into words (words, rank) values ('rank', 'bm25(0.0, 1.0, 1.0, 1.0, 1.0, 1.0)')"  # else any function
# Ids that were not given out yet, or after which there is none: the trash would have those of memories to come.
LAST_ID = """
    max(
        coalesce((select max(id) from {0}), 0),
        coalesce((select min(cast(seq as integer)) from sqlite_sequence where name = '{0}'), 0)
    )
"""
AHEAD = f"""
    with last (memory, step) as (select {LAST_ID.format("memories")}, {LAST_ID.format("steps")})
    select 1 from trash, last where id > memory or id in (select id from memories)
    union all
    select 1 from trash_steps, last where id > step or max(old, coalesce(new, 0)) > memory
    union all
    select 1 from sqlite_sequence where cast(seq as integer) > {MOST_IDS}
    limit 1
"""
COUNTED = "select name from sqlite_schema where type = 'table' and sql like '% autoincrement%'"
BEYOND = f"select 1 from {{}} where rowid not between 1 and {MOST_IDS} limit 1"
# What would let others in, be asked for with the user's key, count as spent or as answered already, fit to a cache, or
# name files of the user's as backups that may be written over.
STATE = ("logins", "attempts", "requests", "jobs", "spending", "changes", "events", "cached", "copies")
# The log of changes begins anew with a token that nobody knows: no cache of vectors that came along fits to it.
FIRST_CHANGE = "insert into changes (space, verb, first_piece, last_piece) values ('', 'add', 0, -1)"


def adopt(path: str, at: datetime, foreign: bool) -> str:
    """Mark a store, and give the mark. In one that somebody else made, nothing speaks for the user or an agent."""
    mark = token_hex(MARK_BYTES)
    connections = Connections(path)
    try:
        if foreign:  # before the first statement that a trigger in the file could answer with an endless one
            with connections.reading() as db:
                refuse_strange_schema(db, path, version_of(connections))
        migrate(connections)
        with connections.writing() as db:
            if foreign:
                refuse_strange_schema(db, path)
                _refuse_inconsistent(db, path)
                _distrust_contents(db, path, at)
                _refuse_unreadable(db, path)
            db.execute("delete from project_mark")
            db.execute("insert into project_mark (mark) values (?)", (mark,))
    except apsw.SQLError:
        raise _not_to_be_trusted(path) from None
    finally:
        connections.close()
    return mark


def take_over(path: str) -> int:
    """Give memories the trust that they came with; how many there were."""
    connections = Connections(path)
    try:
        migrate(connections)
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
            if not db.execute(HAS_MARKS).fetchone():
                return False
            return db.execute("select mark from project_mark").fetchall() == [(mark,)]
    finally:
        connections.close()


def refuse_strange_schema(db: apsw.Connection, path: str, version: int | None = None) -> None:
    """A trigger or a view of somebody's own could undo whatever is written here."""
    ours = Connections(MEMORY)
    try:
        migrate(ours, version)
        with ours.reading() as new:
            strange = _schema(db) ^ _schema(new)
    finally:
        ours.close()
    if strange:
        raise NotAStore(f"{path} has other tables or triggers than a Scrubjay memory, and cannot be trusted.")


def _refuse_inconsistent(db: apsw.Connection, path: str) -> None:
    """Rows that an index leaves out, or that two tables share, would be passed over below. Rows about memories that are
    not there would belong to those that the user adds. After the last of all ids, nothing could be added."""
    if (
        db.execute("pragma integrity_check(1)").fetchone() != ("ok",)
        or db.execute("pragma foreign_key_check").fetchone()
        or db.execute(AHEAD).fetchone()
        or any(db.execute(BEYOND.format(name)).fetchone() for (name,) in db.execute(COUNTED).fetchall())
    ):
        raise _not_to_be_trusted(path)


def _refuse_unreadable(db: apsw.Connection, path: str) -> None:
    """Values that no memory writes, such as bytes in the place of a title, would end every later search."""
    from scrubjay.stores.sqlite.repair.shapes import unreadable_rows  # most processes never need it

    if unreadable_rows(db):
        raise _not_to_be_trusted(path)


def _not_to_be_trusted(path: str) -> Damaged:
    return Damaged(f"{path} is damaged, and cannot be trusted.")


def _schema(db: apsw.Connection) -> set[tuple[str, ...]]:
    rows: list[Any] = db.execute(SCHEMA).fetchall()
    return set(rows)


def _distrust_contents(db: apsw.Connection, path: str, at: datetime) -> None:
    db.execute(REMEMBER_TRUST)
    db.execute("update memories set trust = 'external' where trust <> 'external'")
    try:
        _distrust_the_past(db)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise _not_to_be_trusted(path) from None
    # Its tokens would let their owners in over the network.
    db.execute("update tokens set revoked_at = ? where revoked_at is null", (instant(at),))
    _drop_forged_vectors(db)
    make_stems_anew(SqliteRows.without_caches(db))  # forged ones would hold any word
    for table in STATE:
        db.execute(f"delete from {table}")
    db.execute(FIRST_CHANGE)
    db.execute(FIRST_EVENT)
    db.execute(RANK)


def _drop_forged_vectors(db: apsw.Connection) -> None:
    """A long one would be near to every question. They are made anew from their texts by `backfill`."""
    from scrubjay.stores.sqlite.integrity import bad_vectors  # most processes never need it

    db.executemany("delete from pieces where id = ?", [(id,) for id, _ in bad_vectors(db)])
    db.execute("update trash set model = null, vectors = null")


def _distrust_the_past(db: apsw.Connection) -> None:
    """What `revert` and `undelete` bring back is no more trusted than the rest."""
    edits: list[Any] = db.execute("select id, before from edits").fetchall()
    db.executemany("update edits set before = ? where id = ?", [(_without_trust(kept), id) for id, kept in edits])
    trash: list[Any] = db.execute("select id, kept from trash").fetchall()
    db.executemany("update trash set kept = ? where id = ?", [(_external(kept), id) for id, kept in trash])


def _without_trust(kept: str) -> str:
    return json.dumps({name: value for name, value in json.loads(kept).items() if name != "trust"}, ensure_ascii=False)


def _external(kept: str) -> str:
    rows = json.loads(kept)
    memories = [row | {"trust": "external"} for row in rows["memories"]]
    edits = [row | {"before": _without_trust(row["before"])} for row in rows.get("edits", [])]
    return json.dumps(rows | {"memories": memories, "edits": edits})
