"""Salvage: whatever can be read of a damaged file, in a new one; the damaged file is kept beside it."""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import apsw

from scrubjay.errors import Damaged, NewerStore, NotAStore
from scrubjay.files import private_files
from scrubjay.stores.columns import (
    AT_FIRST,
    COLUMNS,
    from_row,
    instant,
    to_row,
)
from scrubjay.stores.sqlite.connections import Connections, refuse_special_files, translated
from scrubjay.stores.sqlite.migrations import APPLICATION_ID, migrate, scripts
from scrubjay.stores.sqlite.repair.consistency import CONTENTS, drop_loose, own_tables
from scrubjay.stores.sqlite.repair.pages import Pages, Record
from scrubjay.stores.sqlite.repair.values import READ, RIGHT, TIMES
from scrubjay.text.plural import counted
from scrubjay.types import Memory

__all__ = ["Salvaged", "salvage", "unreadable_rows"]

LOCK_MS = 60_000
NO_TIME = datetime.min.replace(tzinfo=UTC)
DRAFT = re.compile(r"\.salvage-(\d{1,9})(?:-wal|-shm|-journal)?$")
NAMED = 50  # ids in one sentence
# Tables that a new file already has a row in.
ONE_ROW = {"mark_key", "erasure", "cache_use"}
# Their rows look like those of an index: on a page that no tree leads to, they cannot be told apart.
AMBIGUOUS = {"spending", "erasure", "cache_use", "private_parts"}
TYPES: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "TEXT": (str,), "REAL": (int, float), "BLOB": (bytes,)}
ANY_TYPE = (int, float, str, bytes)
# What stands in for the fields of a memory of which the end is lost, but not the text.
INCOMPLETE = "salvaged"
STAND_INS = {
    "tags": "[]", **AT_FIRST, "metadata": "{}", "source": INCOMPLETE, "trust": "external", "confidence": 0.5,
    "importance": 5, "confirmed_count": 0, "used_count": 0,
}  # fmt: skip
VECTORS = {"pieces", "cached"}  # are looked at by themselves
# One row for each table; SQLite has no key there.
COUNT_FROM = """
    update sqlite_sequence set seq = max(seq, :id) where name = :table;
    insert into sqlite_sequence (name, seq)
    select :table, :id where not exists (select 1 from sqlite_sequence where name = :table)
"""
# The highest ids in the trash, by the table they belong to.
IN_TRASH = {
    "memories": "select max(id) from trash",
    "steps": "select max(id) from trash_steps",
    "edits": "select max(edit.value ->> '$.id') from trash, json_each(kept, '$.edits') as edit",
    "records": "select max(one.value ->> '$.id') from trash, json_each(kept, '$.records') as one",
}
STORED = f"select {COLUMNS}, fingerprint, digest from memories order by id"


class Salvaged(NamedTuple):
    """What became of a damaged file."""

    memories: int
    lost: list[int]  # ids of memories that something still tells of
    altered: list[int]  # ids of memories whose text is not what was once stored
    tables: list[str]  # others of which rows could not be read
    aside: Path

    def mended(self) -> list[str]:
        kept = counted(self.memories, "memory")
        return [f"The file was damaged. A new one holds {kept}; the old one is kept as {self.aside}."]

    def missing(self) -> list[str]:
        lost = f"{counted(len(self.lost), 'memory')} could not be read: {_enumerated(self.lost)}."
        altered = f"The text of these memories may be damaged, look at each: {_enumerated(self.altered)}."
        others = f"Some of these may be missing: {', '.join(dict.fromkeys(map(CONTENTS.__getitem__, self.tables)))}."
        found = ((lost, self.lost), (altered, self.altered), (others, self.tables))
        return [sentence for sentence, is_so in found if is_so]


