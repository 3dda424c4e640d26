"""Salvage: whatever can be read of a damaged file, in a new one; the damaged file is kept beside it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import apsw

from scrubjay.errors import Damaged, NewerStore, NotAStore
from scrubjay.files import drafts, private_files
from scrubjay.stores.columns import COLUMNS, from_row, to_row
from scrubjay.stores.sqlite.connections import Connections, refuse_special_files, translated
from scrubjay.stores.sqlite.opening.migrations import APPLICATION_ID, migrate, scripts
from scrubjay.stores.sqlite.repair.consistency import CONTENTS, drop_loose, own_tables
from scrubjay.stores.sqlite.repair.pages import Pages, Record
from scrubjay.stores.sqlite.repair.shapes import INCOMPLETE, Table, completed, table_of
from scrubjay.text.plural import counted
from scrubjay.types import Memory

__all__ = ["Salvaged", "salvage"]

LOCK_MS = 60_000
NAMED = 50  # ids in one sentence
# Tables that a new file already has a row in.
ONE_ROW = {"erasure", "cache_use"}
# The new file has a key of its own, which is the first; it is not needed where one could be read.
DROP_NEW_KEY = "delete from mark_key where rowid = 1 and exists (select 1 from mark_key where rowid > 1)"
# Their rows look like those of an index: on a page that no tree leads to, they cannot be told apart.
AMBIGUOUS = {"spending", "erasure", "cache_use", "private_parts"}
EVERY_MEMORY = "sqlite_autoindex_memories_1"  # the index of their uids
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


def salvage(path: Path, at: datetime) -> Salvaged:
    """Put a new file in the place of a damaged one; where the path is a link, of the file that it leads to."""
    path = path.resolve() if path.is_symlink() else path
    with drafts.draft_beside(path) as draft, translated(str(path)):
        _take_back_log(path)
        with _locked(path), closing(Pages(path)) as pages:
            _refuse_newer(pages, path)
            found = _write(pages, draft, path, at)
            return Salvaged(*found, _exchange(path, draft, at))


def _take_back_log(path: Path) -> None:
    """A repair that was killed while it exchanged the files may have put the log aside, and not the file."""
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        return
    with suppress(OSError):
        asides = path.parent.glob(f"{escape(path.name)}.damaged-*")
        same = next((aside for aside in asides if not aside.is_symlink() and aside.samefile(path)), None)
        kept = Path(f"{same}-wal")
        if same is not None and not kept.is_symlink():
            kept.replace(log)


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
    return int(count), lost, altered, unread if count or "memories" in unread else ["memories", *unread]


def _copy(db: apsw.Connection, pages: Pages, at: datetime) -> tuple[set[int], list[str]]:
    """Copy every row that can be read. Returns the ids of all memories that anything mentions, and unread tables."""
    tables = [table_of(db, name) for name in own_tables(db)]
    schema, misplaced = _schema(pages)
    roots = {name: root for kind, name, _, root, _ in schema if kind == "table" and isinstance(root, int) and root}
    unread = []
    for table in tables:
        damaged, root = len(pages.damaged), roots.pop(table.name, 0)
        foreign = [row for row in pages.rows(root) if not _insert(db, table, (row[0], completed(table, row[1], at)))]
        if table.name in CONTENTS and root and (len(pages.damaged) > damaged or foreign):
            unread.append(table.name)
        misplaced += foreign
    counters = dict(values for _, values in pages.rows(roots.pop("sqlite_sequence", 0)) if len(values) == 2)
    mentioned, are_all = _mentioned(pages, schema, counters.get("memories"), misplaced)
    unread = [name for name in unread if name != "memories" or not are_all]
    _read_others(db, pages, roots, misplaced)
    for record in (*misplaced, *pages.strays()):
        _insert_stray(db, tables, record)
    if any(table.name == "mark_key" for table in tables):
        db.execute(DROP_NEW_KEY)
    pieces: Iterable[Any] = db.execute("select memory from pieces").fetchall()
    _keep_counting(db, counters, mentioned, {table.name for table in tables})
    return mentioned | {id for (id,) in pieces}, unread


def _schema(pages: Pages) -> tuple[list[tuple[Any, ...]], list[Record]]:
    """What the file says it contains, and rows that stand there but belong elsewhere."""
    records = list(pages.rows(1)) if pages.has_header else []
    return [values for _, values in records if len(values) == 5], [one for one in records if len(one[1]) != 5]


def _read_others(db: apsw.Connection, pages: Pages, roots: dict[Any, int], misplaced: list[Record]) -> None:
    """Go through the tables that are made anew; of a table by a name that is not known, every row belongs elsewhere."""
    known: Any = {name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")}
    for name, root in roots.items():
        table = table_of(db, name) if name in known else None
        misplaced += [one for one in pages.rows(root) if not (table and table.fits(one[1]))]


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


def _insert_stray(db: apsw.Connection, tables: list[Table], record: Record) -> None:
    """Insert a row that stands where none of its table belongs, if it can be of one table only."""
    id, values = record
    fitting = [one for one in tables if one.has_rowid == bool(id) and one.fits(values) and one.name not in AMBIGUOUS]
    whole = [table for table in fitting if len(table.columns) == len(values)] or fitting
    if len(whole) == 1:
        _insert(db, whole[0], record)


def _mentioned(
    pages: Pages, schema: list[tuple[Any, ...]], most: Any, misplaced: list[Record]
) -> tuple[set[int], bool]:  # fmt: skip
    """The ids of memories in the indexes of their table, up to the last one that was given, if that is known; and
    whether these are all."""
    found, are_all = set[Any](), False
    for kind, name, table, root, _ in schema:
        if kind == "index" and isinstance(root, int):  # all of them are gone through: their rows are none of a table
            damaged, records = len(pages.damaged), list(pages.rows(root))
            foreign = [one for one in records if one[0]]
            misplaced += foreign
            found |= {values[-1] for id, values in records if values and not id} if table == "memories" else set()
            are_all |= name == EVERY_MEMORY and len(pages.damaged) == damaged and not foreign
    highest = most if isinstance(most, int) else sys.maxsize
    return {id for id in found if isinstance(id, int) and 0 < id <= highest}, are_all


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
    with suppress(OSError):  # a file system without links
        os.link(path, aside)  # so that there is a file at any moment, and the next repair finds its log
    if log.exists() and log.stat().st_size:
        log.rename(f"{aside}-wal")
    log.unlink(missing_ok=True)
    Path(f"{path}-shm").unlink(missing_ok=True)
    if not aside.exists():
        path.rename(aside)
    draft.replace(path)
    kept = (aside, Path(f"{aside}-wal"))
    private_files.check([file for file in kept if not file.is_symlink()], repair=True)
    return aside


def _free_name(wanted: Path) -> Path:
    names = (wanted, *(wanted.with_name(f"{wanted.name}-{number}") for number in range(2, 1000)))
    return next(name for name in names if not any(os.path.lexists(f"{name}{suffix}") for suffix in ("", "-wal")))


def _enumerated(ids: list[int]) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return ", ".join(map(str, ids[:NAMED])) + more
