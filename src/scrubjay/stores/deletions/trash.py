"""The trash: deleted memories, out of every other table until they are taken out again or erased."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from scrubjay.errors import Damaged, Invalid, NotFound, ReadOnly, StoreError
from scrubjay.files import drafts
from scrubjay.stores import records, vectors
from scrubjay.stores.agents import sessions
from scrubjay.stores.agents.requests import forget_answers
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.columns import REPAIR, instant, instant_or_none, moment, object_from, to_row
from scrubjay.stores.connections import names
from scrubjay.stores.contract import Engine, Rows
from scrubjay.stores.deletions.erased_links import erase_links
from scrubjay.stores.deletions.erased_steps import erase_steps
from scrubjay.stores.deletions.kept_rows import (
    RELATED,
    STAYS,
    Row,
    insert_row,
    is_readable,
    kept_from,
    kept_memory,
    only,
    rows_of,
)
from scrubjay.stores.deletions.session_names import forget_sessions, sessions_of
from scrubjay.stores.deletions.tombstones import bury, note_deletion, unbury
from scrubjay.stores.revisions.steps import COLUMNS as STEP
from scrubjay.stores.revisions.steps import from_step_row
from scrubjay.stores.rows import all_existing, erase, find, known
from scrubjay.types import Memory, Trust, trust

__all__ = ["Deleted", "Trash", "discard", "drop_unreadable", "forget_traces", "leave_traces", "unreadable"]

INSERT = """
    insert into trash (id, space, deleted_at, deleted_by, reason, kept, model, vectors, record, noun)
    values (:id, :space, :at, :by, :reason, :kept, :model, :vectors, :record, :noun)
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
FROM_DELETED = """
    select trash.kept, step.kept, step.created
    from trash left join trash_steps as step on step.old = trash.id where trash.id = :id
"""
# The merge into a memory was undone while it was in the trash.
UNDONE_TO = f"""
    select {", ".join(f"s.{name}" for name in STEP)}, t.kept from steps s join trash_steps t on t.id = s.id
    where t.new = :id and t.created = 0 and s.undone_at is not null order by s.id desc
"""
STEPS_FROM = "select id, kept from trash_steps where old = :id"
UNDONE_SINCE = """
    select undone_at, undone_by, undone_reason from steps where change = :change and undone_at is not null
    and not exists (select 1 from memories where id = :new and superseded_at is null) limit 1
"""
OF_SPACE = "select kept, deleted_at, reason from trash where space = :space order by deleted_at desc, id desc"
RECORD_OF = "select record from trash where id = :id and space in (:spaces)"
OF_RECORD = "select id from trash where space in (:spaces) and record = :record order by id desc"
ONE = "select kept, model, vectors from trash where id = :id and space in (:spaces)"
# An erasure that was broken off is due as well.
DUE = """
    select (select count(*) from trash where deleted_at <= :before) + (select count(*) from erasure where complete = 0)
"""
# Of a record, all versions that lie there come back with it.
DELETED_BY = """
    select 1 from trash where id = :id and space in (:spaces) and deleted_by = :by and not exists (
        select 1 from trash as other where other.record = trash.record and other.space = trash.space
        and (other.deleted_by is null or other.deleted_by <> :by)
    )
"""
NOT_DELETED_BY = (
    "There is no memory {} in the trash of space {!r} that {} has deleted;"
    " whoever has the scope admin may restore what others have deleted."
)
NOT_ERASED = "Deleted memories are in no answer, but still in the file ({}); `scrubjay trash --empty` erases them."
TRACES = 2  # all that was in the trash is erased, but not what is left of texts that never were in it
HAS_TRACES = "select 1 from erasure where complete <> 1"
TO_ERASE = "from trash where deleted_at <= :before and (:space is null or space = :space)"
AFTER_THE_LAST = "select max(position) + 1 from memories where space = :space and document = :document"
AT_ITS_PLACE = "select 1 from memories where space = :space and document = :document and position = :position"
SUMMARY = "update sessions set summary = :id where space = :space and name = :name and summary is null"


class Deleted(NamedTuple):
    """A memory in the trash: since when, and why."""

    memory: Memory
    at: datetime
    reason: str