class Table(NamedTuple):
    """A table of the schema: its columns in the order in which a row holds them, and what each may be."""

    name: str
    columns: list[str]
    types: list[tuple[type, ...]]
    id_column: str | None
    has_rowid: bool

    def fits(self, values: tuple[Any, ...]) -> bool:
        """Whether a row may be of this table. Columns that a later version added may be missing."""
        missing = self.types[len(values) :]
        return (
            len(values) <= len(self.columns)
            and all(isinstance(value, types) for value, types in zip(values, self.types, strict=False))
            and all(type(None) in types for types in missing)
            and self._can_be_read(dict(zip(self.columns, values, strict=False)))
        )

    def _can_be_read(self, row: dict[str, Any]) -> bool:
        try:
            for column, read in READ.get(self.name, {}).items():
                read(row[column])
        except (Damaged, LookupError, TypeError):
            return False
        return True


def salvage(path: Path, at: datetime) -> Salvaged:
    """Put a new file in the place of a damaged one; where the path is a link, of the file that it leads to."""
    path = path.resolve() if path.is_symlink() else path
    _drop_abandoned(path)
    draft = path.with_name(f"{path.name}.salvage-{os.getpid()}")
    try:
        with translated(str(path)), _locked(path), closing(Pages(path)) as pages:
            _refuse_newer(pages, path)
            found = _write(pages, draft, path, at)
            return Salvaged(*found, _exchange(path, draft, at))
    finally:
        draft.unlink(missing_ok=True)


def _drop_abandoned(path: Path) -> None:
    """Remove what a repair that was killed has left: a copy of all memories that nobody would ever erase."""
    for file in path.parent.glob(f"{escape(path.name)}.salvage-*"):
        process = DRAFT.search(file.name)
        if process and not _is_running(int(process[1])):
            with suppress(OSError):
                file.unlink()


def _is_running(process: int) -> bool:
    if sys.platform == "win32":  # signal 0 would end it there; a file that is in use cannot be removed
        return False
    try:
        os.kill(process, 0)
    except (OSError, OverflowError) as problem:
        return not isinstance(problem, ProcessLookupError)
    return True


def unreadable_rows(db: apsw.Connection) -> list[str]:
    """Rows with values that a memory never writes: another program did, or the disk changed them."""
    tables = [_table(db, name) for name in own_tables(db) if name not in VECTORS]
    return [f"row {id} of {table.name} cannot be read" for table in tables for id in _unreadable(db, table)]


def _unreadable(db: apsw.Connection, table: Table) -> Iterator[Any]:
    columns = ", ".join("null" if name == table.id_column else name for name in table.columns)
    names = "rowid" if table.has_rowid else table.columns[0]
    for id, *values in db.execute(f"select {names}, {columns} from {table.name}"):
        row = tuple(values)
        if not table.fits(row) or _completed(table, row, NO_TIME) is not row:
            yield id


