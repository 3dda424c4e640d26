"""Figures about a file, and whether row, words and vectors agree in it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import apsw

from scrubjay.errors import Damaged
from scrubjay.stores import embeddings
from scrubjay.stores.connections import Connections
from scrubjay.stores.ledger import spent
from scrubjay.stores.rows import COLUMNS, from_row, instant, segmented, spellings
from scrubjay.types import Check, Memory, Stats

__all__ = ["check", "expendable", "expired", "stats"]

Look = Callable[[apsw.Connection], list[str]]

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
BAD_VECTORS = """
    from pieces where memory not in (select id from memories)
    or length(vector) <> 4 * (select dimensions from models where id = pieces.model)
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
LOOSE_LINKS = "from memories where superseded_by is not null and superseded_at is null"
REPAIRS = {
    "words": "insert into words (words) values ('rebuild')",
    "vectors": f"delete {BAD_VECTORS}",
    "links": f"update memories set superseded_at = updated_at where id in (select id {LOOSE_LINKS})",
}


EXPIRED = f"select {COLUMNS} from memories where space = ? and expires_at <= ? order by id"
EXPENDABLE = f"""
    select {COLUMNS} from memories m where space = :space and kind <> 'decision'
    and not (trust = 'user' and importance >= 8)
    and not exists (select 1 from tasks t where t.memory = m.id and t.status in ('pending', 'in_progress'))
    and not exists (select 1 from sessions s where s.space = m.space and s.name = m.session and s.ended_at is null
        and m.created_at > :yesterday)
    order by coalesce(used_at, created_at), id limit :limit
"""


def expired(db: apsw.Connection, space: str, now: datetime) -> list[Memory]:
    return [from_row(row) for row in db.execute(EXPIRED, (space, instant(now)))]


def expendable(db: apsw.Connection, space: str, now: datetime, limit: int) -> list[Memory]:
    """What may be evicted, the least recently used first; a session that was not ended is active for a day."""
    values = {"space": space, "limit": limit, "yesterday": instant(now - timedelta(days=1))}
    return [from_row(row) for row in db.execute(EXPENDABLE, values)]


def stats(db: apsw.Connection, space: str, now: datetime) -> Stats:
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
        oldest=row[4] and datetime.fromisoformat(row[4]),
        newest=row[5] and datetime.fromisoformat(row[5]),
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


def check(connections: Connections, deep: bool, repair: bool) -> Check:
    """Look for what should never be; `deep` compares every row with its words and its vectors."""
    problems: list[str] = []
    repaired: list[str] = []
    for name, look in _looks(deep):
        found = _found(connections, look)
        if found and repair and name in REPAIRS and _mend(connections, REPAIRS[name]):
            found, mended = _found(connections, look), found
            repaired += mended if not found else []
        problems += [problem for problem in found if problem not in problems]
    return Check(problems, repaired)


def _found(connections: Connections, look: Look) -> list[str]:
    try:
        with connections.reading() as db:
            return look(db)
    except Damaged as problem:
        return [str(problem)]


def _mend(connections: Connections, statement: str) -> bool:
    try:
        with connections.writing() as db:
            db.execute(statement)
    except Damaged:
        return False
    return True


def _looks(deep: bool) -> list[tuple[str, Look]]:
    quick: list[tuple[str, Look]] = [("file", _file), ("references", _references), ("links", _links)]
    thorough = [("words", _words), ("vectors", _vectors), ("rows", _rows), ("documents", _documents)]
    return [*quick, *thorough] if deep else quick


def _file(db: apsw.Connection) -> list[str]:
    db.execute("begin")  # one snapshot
    try:
        # Unless it was just asked something, FTS5 compares the file with an earlier state that it remembers.
        db.execute(ANY_WORD).fetchall()
        found = [line for (line,) in db.execute("pragma quick_check").fetchall()]
    except apsw.CorruptError as problem:
        found = [str(problem)]
    finally:
        if db.in_transaction:
            db.execute("end")
    return [f"The file is damaged: {line}." for line in found if line != "ok"]


def _references(db: apsw.Connection) -> list[str]:
    loose = db.execute("pragma foreign_key_check").fetchall()
    return [f"Row {row} of {table} refers to a missing row of {parent}." for table, row, parent, _ in loose]


def _links(db: apsw.Connection) -> list[str]:
    ids = db.execute(f"select id {LOOSE_LINKS}").fetchall()
    return [f"Memory {id} has a successor but no time at which it was replaced." for (id,) in ids]


def _words(db: apsw.Connection) -> list[str]:
    if db.readonly("main"):
        return []  # FTS5 offers its check only as an insert
    try:
        db.execute("insert into words (words, rank) values ('integrity-check', 1)")
    except apsw.CorruptError:
        return ["The full-text index does not agree with the memories; `--repair` rebuilds it."]
    return []


def _vectors(db: apsw.Connection) -> list[str]:
    import numpy as np

    bad = db.execute(f"select id, memory {BAD_VECTORS}").fetchall()
    problems = [f"Vector {id} does not fit memory {memory}; `--repair` drops it." for id, memory in bad]
    for id, vector in db.execute(f"select id, vector from pieces where id not in (select id {BAD_VECTORS})"):
        if not np.isfinite(np.frombuffer(vector, dtype="<f4")).all():
            problems.append(f"Vector {id} holds something that is no number.")
    return problems


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
        except Damaged as problem:
            problems.append(str(problem))
            continue
        if (memory.fingerprint, segmented(memory), spellings(memory)) != (fingerprint, spaced, spelt):
            problems.append(f"Memory {memory.id} was changed by another program: its index fields do not fit it.")
    return problems
