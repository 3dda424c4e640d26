"""Updates of what is not text: each is kept with the values before it, so that it can be undone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.errors import Damaged
from scrubjay.stores.columns import REPAIR, instant, moment, moment_or_none, object_from, strings_from, to_row
from scrubjay.stores.contract import Rows
from scrubjay.types import TRUST, Memory

if TYPE_CHECKING:
    from scrubjay.types.history import Edit

__all__ = ["COLUMNS", "LAST_STEP", "TASK", "Kept", "before_from", "fits", "last", "of", "record", "record_task"]

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


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_time_or_none(value: Any) -> bool:
    return _is_text_or_none(value) and _can_be_read(value, moment_or_none)


def _is_list(value: Any) -> bool:
    return _can_be_read(value, strings_from)


def _can_be_read(value: Any, read: Callable[[Any], object]) -> bool:
    try:
        read(value)
    except Damaged:
        return False
    return True


# What an update can change, and what each may have held before: a file that somebody else made may say anything.
FITS: dict[str, Callable[[Any], bool]] = {
    "kind": _is_text,
    "trust": TRUST.__contains__,
    **dict.fromkeys(("subject", "title", "context", "project"), _is_text_or_none),
    **dict.fromkeys(("tags", "aliases", "cites", "paths"), _is_list),
    "metadata": lambda value: _can_be_read(value, object_from),
    "importance": lambda value: type(value) is int and 1 <= value <= 10,
    "confidence": lambda value: type(value) in (int, float) and 0 <= value <= 1,
    "expires_at": _is_time_or_none,
    f"{TASK}scope": _is_text,
    f"{TASK}status": ("pending", "in_progress", "completed", "cancelled").__contains__,
    f"{TASK}priority": ("high", "normal", "low").__contains__,
    f"{TASK}due": _is_time_or_none,
    f"{TASK}note": _is_text_or_none,
}


class Kept(NamedTuple):
    """The last update of a memory that stands, as it is stored."""

    id: int
    memory: int
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
    return Kept(id, memory, moment(at), actor, before_from(before), after_step)


def before_from(text: str) -> dict[str, Any]:
    """What an update has changed, with the values before it."""
    before = object_from(text)
    if not all(fits(name, value) for name, value in before.items()):
        raise Damaged(f"What an update has changed cannot be read, so it cannot be undone; {REPAIR}.")
    return before


def fits(name: str, value: Any) -> bool:
    """Whether an update can have changed this field, and the field can have held this."""
    return name in FITS and FITS[name](value)


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
        fields=tuple(before_from(before)),
        actor=actor,
        undone_at=moment_or_none(undone_at),
        undone_by=undone_by,
        undone_reason=undone_reason,
    )
