"""Figures about a file, and whether row, words and vectors agree in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, cast

import apsw

from scrubjay.errors import Damaged, ReadOnly
from scrubjay.stores import embeddings, writing
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.columns import COLUMNS, from_row, instant, moment_or_none, segmented, spellings
from scrubjay.stores.ledger import count_quarantined, spent
from scrubjay.stores.sqlite.consistency import RULES, drop_loose, own_tables
from scrubjay.stores.sqlite.engine import MEMORY, Connections
from scrubjay.stores.sqlite.salvage import salvage, unreadable_rows
from scrubjay.stores.vectors import count_pending
from scrubjay.types import Check, Memory, Stats

__all__ = ["Maintenance"]

Look = Callable[[apsw.Connection], list[str]]
Repair = Callable[[apsw.Connection], object]

COUNTS = """
    select count(*) filter (where superseded_at is null and (expires_at is null or expires_at > :now)),
        count(*) filter (where superseded_at is not null),
        count(*) filter (where superseded_at is null and expires_at <= :now),
        coalesce(sum(used_count), 0), min(happened_at), max(happened_at)
    from memories where space = :space
"""
BY_KIND = """
    select kind, count(*) from memories
    where space = :space and superseded_at is null and (expires_at is null or expires_at > :now)
    group by kind order by count(*) desc, kind
"""
# Of no memory, of another length than its model's, or of a memory of which other pieces are missing.
BAD_VECTORS = """
    from pieces as p where memory not in (select id from memories)
    or length(vector) <> 4 * (select dimensions from models where id = p.model)
    or (memory, model) in (
        select memory, model from pieces group by memory, model
        having max(number) + 1 <> count(*) or coalesce(max(total), count(*)) <> count(*)
    )
"""
ORPHANS = """
    select id, document from memories m where document is not null
    and not exists (select 1 from documents d where d.space = m.space and d.name = m.document)
"""
TWINS = """
    select document, position, count(*) from memories where document is not null and kind = 'passage'
    group by space, document, position having count(*) > 1
"""
ROWS = f"select {COLUMNS}, fingerprint, segmented, spellings from memories"
ANY_WORD = "select rowid from words where words match 'x' limit 1"
MAKE_WORDS = "insert into words (words) values ('rebuild')"
WORDS = "fts5"  # in what SQLite says of it: "fts5: corruption found …", "… for FTS5 table main.words"
LENGTH_TOLERANCE = 0.01
EXPIRED = f"select {COLUMNS} from memories where space = ? and expires_at <= ? order by id"
EXPENDABLE = f"""
    select {COLUMNS} from memories m where space = :space and kind <> 'decision'
    and not (trust = 'user' and importance >= 8)
    and not exists (select 1 from tasks t where t.memory = m.id and t.status in ('pending', 'in_progress'))
    and not exists (select 1 from sessions s where s.space = m.space and s.name = m.session and s.ended_at is null
        and m.created_at > :yesterday)
    order by coalesce(used_at, created_at), id limit :limit
