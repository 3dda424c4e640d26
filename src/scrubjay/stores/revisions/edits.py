"""Updates of what is not text: each is kept with the values before it, so that it can be undone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import apsw

from scrubjay.stores.columns import instant, moment, moment_or_none, object_from, to_row
from scrubjay.types import Edit, Memory

__all__ = ["LAST_STEP", "TASK", "Kept", "last", "of", "record", "record_task"]

FOLLOWING = {"updated_at", "fingerprint", "segmented", "spellings", "digest"}  # from the other columns, or the clock
TASK = "task."
# Steps that are in the trash just now count, too: they may come back.
LAST_STEP = """
    (select coalesce(max(id), 0) from (select max(id) as id from steps union all select max(id) from trash_steps))
"""
INSERT = f"""
    insert into edits (memory, at, after_step, actor, before) values (?, ?, {LAST_STEP}, ?, ?)
"""
LAST = """
    select id, at, actor, before, after_step from edits where memory = ? and undone_at is null order by id desc limit 1
"""
OF = """
    select id, memory, at, actor, before, undone_at, undone_by, undone_reason from edits
    where memory in (select value from json_each(?)) order by id
"""


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
    return Kept(id, moment(at), actor, object_from(before), after_step)


def _keep(db: apsw.Connection, id: int, at: datetime, actor: str | None, before: Mapping[str, Any]) -> None:
    if before:
        db.execute(INSERT, (id, instant(at), actor, json.dumps(before, ensure_ascii=False)))


def _edit(row: Any) -> Edit:
    id, memory, at, actor, before, undone_at, undone_by, undone_reason = row
    return Edit(
        id=id,
        memory=memory,
        at=moment(at),
        fields=tuple(object_from(before)),
        actor=actor,
        undone_at=moment_or_none(undone_at),
        undone_by=undone_by,
        undone_reason=undone_reason,
    )