class Trash:
    """Deleted memories, which are in no other answer of the store."""

    def __init__(self, engine: Engine, uses: Uses) -> None:
        self._engine = engine
        self._uses = uses

    def all(self, space: str) -> list[Deleted]:
        """The last deleted first."""
        with self._engine.reading([space]) as rows:
            found = rows.all(OF_SPACE, space=space)
        return [Deleted(kept_memory(kept_from(kept)), moment(at), reason) for kept, at, reason in found]

    def put(self, ids: Sequence[int], spaces: Sequence[str], at: datetime, by: str | None = None) -> None:
        """Move all of them to the trash; if one is not there, none. A record goes with all its versions."""
        with self._engine.writing(spaces) as rows:
            for memory in all_existing(rows, records.with_versions(rows, ids, spaces), spaces):
                discard(rows, memory, at, "deleted", by)
                note_deletion(rows, memory, at)

    def evict(self, ids: Sequence[int], at: datetime, reason: str) -> None:
        """Move memories of any space to the trash."""
        with self._engine.writing() as rows:
            for memory in filter(None, (find(rows, id) for id in records.with_versions(rows, ids))):
                discard(rows, memory, at, reason)

    def take_out(self, id: int, spaces: Sequence[str], at: datetime, most: Trust, only_by: str | None = None) -> Memory:
        """Put a memory back where it was, with at most this trust; with `only_by`, if they have deleted it."""
        with self._engine.writing(spaces) as rows:
            if only_by is not None and not rows.one(DELETED_BY, id=id, spaces=list(spaces), by=only_by):
                raise NotFound(NOT_DELETED_BY.format(id, spaces[0], only_by))
            try:
                return _take_out_whole(rows, id, spaces, at, most)
            except (LookupError, TypeError, AttributeError) as problem:
                raise Damaged(STAYS.format(REPAIR)) from problem

    def due(self, before: datetime) -> int:
        """How many were deleted before, in any space."""
        with self._engine.reading() as rows:
            (count,) = rows.one(DUE, before=instant(before))
        return int(count)

    def emptied_at(self) -> datetime | None:
        """When it was last emptied, if no byte of what was in it is left."""
        with self._engine.reading() as rows:
            at, complete = rows.one("select at, complete from erasure") or ("", 1)
        return moment(at) if at and complete else None

    def empty(self, before: datetime, at: datetime, space: str | None = None) -> int:
        """Erase what was deleted before, in one space or all: no file of the store holds it any more."""
        try:
            erased = self._erase(before, at, space)
            self.finish()
        except (Damaged, ReadOnly):
            raise
        except StoreError as problem:  # what was deleted just before stays deleted
            raise StoreError(NOT_ERASED.format(problem.__cause__ or problem)) from problem
        return erased

    def _erase(self, before: datetime, at: datetime, space: str | None) -> int:
        with self._engine.writing() as rows:
            self._uses.flush(rows)
            which = {"before": instant(before), "space": space}
            kept = [kept for (kept,) in rows.all(f"select kept {TO_ERASE}", **which) if is_readable(kept)]
            erased = rows.run(f"delete {TO_ERASE}", **which)
            forget_sessions(rows, sessions_of(kept_memory(kept_from(one)) for one in kept), at)
            if erased or rows.one(HAS_TRACES):
                forget_traces(rows, at)
        return erased

    def bytes(self) -> int:
        """What it takes of the store, which no limit counts."""
        return self._engine.size("trash").in_use

    def finish(self) -> None:
        """Take what was erased out of every file; while somebody reads an older state, later.

        This may be broken off at any point: it is begun again until all of it is done.
        """
        self._remove_abandoned()
        with self._engine.reading() as rows:
            (complete,) = rows.one("select complete from erasure") or (1,)
        if not complete and self._engine.compact():
            with self._engine.writing() as rows:
                rows.run("update erasure set complete = 1")

    def _remove_abandoned(self) -> None:
        """Copies that were begun by processes that were killed: nobody would ever erase what is in them."""
        for file in self._engine.files()[:1]:  # of a store in files, the store itself; SQLite's own lie beside it
            drafts.remove_abandoned(file.parent, file.name)
        with self._engine.reading() as rows:
            noted = [path for (path,) in rows.all("select path from copies")]
        if gone := [path for path in noted if drafts.remove_if_abandoned(Path(path))]:
            with self._engine.writing() as rows:
                rows.run("delete from copies where path in (:gone)", gone=gone)


def leave_traces(rows: Rows) -> None:
    """Say that a text has left without going through the trash: its words may stand in the index still.

    They are erased the next time that the trash is emptied, also if it is empty.
    """
    rows.run("update erasure set complete = :traces where complete <> 0", traces=TRACES)


def unreadable(rows: Rows) -> list[int]:
    """The ids of deleted memories that cannot be taken out any more."""
    return [id for id, kept in rows.all("select id, kept from trash order by id") if not is_readable(kept)]


def drop_unreadable(rows: Rows) -> None:
    rows.run("delete from trash where id in (:ids)", ids=unreadable(rows))