def _refuse_newer(pages: Pages, path: Path) -> None:
    if pages.application_id == APPLICATION_ID and pages.version > len(scripts()):
        raise NewerStore(f"{path} was written by a newer Scrubjay; upgrade with `pip install -U scrubjay`.")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep others from writing, as far as the file can still be locked."""
    refuse_special_files(str(path))
    uri = f"file:{quote(os.fsencode(path.absolute()))}"
    with closing(apsw.Connection(uri, flags=apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE)) as lock:
        lock.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # it would be moved into the wrong file
        lock.set_busy_timeout(LOCK_MS)
        with suppress(apsw.NotADBError, apsw.CorruptError, apsw.IOError):
            lock.execute("begin immediate")
        yield


def _write(pages: Pages, draft: Path, path: Path, at: datetime) -> tuple[int, list[int], list[int], list[str]]:
    """Write what can be read into a new file, in the schema of the old one, which is then brought up to date."""
    connections = Connections(str(draft))
    try:
        migrate(connections, pages.version if 0 < pages.version <= len(scripts()) else len(scripts()))
        with connections.writing() as db:
            db.pragma("defer_foreign_keys", True)
            mentioned, unread = _copy(db, pages, at)
            drop_loose(db, own_tables(db))
        migrate(connections)
        with connections.writing() as db:
            lost, altered = _mend(db, mentioned)
            (count,) = db.execute("select count(*) from memories").fetchone() or (0,)
    finally:
        connections.close()
    if not count and not mentioned and pages.application_id != APPLICATION_ID:
        raise NotAStore(f"{path} is not a Scrubjay memory: no memory in it can be read.")
    return int(count), lost, altered, unread


def _copy(db: apsw.Connection, pages: Pages, at: datetime) -> tuple[set[int], list[str]]:
    """Copy every row that can be read. Returns the ids of all memories that anything mentions, and unread tables."""
    tables = [_table(db, name) for name in own_tables(db)]
    schema = [values for _, values in pages.rows(1) if len(values) == 5] if pages.has_header else []
    roots = {name: root for kind, name, _, root, _ in schema if kind == "table" and isinstance(root, int) and root}
    unread = []
    for table in tables:
        damaged, root = len(pages.damaged), roots.pop(table.name, 0)
        rows = [_insert(db, table, (id, _completed(table, values, at))) for id, values in pages.rows(root)]
        if table.name in CONTENTS and root and (len(pages.damaged) > damaged or not all(rows)):
            unread.append(table.name)
    counters = dict(values for _, values in pages.rows(roots.pop("sqlite_sequence", 0)) if len(values) == 2)
    mentioned = _mentioned(pages, schema, counters.get("memories"))
    for root in roots.values():  # what is left belongs to SQLite, and its rows to nobody else
        deque(pages.rows(root), maxlen=0)
    for is_row, record in pages.strays() if pages.damaged else ():
        _insert_stray(db, tables, is_row, record)
    pieces: Iterable[Any] = db.execute("select memory from pieces").fetchall()
    _keep_counting(db, counters, mentioned, {table.name for table in tables})
    return mentioned | {id for (id,) in pieces}, unread


def _table(db: apsw.Connection, name: str) -> Table:
    columns: list[Any] = db.execute(
        f"select name, type, \"notnull\", dflt_value, pk from pragma_table_info('{name}')"
    ).fetchall()
    (without_rowid,) = db.execute("select wr from pragma_table_list where name = ?", (name,)).fetchone() or (0,)
    keys = [column for column in columns if column[4]]
    id_column = keys[0][0] if not without_rowid and len(keys) == 1 and keys[0][1] == "INTEGER" else None
    if without_rowid:
        columns = sorted(keys, key=lambda column: column[4]) + [column for column in columns if not column[4]]
    types = [
        (type(None),)
        if column == id_column
        else TYPES.get(kind, ANY_TYPE) + (() if required and default is None else (type(None),))
        for column, kind, required, default, _ in columns
    ]
    return Table(name, [column[0] for column in columns], types, id_column, not without_rowid)


def _completed(table: Table, values: tuple[Any, ...], at: datetime) -> tuple[Any, ...]:
    """A memory whose text can be read is kept, also where what came after it is lost or overwritten."""
    if table.name != "memories" or len(values) <= table.columns.index("text"):
        return values
    row = dict(zip(table.columns, values, strict=False))
    wrong = [name for name, is_right in RIGHT.items() if not is_right(row.get(name))]
    wrong += [name for name, types in zip(row, table.types, strict=False) if not isinstance(row[name], types)]
    if not wrong:
        return values
    stand_ins = STAND_INS | dict.fromkeys(TIMES, instant(at))
    row |= {name: stand_ins.get(name) for name in (*wrong, "source")}
    return tuple(row.get(column) for column in table.columns)


def _insert(db: apsw.Connection, table: Table, record: Record) -> bool:
    """Insert a row, unless there is one of its key already. False if it is damaged."""
    id, values = record
    if not table.fits(values):
        return False
    row = {name: value for name, value in zip(table.columns, values, strict=False) if value is not None}
    row |= {table.id_column: id} if table.id_column else {}
    if table.name in ONE_ROW:
        db.execute(f"delete from {table.name}")
    sql = f"insert or ignore into {table.name} ({', '.join(row)}) values (:{', :'.join(row)})"
    db.execute(sql, row)
    return True


def _insert_stray(db: apsw.Connection, tables: list[Table], is_row: bool, record: Record) -> None:
    values = record[1]
    fitting = [one for one in tables if one.has_rowid == is_row and one.fits(values) and one.name not in AMBIGUOUS]
    whole = [table for table in fitting if len(table.columns) == len(values)] or fitting
    if len(whole) == 1:
        _insert(db, whole[0], record)


def _mentioned(pages: Pages, schema: list[tuple[Any, ...]], most: Any) -> set[int]:
    """The ids of memories in the indexes of their table, up to the last one that was given, if that is known."""
    found: set[Any] = set()
    for kind, _, table, root, _ in schema:
        if kind == "index" and isinstance(root, int):  # all of them are gone through: their rows are none of a table
            last = {values[-1] for _, values in pages.rows(root) if values}
            found |= last if table == "memories" else set()
    highest = most if isinstance(most, int) else sys.maxsize
    return {id for id in found if isinstance(id, int) and 0 < id <= highest}


def _keep_counting(db: apsw.Connection, counters: dict[Any, Any], mentioned: set[int], tables: set[str]) -> None:
    """An id is never given twice, also where what had it is lost, or in the trash."""
    last = {table: id for table, id in counters.items() if isinstance(id, int)}
    last["memories"] = max(last.get("memories", 0), *mentioned, 0)
    for table, sql in IN_TRASH.items() if {"trash", "trash_steps"} <= tables else ():
        (id,) = db.execute(sql).fetchone() or (0,)
        last[table] = max(last.get(table, 0), id or 0)
    for table, id in last.items():
        db.execute(COUNT_FROM, {"table": table, "id": id})


def _mend(db: apsw.Connection, mentioned: set[int]) -> tuple[list[int], list[int]]:
    """Make every memory readable, or drop it. Returns the ids of those that are lost, and that are altered."""
    rows: list[Any] = db.execute(STORED).fetchall()
    present, altered = set(), []
    for *columns, fingerprint, digest in rows:
        memory = _readable(columns)
        if memory is None:
            db.execute("delete from memories where id = ?", (columns[0],))
            continue
        present.add(memory.id)
        marks = ((fingerprint, memory.fingerprint), (digest, memory.digest))
        if memory.source == INCOMPLETE or not all(kept in (None, made) for kept, made in marks):
            altered.append(memory.id)
        _rewrite(db, memory)
    return sorted(mentioned - present), altered


def _readable(columns: Sequence[Any]) -> Memory | None:
    try:
        return from_row(tuple(columns))
    except Damaged:
        return None


def _rewrite(db: apsw.Connection, memory: Memory) -> None:
    """Let the fields that are made from others fit them."""
    row = to_row(memory)
    changed = " or ".join(f"{name} is not :{name}" for name in row)
    values = ", ".join(f"{name} = :{name}" for name in row)
    db.execute(f"update memories set {values} where id = :id and ({changed})", {**row, "id": memory.id})


def _exchange(path: Path, draft: Path, at: datetime) -> Path:
    """Keep the damaged file with its log under another name, and put the new one in its place."""
    aside = _free_name(path.with_name(f"{path.name}.damaged-{at:%Y-%m-%d}"))
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        log.rename(f"{aside}-wal")
    log.unlink(missing_ok=True)
    Path(f"{path}-shm").unlink(missing_ok=True)
    try:
        os.link(path, aside)  # so that there is a file at any moment
    except OSError:  # a file system without links
        path.rename(aside)
    draft.replace(path)
    private_files.check([aside, Path(f"{aside}-wal")], repair=True)
    return aside


def _free_name(wanted: Path) -> Path:
    names = (wanted, *(wanted.with_name(f"{wanted.name}-{number}") for number in range(2, 1000)))
    return next(name for name in names if not name.exists())


def _enumerated(ids: list[int]) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(map(str, ids[:NAMED])) + more
