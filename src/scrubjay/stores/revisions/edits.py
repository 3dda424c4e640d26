"""Updates of what is not text: each is kept with the values before it, so that it can be undone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.stores.columns import instant, moment, moment_or_none, object_from, to_row
from scrubjay.stores.contract import Rows
from scrubjay.types import Memory

if TYPE_CHECKING:
    from scrubjay.types.history import Edit

__all__ = ["COLUMNS", "LAST_STEP", "TASK", "Kept", "last", "of", "record", "record_task"]

COLUMNS = ("id", "memory", "at", "after_step", "actor", "before", "undone_at", "undone_by", "undone_reason")
# Made from the other columns, or by the clock.
FOLLOWING = {"updated_at", "fingerprint", "segmented", "spellings", "digest", "stems"}
TASK = "task."
# Steps that are in the trash just now count, too: they may come back.
LAST_STEP = """
    (select coalesce(max(id), 0)
    from (select max(id) as id from steps union all select max(id) from trash_steps) as last)
"""
INSERT = f"""
    insert into edits (memory, at, after_step, actor, before)
    values (:memory, :at, {LAST_STEP}, :actor, :before)
"""
LAST = """
    select id, at, actor, before, after_step from edits where memory = :memory and undone_at is null
    order by id desc limit 1
"""
OF = """
    select id, memory, at, actor, before, undone_at, undone_by, undone_reason from edits
    where memory in (:ids) order by id
"""


class Kept(NamedTuple):
    """The last update of a memory that stands, as it is stored."""

    id: int
    at: datetime
    actor: str | None
    before: Mapping[str, Any]
    after_step: int  # the last step before it, of any memory


def record(rows: Rows, before: Memory, after: Memory, actor: str | None) -> None:
    """Keep what the columns that differ held before."""
    old, new = to_row(before), to_row(after)
    changed = {name: value for name, value in old.items() if new[name] != value and name not in FOLLOWING}
    _keep(rows, before.id, after.updated_at, actor, changed)


def record_task(rows: Rows, id: int, before: Mapping[str, Any], at: datetime, actor: str | None) -> None:
    _keep(rows, id, at, actor, {f"{TASK}{name}": value for name, value in before.items()})


def of(rows: Rows, ids: Sequence[int]) -> tuple[Edit, ...]:
    """The updates of these memories, oldest first."""
    return tuple(map(_edit, rows.all(OF, ids=list(ids))))


def last(rows: Rows, memory: int) -> Kept | None:
    row = rows.one(LAST, memory=memory)
    if row is None:
        return None
    id, at, actor, before, after_step = row
    return Kept(id, moment(at), actor, object_from(before), after_step)


def _keep(rows: Rows, id: int, at: datetime, actor: str | None, before: Mapping[str, Any]) -> None:
    if before:
        text = json.dumps(before, ensure_ascii=False)
        rows.run(INSERT, memory=id, at=instant(at), actor=actor, before=text)


def _edit(row: Any) -> Edit:
    from scrubjay.types.history import Edit

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