def discard(rows: Rows, memory: Memory, at: datetime, reason: str, by: str | None = None) -> None:
    """Move a memory to the trash. Its source does not bring it back."""
    model, pieces = _vectors(rows, memory.id)
    for step in rows_of(rows, "steps", "old = :id or new = :id", memory.id):
        rows.run(KEEP_STEP, **only(step, "id", "old", "new", "created"), kept=json.dumps(step))
    kept = {"memories": rows_of(rows, "memories", "id = :id", memory.id)}
    kept |= {table: rows_of(rows, table, condition, memory.id) for table, condition in RELATED.items()}
    record, noun = records.told_by(rows, memory.id)
    values = {"id": memory.id, "space": memory.space, "at": instant(at), "by": by, "reason": reason, "record": record}
    rows.run(INSERT, **values, noun=noun, kept=json.dumps(kept), model=model, vectors=pieces)
    bury(rows, memory)
    if memory.session:
        sessions.forget_title(rows, memory, at)
    vectors.forget(rows, memory)
    erase(rows, memory)


def _take_out_whole(rows: Rows, id: int, spaces: Sequence[str], at: datetime, most: Trust) -> Memory:
    """One memory; of a record, those of all its versions. Returns that memory, of a record the version that holds."""
    (record,) = rows.one(RECORD_OF, id=id, spaces=list(spaces)) or (None,)
    if record is None:
        return _take_out(rows, id, spaces, at, most)
    found = rows.all(OF_RECORD, record=record, spaces=list(spaces))
    taken = {other: _take_out(rows, other, spaces, at, most) for (other,) in found}
    records.refuse_same_keys(rows, taken.values(), at)
    return next((memory for memory in taken.values() if memory.superseded_at is None), taken[id])


def _take_out(rows: Rows, id: int, spaces: Sequence[str], at: datetime, most: Trust) -> Memory:
    row = rows.one(ONE, id=id, spaces=list(spaces))
    if row is None:
        raise NotFound(f"There is no memory {id} in the trash of space {spaces[0]!r}.")
    kept = kept_from(row[0])
    memory = _placed(rows, _freed(rows, _lent(kept_memory(kept), at, most)))
    _refuse_twin(rows, memory, at)
    memory = replace(memory, superseded_by=_onward(rows, memory.superseded_by)[0])
    replaced = {"superseded_by": memory.superseded_by, "superseded_at": instant_or_none(memory.superseded_at)}
    insert_row(rows, "memories", {**kept["memories"][0], **to_row(memory), **replaced})
    names.learn(rows, memory.id, memory)
    undone = rows.all(UNDONE_TO, id=id)
    _put_back(rows, memory, kept)
    if row[1] is not None and row[1] == vectors.model_id(rows, "current"):
        model, pieces = row[1:]
        vectors.attach(rows, memory, vectors.from_bytes(rows, model, pieces), model)
    unbury(rows, memory)
    rows.run("delete from trash where id = :id", id=id)
    _give_back(rows, memory, undone)
    return find(rows, id) or memory


def _give_back(rows: Rows, memory: Memory, undone: Sequence[Sequence[Any]]) -> None:
    """Undo what it took over by merges that were undone while it was in the trash, the last one first."""
    from scrubjay.stores.revisions.undo import By, give_back  # a search needs no type of the history

    for *row, kept in undone:
        step = from_step_row(row)
        if object_from(kept)["undone_at"] is None and step.undone_at is not None:
            by = By(step.undone_at, step.undone_by, step.undone_reason, memory.trust)
            with suppress(Invalid):  # then it would say the same as another memory
                give_back(rows, replace(step, new=memory.id), by, recorded=False)


def _lent(memory: Memory, at: datetime, most: Trust) -> Memory:
    """The trash keeps no trust: who takes a memory out vouches for it. An expiry that has passed is taken off."""
    expires = memory.expires_at if memory.expires_at is None or memory.expires_at > at else None
    return replace(memory, trust=trust.lower(memory.trust, most), expires_at=expires, updated_at=at)


def _freed(rows: Rows, memory: Memory) -> Memory:
    """Current again, if the change that replaced it together with others was undone meanwhile: it holds for it, too."""
    for id, kept in rows.all(STEPS_FROM, id=memory.id):
        step = object_from(kept)
        undone = None if step["undone_at"] else rows.one(UNDONE_SINCE, **only(step, "change", "new"))
        if undone:
            step |= dict(zip(("undone_at", "undone_by", "undone_reason"), undone, strict=True))
            rows.run("update trash_steps set kept = :kept where id = :id", kept=json.dumps(step), id=id)
            memory = replace(memory, superseded_by=None, superseded_at=None)
    return memory