"""


class Maintenance:
    """Figures about a store, what may be removed from it, and whether it is whole."""

    def __init__(self, engine: Connections, uses: Uses) -> None:
        self._engine = engine
        self._uses = uses

    def stats(self, space: str, now: datetime, budget: int = 0) -> Stats:
        self._uses.flush_without_waiting()
        with self._engine.reading() as db:
            figures = _stats(db, space, now)
            current = writing.model_id(db, "current")
            pending = count_pending(db, current, space, refused=True)
            quarantined = count_quarantined(db, current, space)
            row = db.execute("select name from models where id = ?", (current,)).fetchone()
        return replace(
            figures,
            without_vector=pending,
            quarantined=quarantined,
            generation=replace(figures.generation, budget=budget),
            model=row[0] if row else None,
            file=self._engine.path,
            file_bytes=self._engine.file_bytes(),
            read_only=self._engine.read_only,
        )

    def expired(self, space: str, now: datetime) -> list[Memory]:
        with self._engine.reading() as db:
            return _expired(db, space, now)

    def expendable(self, space: str, now: datetime, limit: int) -> list[Memory]:
        """What may be evicted: the least recently used first; never what must not be lost."""
        self._uses.flush_without_waiting()
        with self._engine.reading() as db:
            return _expendable(db, space, now, limit)

    def bytes_used(self) -> int:
        """How large the file is without its unused pages."""
        with self._engine.reading() as db:
            pages = int(db.pragma("page_count")) - int(db.pragma("freelist_count"))
            return pages * int(db.pragma("page_size"))

    def check(self, deep: bool, repair: bool, at: datetime) -> Check:
        """Look for damage. Where pages cannot be read, a repair puts a new file in the place of this one."""
        return _check(self._engine, deep, repair, at)


def _expired(db: apsw.Connection, space: str, now: datetime) -> list[Memory]:
    return [from_row(row) for row in db.execute(EXPIRED, (space, instant(now)))]


def _expendable(db: apsw.Connection, space: str, now: datetime, limit: int) -> list[Memory]:
    """What may be evicted, the least recently used first; a session that was not ended is active for a day."""
    values = {"space": space, "limit": limit, "yesterday": instant(now - timedelta(days=1))}
    return [from_row(row) for row in db.execute(EXPENDABLE, values)]


def _stats(db: apsw.Connection, space: str, now: datetime) -> Stats:
    values = {"space": space, "now": instant(now)}
    row: Any = db.execute(COUNTS, values).fetchone()
    kinds: list[Any] = db.execute(BY_KIND, values).fetchall()
    (spaces,) = db.execute("select count(distinct space) from memories").fetchone() or (0,)
    return Stats(
        space=space,
        memories=row[0],
        superseded=row[1],
        expired=row[2],
        used=row[3],
        oldest=moment_or_none(row[4]),
        newest=moment_or_none(row[5]),
        by_kind=dict(kinds),
        spaces=spaces,
        without_vector=0,
        quarantined=0,
        model=None,
        cache=embeddings.use(db),
        generation=spent(db, f"{now:%Y-%m}"),
        file="",
        file_bytes=0,
        read_only=False,
    )


class _Report(NamedTuple):
    problems: list[str]
    repaired: list[str]
    damaged: bool  # pages of the file itself cannot be read


def _check(connections: Connections, deep: bool, repair: bool, at: datetime) -> Check:
    """Look for what should never be; `deep` compares every row with its words and its vectors."""
    report = _report(connections, deep, repair)
    if not (repair and report.damaged) or connections.path == MEMORY:
        return Check(report.problems, report.repaired)
    if connections.read_only:
        raise ReadOnly()
    salvaged = connections.exchange(lambda: salvage(Path(connections.path), at))
    connections.use_wal()
    after = _report(connections, deep, repair)
    return Check([*salvaged.missing(), *after.problems], [*salvaged.mended(), *after.repaired])


def _report(connections: Connections, deep: bool, repair: bool) -> _Report:
    problems: list[str] = []
    repaired: list[str] = []
    damaged = still = _found(connections, _file(deep))
    for name, look in _looks(deep):
        found = _found(connections, look)
        # In a damaged file both what is read and where is written may be wrong, so it is salvaged as it is.
        is_sound = not still or (name == "words" and all(WORDS in line.lower() for line in still))
        if found and repair and is_sound and name in REPAIRS and _mend(connections, REPAIRS[name]):
            found, mended = _found(connections, look), found
            repaired += mended if not found else []
            still = _found(connections, _file(deep)) if still else still
        problems += [problem for problem in found if problem not in problems]
    repaired += [] if still else [problem for problem in damaged if problem not in repaired]
    problems = list(dict.fromkeys([*still, *problems]))
    is_damaged = bool(still) or any(problem.startswith(f"{connections.path} is damaged") for problem in problems)
    return _Report(problems, repaired, is_damaged)


def _found(connections: Connections, look: Look) -> list[str]:
    try:
        with connections.reading() as db:
            return look(db)
    except Damaged as problem:
        return [str(problem)]


def _mend(connections: Connections, repair: Repair) -> bool:
    try:
        with connections.writing() as db:
            repair(db)
    except (Damaged, apsw.ConstraintError):
        return False
    return True


def _mend_rules(db: apsw.Connection) -> None:
    for rule in RULES:
        db.execute(rule.mend)


REPAIRS: dict[str, Repair] = {
    "references": lambda db: drop_loose(db, own_tables(db)),
    "rules": _mend_rules,
    "words": lambda db: db.execute(MAKE_WORDS),
    "vectors": lambda db: _drop_vectors(db),
}


def _looks(deep: bool) -> list[tuple[str, Look]]:
    quick: list[tuple[str, Look]] = [("references", _references), ("rules", _rules)]
    thorough = [("vectors", _vectors), ("rows", _rows), ("documents", _documents)]
    return [("words", _words), *quick, *thorough] if deep else quick


def _file(deep: bool) -> Look:
    """What SQLite itself finds; `deep` also compares its indexes with its tables."""

    def look(db: apsw.Connection) -> list[str]:
        db.execute("begin")  # one snapshot
        try:
            # Unless it was just asked something, FTS5 compares the file with an earlier state that it remembers.
            db.execute(ANY_WORD).fetchall()
            found = [line for (line,) in db.execute(f"pragma {'integrity' if deep else 'quick'}_check").fetchall()]
            found += unreadable_rows(db) if deep and found == ["ok"] else []
        except (apsw.CorruptError, apsw.SQLError) as problem:
            found = [str(problem)]
        finally:
            if db.in_transaction:
                db.execute("end")
        return [f"The file is damaged: {line}." for line in found if line != "ok"]

    return look


def _references(db: apsw.Connection) -> list[str]:
    loose = db.execute("pragma foreign_key_check").fetchall()
    return [f"Row {row} of {table} refers to a missing row of {parent}." for table, row, parent, _ in loose]


def _rules(db: apsw.Connection) -> list[str]:
    return [sentence for rule in RULES for sentence in rule.broken(db)]


def _words(db: apsw.Connection) -> list[str]:
    if db.readonly("main"):
        return []  # FTS5 offers its check only as an insert
    try:
        db.execute("insert into words (words, rank) values ('integrity-check', 1)")
    except apsw.CorruptError:
        return ["The full-text index does not agree with the memories; `--repair` rebuilds it."]
    return []


def _vectors(db: apsw.Connection) -> list[str]:
    return [f"Vector {id} does not fit memory {memory}; `--repair` drops it." for id, memory in _bad_vectors(db)]


def _bad_vectors(db: apsw.Connection) -> list[tuple[int, int]]:
    """Each with its memory: those that cannot be right, and those that are no vector of length 1."""
    import numpy as np

    bad: dict[int, int] = dict(cast("list[Any]", db.execute(f"select id, memory {BAD_VECTORS}").fetchall()))
    for id, memory, vector in db.execute("select id, memory, vector from pieces"):
        if id not in bad:
            with np.errstate(all="ignore"):
                length = float(np.linalg.norm(np.frombuffer(vector, dtype="<f4")))
            if not (length == 0 or abs(length - 1) < LENGTH_TOLERANCE):
                bad[id] = memory
    return sorted(bad.items())


def _drop_vectors(db: apsw.Connection) -> None:
    db.executemany("delete from pieces where id = ?", [(id,) for id, _ in _bad_vectors(db)])


def _documents(db: apsw.Connection) -> list[str]:
    orphans = db.execute(ORPHANS).fetchall()
    problems = [f"Memory {id} was cut from {document!r}, which is not known; delete it." for id, document in orphans]
    twins = db.execute(TWINS).fetchall()
    return problems + [f"{count} passages stand at place {place} of {name!r}." for name, place, count in twins]


def _rows(db: apsw.Connection) -> list[str]:
    problems = []
    for *row, fingerprint, spaced, spelt in db.execute(ROWS):
        try:
            memory = from_row(tuple(row))
            agrees = (memory.fingerprint, segmented(memory), spellings(memory)) == (fingerprint, spaced, spelt)
        except Damaged as problem:
            problems.append(str(problem))
            continue
        except (TypeError, AttributeError):  # bytes or numbers where a text should be
            agrees = False
        if not agrees:
            problems.append(f"Memory {row[0]} was changed by another program: its index fields do not fit it.")
    return problems
