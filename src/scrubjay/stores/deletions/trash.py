"""The trash: deleted memories, out of every other table until they are taken out again or erased."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import apsw

from scrubjay.errors import Damaged, Invalid, NotFound, ReadOnly, StoreError
from scrubjay.stores import embeddings, writing
from scrubjay.stores.agents import sessions
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.columns import COLUMNS, REPAIR, from_row, instant, moment, object_from, to_row
from scrubjay.stores.contract import Deleted
from scrubjay.stores.deletions.tombstones import bury, unbury
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.stores.sqlite.vector_cache import VectorCache
from scrubjay.types import Memory, Trust, trust

__all__ = ["Trash"]

Row = dict[str, Any]

# What else names a memory, and is put back with it. `uses` are not: nobody misses them.
RELATED = {
    "tasks": "memory = :id",
    "conflicts": "older = :id or newer = :id",
    "told": "memory = :id",
    "edits": "memory = :id",
    "secrets": "memory = :id",
    "sessions": "summary = :id",
}
INSERT = """
    insert into trash (id, space, deleted_at, reason, kept, model, vectors)
    values (:id, :space, :at, :reason, :kept, :model, :vectors)
"""
# The first deletion of an end tells how the step was; a later one, only what became of it since.
KEEP_STEP = """
    insert into trash_steps (id, old, new, created, kept) values (:id, :old, :new, :created, :kept)
    on conflict (id) do update set kept = excluded.kept
"""
KEPT_STEPS = """
    select id, old, new, created, kept from trash_steps
    where old = :id or new = :id or new in (select id from trash) order by id
"""
ERASE_STEPS = """
    delete from trash_steps where old not in (select id from memories union all select id from trash)
    or new not in (select id from memories union all select id from trash)
"""
OF_SPACE = "select kept, deleted_at, reason from trash where space = ? order by deleted_at desc, id desc"
ONE = "select kept, model, vectors from trash where id = ? and space in (select value from json_each(?))"
# An erasure that was broken off is due as well.
DUE = """
    select (select count(*) from trash where deleted_at <= ?) + (select count(*) from erasure where not complete)
"""
NOT_ERASED = "Deleted memories are in no answer, but still in the file ({}); `scrubjay cleanup` erases them."
ERASE = "delete from trash where deleted_at <= :before and (:space is null or space = :space)"
# Every process builds its vector cache anew from what is left: a cache that only follows may keep what was removed.
RESTART_CHANGES = """
    delete from changes; insert into changes (space, verb, first_piece, last_piece) values ('', 'add', 0, -1);
"""
# What follows on a memory in the trash, and whether the step that leads there made it.
ONWARD = """
    select kept ->> '$.memories[0].superseded_by', coalesce(
        (select created from trash_steps where old = :id and kept ->> '$.undone_at' is null), 1)
    from trash where id = :id