def _placed(rows: Rows, memory: Memory) -> Memory:
    """A passage goes back to its document; to its end, where the document was read again since."""
    if memory.document is None:
        return memory
    document = {"space": memory.space, "document": memory.document}
    if not rows.one("select 1 from documents where space = :space and name = :document", **document):
        raise Invalid(f"Memory {memory.id} was cut from a document that is not known any more; sync it first.")
    if memory.kind != "passage" or not rows.one(AT_ITS_PLACE, **document, position=memory.position):
        return memory
    (position,) = rows.one(AFTER_THE_LAST, **document)
    return replace(memory, position=position)


def _refuse_twin(rows: Rows, memory: Memory, at: datetime) -> None:
    """Two current memories must not say the same, and a conversation has one turn at each place."""
    twin = known(rows, replace(memory, created_at=at))  # one that has expired by now does not count
    if twin and memory.kind == "turn" and twin.text != memory.text:
        raise Invalid(f"Memory {twin.id} has the place of {memory.id} in its session; {memory.id} stays in the trash.")
    if twin and (memory.superseded_at is None or memory.kind == "turn"):
        raise Invalid(f"Memory {twin.id} says the same as {memory.id}, which stays in the trash.")


def _put_back(rows: Rows, memory: Memory, kept: dict[str, list[Row]]) -> None:
    for table in ("tasks", "told", "edits", "secrets", "records", "ratings"):
        for row in kept.get(table, []):  # an older version kept fewer tables
            insert_row(rows, table, {**row, "memory": memory.id})  # a forged file may name any other
    _put_steps(rows, memory.id)
    for row in kept["conflicts"]:
        if all(_exists(rows, row[end]) for end in ("older", "newer")):
            insert_row(rows, "conflicts", row)
    for row in kept.get("links", []):
        _put_link(rows, row)
    for row in kept["sessions"]:
        rows.run(SUMMARY, id=memory.id, space=row["space"], name=row["name"])
    if memory.kind == "turn" and memory.session:
        sessions.begin(rows, memory.space, memory.session, memory.project, memory.client, memory.happened_at)


def _put_link(rows: Rows, row: Row) -> None:
    """Link two memories again; if the other one is in the trash itself, it keeps the link until it comes back."""
    away = [row[end] for end in ("source", "target") if not _exists(rows, row[end])]
    if not away:
        insert_row(rows, "links", row)
    elif other := rows.one("select kept from trash where id = :id", id=away[0]):
        kept = kept_from(other[0])
        kept["links"] = [*kept.get("links", []), row]
        rows.run("update trash set kept = :kept where id = :id", kept=json.dumps(kept), id=away[0])


def _put_steps(rows: Rows, id: int) -> None:
    """Let the steps from and to a memory be as they were, as far as their other ends are there."""
    for step, old, new, created, kept in rows.all(KEPT_STEPS, id=id):
        next, made = _onward(rows, new)
        if _exists(rows, old) and id in (old, new, next):
            next = None if next == old else next  # it was undone; what it led to is in the trash, and led back here
            _put_step(rows, {**object_from(kept), "id": step, "old": old, "new": next, "created": created and made})
            if next == new:
                rows.run("delete from trash_steps where id = :id", id=step)


def _put_step(rows: Rows, step: Row) -> None:
    there = rows.one("select undone_at from steps where id = :id", id=step["id"])
    if there:
        rows.run("update steps set new = :new, created = :created where id = :id", **only(step, "new", "created", "id"))
    else:
        insert_row(rows, "steps", step)
    if not (there[0] if there else step["undone_at"]):
        rows.run("update memories set superseded_by = :new where id = :old", **only(step, "new", "old"))


def _onward(rows: Rows, id: int | None) -> tuple[int | None, bool]:
    """A memory, or what follows on it while it is in the trash itself; and whether every step there made something."""
    passed, made = set[int](), True
    while id is not None and id not in passed and not _exists(rows, id):
        passed.add(id)  # a damaged file may lead round in a circle
        found = rows.all(FROM_DELETED, id=id)
        made = made and all(created for _, step, created in found if step and not object_from(step)["undone_at"])
        id = kept_from(found[0][0])["memories"][0].get("superseded_by") if found else None
    return (None if id in passed else id), made


def _exists(rows: Rows, id: int) -> bool:
    return rows.one("select 1 from memories where id = :id", id=id) is not None


def _vectors(rows: Rows, id: int) -> tuple[int | None, bytes | None]:
    model = vectors.model_id(rows, "current")
    pieces = rows.vectors.of([id], model).get(id)
    return (None, None) if pieces is None else (model, pieces.tobytes())


def forget_traces(rows: Rows, at: datetime) -> None:
    """Forget what else may tell of what was erased: steps, reasons, links, questions asked for it, answers with it."""
    erase_steps(rows, at)
    erase_links(rows)
    sessions.forget_notes(rows)
    forget_answers(rows)
    rows.run("update accesses set query = null where query is not null")
    rows.run("update erasure set at = :at, complete = 0", at=instant(at))
