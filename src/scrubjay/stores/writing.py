"""The steps of a write, each inside the transaction its caller began."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import apsw

from scrubjay.errors import EmbedderMismatch, NotFound
from scrubjay.stores.agents import sessions, tasks
from scrubjay.stores.columns import COLUMNS, from_row, instant, to_row
from scrubjay.stores.contract import State
from scrubjay.stores.merging import merged
from scrubjay.types import Memory, Model, limits

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = [
    "adopt",
    "all_existing",
    "building",
    "drop_pieces",
    "erase",
    "existing",
    "find",
    "get",
    "has_pieces",
    "insert",
    "insert_model",
    "insert_pieces",
    "known",
    "log_pieces",
    "model_id",
    "put",
    "write_changes",
]

KEPT_CHANGES = 20_000
PRUNED_EVERY = 100

GET = f"""
    select {COLUMNS} from memories where id in (select value from json_each(:ids))
    and space in (select value from json_each(:spaces)) and (expires_at is null or expires_at > :now)
"""
KNOWN = f"""
    select {COLUMNS} from memories where fingerprint = :fingerprint and superseded_at is null
    and (expires_at is null or expires_at > :now) and id <> :apart_from order by id limit 1
"""
TURN = f"select {COLUMNS} from memories where space = ? and session = ? and position = ? and kind = 'turn' and id <> ?"
# A step past a deleted memory made what follows only if both steps did; one that was undone may not lead to itself.
BYPASS = """
    update steps set new = nullif(:next, old), created = created and coalesce(
        (select s.created from steps s where s.old = :id and s.undone_at is null), 1)
    where new = :id
"""
# The last turns of a session keep their places while they are in the trash, so that they can come back.
NEXT_POSITION = """
    with of_session (last, id) as (
        select coalesce(max(position), -1), coalesce(max(id), 0) from memories
        where space = :space and session = :session
    )
    select 1 + max(last, coalesce((
        select max(kept ->> '$.memories[0].position') from trash
        where trash.id > of_session.id and space = :space and json_valid(kept)
        and kept ->> '$.memories[0].session' = :session
        and exists (select 1 from sessions where space = :space and name = :session)
    ), -1)) from of_session
"""


def put(
    db: apsw.Connection, memory: Memory, vectors: Matrix | None, model_id: int, given: Collection[str] = ()
) -> tuple[Memory, bool]:
    """Store one memory, or add what is new to the one that already says the same."""
    before = known(db, memory)
    if before is not None:
        after = merged(before, memory, given)
        if memory.tags:
            limits.check_tags(after.tags)
        if memory.metadata:
            limits.check_metadata(after.metadata)
        write_changes(db, before, after)
        if before.digest != after.digest:
            drop_pieces(db, after)
        titled_alike = memory.given_title == after.given_title
        if vectors is not None and titled_alike and not has_pieces(db, before.id, model_id):
            insert_pieces(db, after, vectors, model_id)
        return after, False
    stored = insert(db, memory)
    if vectors is not None:
        insert_pieces(db, stored, vectors, model_id)
    return stored, True


def insert(db: apsw.Connection, memory: Memory) -> Memory:
    """Store a memory that is known to be new, as yet without vectors."""
    if memory.kind == "turn" and memory.position is None:
        of = {"space": memory.space, "session": memory.session}
        (position,) = db.execute(NEXT_POSITION, of).fetchone() or (0,)
        memory = replace(memory, position=position)
    row = to_row(memory)
    db.execute(f"insert into memories ({', '.join(row)}) values (:{', :'.join(row)})", row)
    stored = replace(memory, id=db.last_insert_rowid())
    if memory.kind == "task":
        tasks.begin(db, stored.id)
    if memory.kind == "turn" and memory.session:
        sessions.begin(db, memory.space, memory.session, memory.project, memory.client, memory.happened_at)
    return stored


def erase(db: apsw.Connection, memory: Memory) -> None:
    """Remove one memory; what it replaced was replaced by its own successor, if it has one."""
    log_pieces(db, memory, "remove")
    db.execute(BYPASS, {"id": memory.id, "next": memory.superseded_by})
    db.execute("update memories set superseded_by = ? where superseded_by = ?", (memory.superseded_by, memory.id))
    db.execute("delete from memories where id = ?", (memory.id,))


def get(db: apsw.Connection, ids: Sequence[int], spaces: Sequence[str], now: datetime) -> dict[int, Memory]:
    values = {"ids": json.dumps(list(ids)), "spaces": json.dumps(list(spaces)), "now": instant(now)}
    return {row[0]: from_row(row) for row in db.execute(GET, values)}


def existing(db: apsw.Connection, id: int, spaces: Sequence[str]) -> Memory:
    row = db.execute(f"select {COLUMNS} from memories where id = ?", (id,)).fetchone()
    if row is None or row[2] not in spaces:
        raise NotFound(f"There is no memory {id} in space {spaces[0]!r}.")
    return from_row(row)


def all_existing(db: apsw.Connection, ids: Sequence[int], spaces: Sequence[str]) -> Iterator[Memory]:
    """These memories, each read when it is its turn; if any is not there, all that are not are named."""
    missing = [id for id in ids if (memory := find(db, id)) is None or memory.space not in spaces]
    if missing:
        raise NotFound(f"There is no memory {', '.join(map(str, missing))} in space {spaces[0]!r}.")
    yield from (existing(db, id, spaces) for id in ids)


def find(db: apsw.Connection, id: int) -> Memory | None:
    row = db.execute(f"select {COLUMNS} from memories where id = ?", (id,)).fetchone()
    return from_row(row) if row else None


def known(db: apsw.Connection, memory: Memory, apart_from: int = 0) -> Memory | None:
    """The current memory that says the same as this one would, of which `apart_from` is the id if it has one."""
    fingerprint = memory.fingerprint
    if fingerprint is not None:
        values = {"fingerprint": fingerprint, "now": instant(memory.created_at), "apart_from": apart_from}
        row = db.execute(KNOWN, values).fetchone()
    elif memory.kind == "turn" and memory.position is not None:
        row = db.execute(TURN, (memory.space, memory.session, memory.position, apart_from)).fetchone()
    else:
        row = None
    return from_row(row) if row else None


def write_changes(db: apsw.Connection, before: Memory, after: Memory) -> None:
    """Write only the columns that differ: the full-text index is touched only when its words are."""
    old, new = to_row(before) | _counted(before), to_row(after) | _counted(after)
    changed = {name: value for name, value in new.items() if old[name] != value}
    if changed:
        assignments = ", ".join(f"{name} = :{name}" for name in changed)
        db.execute(f"update memories set {assignments} where id = :id", {**changed, "id": before.id})


def _counted(memory: Memory) -> dict[str, Any]:
    return {
        "confirmed_count": memory.confirmed_count,
        "confirmed_at": memory.confirmed_at and instant(memory.confirmed_at),
    }


def adopt(db: apsw.Connection, model: Model | None) -> int:
    """The id of the file's model; the first one to write vectors becomes it."""
    row = db.execute("select id, spec, name, dimensions, recipe from models where state = 'current'").fetchone()
    if model is None:
        return row[0] if row else 0
    if row is None:
        return insert_model(db, "current", model)
    if Model(*row[1:]) != model:
        raise EmbedderMismatch()
    return int(row[0])


