"""Updates of what is not text: each is kept with the values before it, so that it can be undone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw

from scrubjay.errors import Invalid
from scrubjay.stores import embeddings, tasks
from scrubjay.stores.rows import COLUMNS, from_row, instant, to_row
from scrubjay.stores.writing import drop_pieces, has_pieces, known, model_id, write_changes
from scrubjay.types import Edit, Memory, Reverted

__all__ = ["Kept", "last", "of", "record", "record_task", "refuse_twins", "undo"]

FOLLOWING = {"updated_at", "fingerprint", "segmented", "spellings", "digest"}  # from the other columns, or the clock
TASK = "task."
INSERT = """
    insert into edits (memory, at, after_step, actor, before)
    values (?, ?, (select coalesce(max(id), 0) from steps), ?, ?)
"""
LAST = """
    select id, at, actor, before, after_step from edits where memory = ? and undone_at is null order by id desc limit 1
"""
OF = """
    select id, memory, at, actor, before, undone_at, undone_by, undone_reason from edits
    where memory in (select value from json_each(?)) order by id
"""
UNDONE = "update edits set undone_at = ?, undone_by = ?, undone_reason = ? where id = ?"
NO_VECTOR = "Its title is another again, so it is found by words only until `scrubjay backfill`."


@dataclass(frozen=True, slots=True)
class Kept:
    """The last update of a memory that stands, as it is stored."""

    id: int
    at: datetime
    actor: str | None
    before: Mapping[str, Any]
    after_step: int  # the last step before it, of any memory


def record(db: apsw.Connection, before: Memory, after: Memory, actor: str | None) -> None:
    """Keep what the columns that differ held before."""
    old, new = to_row(before), to_row(after)
    _keep(db, before.id, after.updated_at, actor, {k: v for k, v in old.items() if new[k] != v and k not in FOLLOWING})


def record_task(db: apsw.Connection, id: int, before: Mapping[str, Any], at: datetime, actor: str | None) -> None:
    _keep(db, id, at, actor, {f"{TASK}{name}": value for name, value in before.items()})


def of(db: apsw.Connection, ids: str) -> tuple[Edit, ...]:
    """The updates of these memories (a JSON list), oldest first."""
    rows: list[Any] = db.execute(OF, (ids,)).fetchall()
    return tuple(map(_edit, rows))


def last(db: apsw.Connection, memory: int) -> Kept | None:
    row: Any = db.execute(LAST, (memory,)).fetchone()
    if row is None:
        return None
    id, at, actor, before, after_step = row
    return Kept(id, datetime.fromisoformat(at), actor, json.loads(before), after_step)


def undo(
    db: apsw.Connection, memory: Memory, edit: Kept, at: datetime, actor: str | None, reason: str | None
) -> Reverted:
    """Give the fields of an update their former values."""
    own = {name: value for name, value in edit.before.items() if not name.startswith(TASK)}
    after = _with_columns(db, memory, {**own, "updated_at": instant(at)})
    refuse_twins(db, memory, after)
    write_changes(db, memory, after)
    tasks.change(db, memory.id, {name.removeprefix(TASK): edit.before[name] for name in edit.before.keys() - own})
    db.execute(UNDONE, (instant(at), actor, reason, edit.id))
    return Reverted(
        old=memory.id, new=memory.id, at=edit.at, effective_at=edit.at, id=edit.id, actor=edit.actor, undone_at=at,
        undone_by=actor, undone_reason=reason, fields=tuple(edit.before), notes=_embed_anew(db, memory, after),
    )  # fmt: skip


def refuse_twins(db: apsw.Connection, before: Memory, after: Memory) -> None:
    """Of two current memories, none says the same about the same as the other."""
    if before.fingerprint == after.fingerprint or after.superseded_at is not None:
        return
    if twin := known(db, after, apart_from=before.id):
        raise Invalid(
            f"Memory {twin.id} says the same already; put it in the place of {before.id} with supersede instead."
        )


def _keep(db: apsw.Connection, id: int, at: datetime, actor: str | None, before: Mapping[str, Any]) -> None:
    if before:
        db.execute(INSERT, (id, instant(at), actor, json.dumps(before, ensure_ascii=False)))


def _with_columns(db: apsw.Connection, memory: Memory, columns: Mapping[str, Any]) -> Memory:
    names = [name.strip() for name in COLUMNS.split(",")]
    row: Any = db.execute(f"select {COLUMNS} from memories where id = ?", (memory.id,)).fetchone()
    return from_row(tuple(columns.get(name, value) for name, value in zip(names, row, strict=True)))


def _embed_anew(db: apsw.Connection, before: Memory, after: Memory) -> tuple[str, ...]:
    model = model_id(db, "current")
    if before.digest == after.digest or not has_pieces(db, before.id, model):
        return ()
    drop_pieces(db, after)
    embeddings.attach(db, after)
    return () if has_pieces(db, after.id, model) else (NO_VECTOR,)


def _edit(row: Any) -> Edit:
    id, memory, at, actor, before, undone_at, undone_by, undone_reason = row
    return Edit(
        id=id,
        memory=memory,
        at=datetime.fromisoformat(at),
        fields=tuple(json.loads(before)),
        actor=actor,
        undone_at=undone_at and datetime.fromisoformat(undone_at),
        undone_by=undone_by,
        undone_reason=undone_reason,
    )
