"""Whether a file is whole, and its indexes agree with its rows; damage is repaired, or what can be read is salvaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from scrubjay.errors import Damaged, ReadOnly
from scrubjay.stores.columns import UNREADABLE
from scrubjay.stores.contract import Look, Rows
from scrubjay.stores.sqlite.connections import MEMORY
from scrubjay.stores.sqlite.repair.consistency import LOGS, drop_loose, own_tables
from scrubjay.stores.sqlite.rows import SqliteRows

if TYPE_CHECKING:
    from scrubjay.stores.sqlite.engine import SqliteEngine
    from scrubjay.types.reports import Check

__all__ = ["bad_vectors", "check"]

# Of no memory, of another length than its model's, or of a memory of which other pieces are missing.
BAD_VECTORS = """
    select id, memory from pieces as p where memory not in (select id from memories)
    or length(vector) <> 4 * (select dimensions from models where id = p.model)
    or (memory, model) in (
        select memory, model from pieces group by memory, model
        having max(number) + 1 <> count(*) or coalesce(max(total), count(*)) <> count(*)
    )
"""
LENGTH_TOLERANCE = 0.01
ANY_WORD = "select rowid from words where words match 'x' limit 1"
CHECK_WORDS = "insert into words (words, rank) values ('integrity-check', 1)"
MAKE_WORDS = "insert into words (words) values ('rebuild')"
WORDS = "fts5"  # in what SQLite says of it: "fts5: corruption found …", "… for FTS5 table main.words"
TABLES = "select name from sqlite_schema where type = 'table' and rootpage > 0"  # those of an index of words, too
GIVEN = "(select max(id) from (select id from memories union all select id from trash))"
BEHIND = f"from sqlite_sequence where name = 'memories' and seq < {GIVEN}"
COUNT_ON = f"update sqlite_sequence set seq = {GIVEN} where name = 'memories'"


class _Report(NamedTuple):
    problems: list[str]
    repaired: list[str]
    damaged: bool  # pages of the file itself cannot be read


def check(engine: SqliteEngine, looks: Sequence[Look], deep: bool, repair: bool, at: datetime) -> Check:
    """Look for what should never be; `deep` compares every row with its words and its vectors."""
    from scrubjay.types.reports import Check  # most processes never need it

    own = (
        Look(_loose_references, _drop_loose),
        *(look for look in looks if not look.deep),
        Look(_reused_ids, _count_on),
    )
    words, vectors = Look(_wrong_words, _make_words, True), Look(_wrong_vectors, _drop_vectors, True)
    logs = Look(_unreadable_logs, _begin_logs_anew, True)
    every = (words, *own, vectors, logs, *(look for look in looks if look.deep)) if deep else own
    report = _report(engine, every, deep, repair)
    if not (repair and report.damaged) or engine.url == MEMORY:
        return Check(report.problems, report.repaired)
    if engine.read_only:
        raise ReadOnly()
    from scrubjay.stores.sqlite.repair.salvage import salvage  # most processes never need it

    salvaged = engine.connections.exchange(lambda: salvage(Path(engine.url), at))
    engine.connections.use_wal()
    after = _report(engine, every, deep, repair)
    return Check([*salvaged.missing(), *after.problems], [*salvaged.mended(), *after.repaired])


def _report(engine: SqliteEngine, looks: Sequence[Look], deep: bool, repair: bool) -> _Report:
    problems: list[str] = []
    repaired: list[str] = []
    damage = _damage(deep or repair)  # nothing is repaired in place before every index was compared with its table
    damaged = still = _found(engine, damage)
    for look in looks:
        found = _found(engine, look.find)
        # In a damaged file both what is read and where is written may be wrong, so it is salvaged as it is.
        is_sound = not still or (look.mend is _make_words and _only_words(engine, still))
        if found and repair and is_sound and look.mend and _mended(engine, look.mend):
            found, mended = _found(engine, look.find), found
            repaired += mended if not found else []
            still = _found(engine, damage) if still else still
        problems += [problem for problem in found if problem not in problems]
    repaired += [] if still else [problem for problem in damaged if problem not in repaired]
    problems = list(dict.fromkeys([*still, *problems]))
    is_damaged = bool(still) or any(problem.startswith(f"{engine.url} is damaged") for problem in problems)
    return _Report(problems, repaired, is_damaged)


def _found(engine: SqliteEngine, look: Callable[[Rows], list[str]]) -> list[str]:
    try:
        with engine.reading() as rows:
            return look(rows)
    except Damaged as problem:
        return [str(problem)]
    except (*UNREADABLE, LookupError):  # such a row is on a page that does not belong there
        return [f"{engine.url} is damaged: rows of it cannot be read."]


def _mended(engine: SqliteEngine, mend: Callable[[Rows], object]) -> bool:
    try:
        with engine.writing() as rows:
            mend(rows)
    except (Damaged, apsw.ConstraintError):
        return False
    return True


def _damage(deep: bool) -> Callable[[Rows], list[str]]:
    """What SQLite itself finds; `deep` also compares its indexes with its tables."""

    def look(rows: Rows) -> list[str]:
        try:
            # Unless it was just asked something, FTS5 compares the file with an earlier state that it remembers.
            rows.all(ANY_WORD)
            found = [line for (line,) in rows.all(f"pragma {'integrity' if deep else 'quick'}_check")]
            found += _unreadable(rows) if deep and found == ["ok"] else []
        except (apsw.CorruptError, apsw.SQLError) as problem:
            found = [str(problem)]
        return [f"The file is damaged: {line}." for line in found if line != "ok"]

    return look


def _only_words(engine: SqliteEngine, damage: Sequence[str]) -> bool:
    """Whether only the index of words is damaged. SQLite stops there, so the tables are looked at once more."""
    return all(WORDS in line.lower() for line in damage) and not _found(engine, _damage_of_tables)


def _damage_of_tables(rows: Rows) -> list[str]:
    checks = [f"pragma integrity_check({apsw.format_sql_value(name)})" for (name,) in rows.all(TABLES)]
    try:
        return [line for check in checks for (line,) in rows.all(check) if line != "ok"]
    except apsw.SQLError as problem:
        return [str(problem)]


def _loose_references(rows: Rows) -> list[str]:
    loose = rows.all("pragma foreign_key_check")
    return [f"Row {row} of {table} refers to a missing row of {parent}." for table, row, parent, _ in loose]


def _drop_loose(rows: Rows) -> None:
    drop_loose(_db(rows), own_tables(_db(rows)))


def _reused_ids(rows: Rows) -> list[str]:
    found = rows.all(f"select seq + 1 {BEHIND}")
    return [f"The next memory would get an id that was given before, {id}." for (id,) in found]


def _count_on(rows: Rows) -> None:
    rows.run(COUNT_ON)


def _wrong_words(rows: Rows) -> list[str]:
    if _db(rows).readonly("main"):
        return []  # FTS5 offers its check only as an insert
    try:
        rows.run(CHECK_WORDS)
    except apsw.CorruptError:
        return ["The full-text index does not agree with the memories; `--repair` rebuilds it."]
    return []


def _make_words(rows: Rows) -> None:
    rows.run(MAKE_WORDS)


def _wrong_vectors(rows: Rows) -> list[str]:
    return [f"Vector {id} does not fit memory {memory}; `--repair` drops it." for id, memory in bad_vectors(_db(rows))]


def bad_vectors(db: apsw.Connection) -> list[tuple[int, int]]:
    """Each with its memory: those that cannot be right, and those that are no vector of length 1."""
    import numpy as np

    found: list[Any] = db.execute(BAD_VECTORS).fetchall()
    bad: dict[int, int] = dict(found)
    for id, memory, vector in db.execute("select id, memory, vector from pieces"):
        if id not in bad:
            with np.errstate(all="ignore"):
                length = float(np.linalg.norm(np.frombuffer(vector, dtype="<f4")))
            if not (length == 0 or abs(length - 1) < LENGTH_TOLERANCE):
                bad[id] = memory
    return sorted(bad.items())


def _drop_vectors(rows: Rows) -> None:
    rows.run_many("delete from pieces where id = :id", ({"id": id} for id, _ in bad_vectors(_db(rows))))


def _unreadable_logs(rows: Rows) -> list[str]:
    return [f"The log of {name} cannot be read; `--repair` begins it anew." for name in _logs(rows)]


def _begin_logs_anew(rows: Rows) -> None:
    for name in _logs(rows):
        rows.run(f"delete from {name}")
        rows.run(LOGS[name])


def _logs(rows: Rows) -> list[str]:
    from scrubjay.stores.sqlite.repair.shapes import unreadable_logs  # most processes never need it

    return unreadable_logs(_db(rows))


def _db(rows: Rows) -> apsw.Connection:
    assert isinstance(rows, SqliteRows)
    return rows.db


def _unreadable(rows: Rows) -> list[str]:
    from scrubjay.stores.sqlite.repair.shapes import unreadable_rows  # most processes never need it

    return unreadable_rows(_db(rows))