def building(db: apsw.Connection, model: Model) -> int:
    """The id of the model a reindex is building; 0 if another process has finished it."""
    row = db.execute("select id, spec, name, dimensions, recipe from models where state = 'building'").fetchone()
    if row and Model(*row[1:]) != model:
        raise EmbedderMismatch(f"Another reindex, to {row[2]}, has begun; let it finish, then start this one again.")
    return int(row[0]) if row else 0


def insert_model(db: apsw.Connection, state: State, model: Model) -> int:
    db.execute(
        "insert into models (state, spec, name, dimensions, recipe) values (?, ?, ?, ?, ?)",
        (state, model.spec, model.name, model.dimensions, model.recipe),
    )
    return db.last_insert_rowid()


def model_id(db: apsw.Connection, state: State) -> int:
    row = db.execute("select id from models where state = ?", (state,)).fetchone()
    return int(row[0]) if row else 0


def has_pieces(db: apsw.Connection, id: int, model_id: int) -> bool:
    return db.execute("select 1 from pieces where memory = ? and model = ?", (id, model_id)).fetchone() is not None


def insert_pieces(db: apsw.Connection, memory: Memory, vectors: Matrix, model_id: int, log: bool = True) -> None:
    for number, vector in enumerate(vectors):
        db.execute(
            "insert into pieces (memory, model, number, vector, total) values (?, ?, ?, ?, ?)",
            (memory.id, model_id, number, vector.astype("<f4").tobytes(), len(vectors)),
        )
    last = db.last_insert_rowid()
    db.execute("delete from quarantine where memory = ? and model = ?", (memory.id, model_id))
    if log and memory.superseded_at is None and len(vectors):
        _log(db, memory.space, "add", last - len(vectors) + 1, last)


def drop_pieces(db: apsw.Connection, memory: Memory) -> None:
    """Also those that a reindex has made, which will make them anew."""
    log_pieces(db, memory, "remove")
    db.execute("delete from pieces where memory = ?", (memory.id,))


def log_pieces(db: apsw.Connection, memory: Memory, verb: str) -> None:
    pieces: list[Any] = db.execute("select id from pieces where memory = ?", (memory.id,)).fetchall()
    for (piece,) in pieces:
        _log(db, memory.space, verb, piece, piece)


def _log(db: apsw.Connection, space: str, verb: str, first: int, last: int) -> None:
    sql = "insert into changes (space, verb, first_piece, last_piece) values (?, ?, ?, ?)"
    db.execute(sql, (space, verb, first, last))
    if (seq := db.last_insert_rowid()) % PRUNED_EVERY == 0:
        # A cache that is further behind is rebuilt, which costs no more than following this many.
        db.execute("delete from changes where seq <= ?", (seq - KEPT_CHANGES,))