"""
AFTER_THE_LAST = "select max(position) + 1 from memories where space = ? and document = ?"
AT_ITS_PLACE = "select 1 from memories where space = ? and document = ? and position = ?"
# Pages that the trash takes, which no limit counts.
TRASH_BYTES = "select coalesce(sum(pgsize), 0) from dbstat('main', 1) where name in ('trash', 'trash_by_time')"


class Trash:
    """Deleted memories, which are in no other answer of the store."""

    def __init__(self, connections: Connections, cache: VectorCache, uses: Uses) -> None:
        self._connections = connections
        self._cache = cache
        self._uses = uses

    def all(self, space: str) -> list[Deleted]:
        with self._connections.reading() as db:
            rows: list[Any] = db.execute(OF_SPACE, (space,)).fetchall()
        return [Deleted(_memory(_kept(kept)["memories"][0]), moment(at), reason) for kept, at, reason in rows]

    def put(self, ids: Sequence[int], spaces: Sequence[str], at: datetime) -> None:
        """Move all of them to the trash; if one is not there, none."""
        with self._connections.writing() as db:
            for memory in writing.all_existing(db, ids, spaces):
                discard(db, memory, at, "deleted")

    def evict(self, ids: Sequence[int], at: datetime, reason: str) -> None:
        """Move memories of any space to the trash."""
        with self._connections.writing() as db:
            for memory in filter(None, (writing.find(db, id) for id in ids)):
                discard(db, memory, at, reason)

    def take_out(self, id: int, spaces: Sequence[str], at: datetime, most: Trust) -> Memory:
        with self._connections.writing() as db:
            return _take_out(db, id, spaces, at, most)

    def due(self, before: datetime) -> int:
        with self._connections.reading() as db:
            (count,) = db.execute(DUE, (instant(before),)).fetchone() or (0,)
        return int(count)

    def emptied_at(self) -> datetime | None:
        """When it was last emptied, if no byte of what was in it is left."""
        with self._connections.reading() as db:
            at, complete = db.execute("select at, complete from erasure").fetchone() or ("", 1)
        return moment(at) if at and complete else None

    def empty(self, before: datetime, at: datetime, space: str | None = None) -> int:
        try:
            erased = self._erase(before, at, space)
            self._finish()
        except ReadOnly:
            raise
        except StoreError as problem:  # what was deleted just before stays deleted
            raise StoreError(NOT_ERASED.format(problem.__cause__ or problem)) from problem
        return erased

    def _erase(self, before: datetime, at: datetime, space: str | None) -> int:
        with self._connections.writing() as db:
            self._uses.flush(db)
            db.execute(ERASE, {"before": instant(before), "space": space})
            erased = int(db.changes())
            if erased:
                _forget_traces(db, at)
        return erased

    def bytes(self) -> int:
        with self._connections.reading() as db:
            (size,) = db.execute(TRASH_BYTES).fetchone() or (0,)
        return int(size)

    def _finish(self) -> None:
        """Take what was erased out of every file; while somebody reads an older state, later.

        This may be broken off at any point: it is begun again until all of it is done.
        """
        with self._connections.reading() as db:
            (complete,) = db.execute("select complete from erasure").fetchone() or (1,)
        if complete:
            return
        self._cache.clear()
        if not self._connections.empty_log():
            return  # writing the file anew would only make the log longer
        self._connections.vacuum()
        if self._connections.empty_log():
            with self._connections.writing() as db:
                db.execute("update erasure set complete = 1")


def discard(db: apsw.Connection, memory: Memory, at: datetime, reason: str) -> None:
    """Move a memory to the trash. Its source does not bring it back."""
    model, vectors = _vectors(db, memory.id)
    for step in _rows(db, "steps", "old = :id or new = :id", memory.id):
        db.execute(KEEP_STEP, {**_only(step, "id", "old", "new", "created"), "kept": json.dumps(step)})
    kept = {"memories": _rows(db, "memories", "id = :id", memory.id)}
    kept |= {table: _rows(db, table, condition, memory.id) for table, condition in RELATED.items()}
    values = {"id": memory.id, "space": memory.space, "at": instant(at), "reason": reason}
    db.execute(INSERT, {**values, "kept": json.dumps(kept), "model": model, "vectors": vectors})
    bury(db, memory)
    embeddings.forget(db, memory)
    writing.erase(db, memory)


def _take_out(db: apsw.Connection, id: int, spaces: Sequence[str], at: datetime, most: Trust) -> Memory:
    row: Any = db.execute(ONE, (id, json.dumps(list(spaces)))).fetchone()
    if row is None:
        raise NotFound(f"There is no memory {id} in the trash of space {spaces[0]!r}.")
    kept = _kept(row[0])
    memory = _placed(db, _lent(_memory(kept["memories"][0]), at, most))
    _refuse_twin(db, memory, at)
    memory = replace(memory, superseded_by=_onward(db, memory.superseded_by)[0])
    _insert(db, "memories", {**kept["memories"][0], **to_row(memory), "superseded_by": memory.superseded_by})
    _put_back(db, memory, kept)
    if row[1] is not None and row[1] == writing.model_id(db, "current"):
        _put_vectors(db, memory, *row[1:])
    unbury(db, id)
    db.execute("delete from trash where id = ?", (id,))
    return memory


def _lent(memory: Memory, at: datetime, most: Trust) -> Memory:
    """The trash keeps no trust: who takes a memory out vouches for it. An expiry that has passed is taken off."""
    expires = memory.expires_at if memory.expires_at is None or memory.expires_at > at else None
    return replace(memory, trust=trust.lower(memory.trust, most), expires_at=expires, updated_at=at)


def _placed(db: apsw.Connection, memory: Memory) -> Memory:
    """A passage goes back to its document; to its end, where the document was read again since."""
    if memory.document is None:
        return memory
    document = (memory.space, memory.document)
    if not db.execute("select 1 from documents where space = ? and name = ?", document).fetchone():
        raise Invalid(
            f"Memory {memory.id} was cut from {memory.document!r}, which is not known any more; sync it first."
        )
    if memory.kind != "passage" or not db.execute(AT_ITS_PLACE, (*document, memory.position)).fetchone():
        return memory
    (position,) = db.execute(AFTER_THE_LAST, document).fetchone() or (0,)
    return replace(memory, position=position)


def _refuse_twin(db: apsw.Connection, memory: Memory, at: datetime) -> None:
    """Two current memories must not say the same, and a conversation has one turn at each place."""
    twin = writing.known(db, replace(memory, created_at=at))  # one that has expired by now does not count
    if twin and memory.kind == "turn" and twin.text != memory.text:
        raise Invalid(f"Memory {twin.id} has the place of {memory.id} in its session; {memory.id} stays in the trash.")
    if twin and (memory.superseded_at is None or memory.kind == "turn"):
        raise Invalid(f"Memory {twin.id} says the same as {memory.id}, which stays in the trash.")


def _put_back(db: apsw.Connection, memory: Memory, kept: dict[str, list[Row]]) -> None:
    for table in ("tasks", "told", "edits", "secrets"):
        for row in kept.get(table, []):  # an older version kept fewer tables
            _insert(db, table, row)
    _put_steps(db, memory.id)
    for row in kept["conflicts"]:
        if all(_exists(db, row[end]) for end in ("older", "newer")):
            _insert(db, "conflicts", row)
    for row in kept["sessions"]:
        values = (memory.id, row["space"], row["name"])
        db.execute("update sessions set summary = ? where space = ? and name = ? and summary is null", values)
    if memory.kind == "turn" and memory.session:
        sessions.begin(db, memory.space, memory.session, memory.project, memory.client, memory.happened_at)


def _put_steps(db: apsw.Connection, id: int) -> None:
    """Let the steps from and to a memory be as they were, as far as their other ends are there."""
    rows: list[Any] = db.execute(KEPT_STEPS, {"id": id}).fetchall()
    for step, old, new, created, kept in rows:
        next, made = _onward(db, new)
        if _exists(db, old) and id in (old, new, next):
            next = None if next == old else next  # it was undone; what it led to is in the trash, and led back here
            _put_step(db, {**object_from(kept), "new": next, "created": created and made})
            if next == new:
                db.execute("delete from trash_steps where id = ?", (step,))


def _put_step(db: apsw.Connection, step: Row) -> None:
    known: Any = db.execute("select undone_at from steps where id = ?", (step["id"],)).fetchone()
    if known:
        db.execute(
            "update steps set new = :new, created = :created where id = :id", _only(step, "new", "created", "id")
        )
    else:
        _insert(db, "steps", step)
    if not (known[0] if known else step["undone_at"]):
        db.execute("update memories set superseded_by = :new where id = :old", _only(step, "new", "old"))


def _onward(db: apsw.Connection, id: int | None) -> tuple[int | None, bool]:
    """A memory, or what follows on it while it is in the trash itself; and whether every step there made something."""
    passed, made = set[int](), True
    while id is not None and id not in passed and not _exists(db, id):
        passed.add(id)  # a damaged file may lead round in a circle
        row: Any = db.execute(ONWARD, {"id": id}).fetchone()
        id, made = (row[0], made and bool(row[1])) if row else (None, made)
    return (None if id in passed else id), made


def _exists(db: apsw.Connection, id: int) -> bool:
    return db.execute("select 1 from memories where id = ?", (id,)).fetchone() is not None


def _put_vectors(db: apsw.Connection, memory: Memory, model: int, vectors: bytes) -> None:
    import numpy as np

    (dimensions,) = db.execute("select dimensions from models where id = ?", (model,)).fetchone() or (1,)
    writing.insert_pieces(db, memory, np.frombuffer(vectors, dtype="<f4").reshape(-1, dimensions), model)


def _vectors(db: apsw.Connection, id: int) -> tuple[int | None, bytes | None]:
    model = writing.model_id(db, "current")
    sql = "select vector from pieces where memory = ? and model = ? order by number"
    pieces: list[Any] = db.execute(sql, (id, model)).fetchall()
    return (model, b"".join(vector for (vector,) in pieces)) if pieces else (None, None)


def _forget_traces(db: apsw.Connection, at: datetime) -> None:
    """What else may tell of erased memories: their words in the index, and questions that were asked for them."""
    db.execute(ERASE_STEPS)
    db.execute("update accesses set query = null where query is not null")
    db.execute("insert into words (words) values ('optimize')")
    for _ in db.execute(RESTART_CHANGES):
        pass
    db.execute("update erasure set at = ?, complete = 0", (instant(at),))


def _rows(db: apsw.Connection, table: str, condition: str, id: int) -> list[Row]:
    """Rows by column name, without bytes: those are made from the rest of a row."""
    cursor = db.execute(f"select * from {table} where {condition}", {"id": id})
    found: list[Any] = []
    for row in cursor:
        named = zip((name for name, *_ in cursor.get_description()), row, strict=True)
        found.append({name: value for name, value in named if not isinstance(value, bytes)})
    return found


def _kept(text: str) -> dict[str, list[Row]]:
    kept = object_from(text)
    if not kept.get("memories"):
        raise Damaged(f"A memory in the trash cannot be read; {REPAIR}.")
    return kept


def _only(row: Row, *names: str) -> Row:
    return {name: row[name] for name in names}


def _insert(db: apsw.Connection, table: str, row: Row) -> None:
    """The names come from the file, and are put into a statement: they must be those of columns."""
    columns = {name for (name,) in db.execute("select name from pragma_table_info(?)", (table,))}
    if not columns.issuperset(row):
        raise Damaged("What the trash keeps of this memory is damaged, so it stays there.")
    db.execute(f"insert into {table} ({', '.join(row)}) values (:{', :'.join(row)})", row)


def _memory(row: Row) -> Memory:
    return from_row(tuple(row[name.strip()] for name in COLUMNS.split(",")))
