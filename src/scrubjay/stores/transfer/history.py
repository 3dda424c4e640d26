"""Merging the histories of two stores: the steps and updates of both are kept, and of two standing steps the newer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Rows
from scrubjay.stores.revisions import edits, steps
from scrubjay.stores.rows import find
from scrubjay.stores.transfer.incoming import (
    ADDED,
    BY_IMPORT,
    CHANGED,
    KNOWN,
    MORE_TRUSTED,
    Merge,
    local_id,
)
from scrubjay.stores.transfer.outgoing import NOT_IN_FILE
from scrubjay.types import trust

__all__ = ["put_edit", "put_step"]

NOT_HERE = "its memory is not here"
NEWER = "another store has a newer change"
KNOWN_STEPS = "select id, new, change, undone_at from steps where old = :old and at = :at order by id"
KNOWN_EDITS = "select id, undone_at from edits where memory = :memory and at = :at order by id"
STANDING = """
    select s.id, s.at, coalesce(n.uid, ''), s.new, s.old from steps s left join memories n on n.id = s.new
    where s.old = :old and s.undone_at is null
"""
UNDO = """
    update {table} set undone_at = :undone_at, undone_by = :undone_by, undone_reason = :undone_reason where id = :id
"""
INSERT_EDIT = f"""
    insert into edits (memory, at, after_step, actor, before, undone_at, undone_by, undone_reason)
    values (:memory, :at, {edits.LAST_STEP}, :actor, :before, :undone_at, :undone_by, :undone_reason)
"""
REPLACED = "update memories set superseded_by = :new, superseded_at = :at where id = :id"
# The trash knows where the step led before; that memory has come back from the other store, as a new one.
LEADS_PAST = """
    select 1 from trash_steps where id = :id and new is not null
    and new not in (select id from memories union all select id from trash)
"""
LEAD_TO = "update steps set new = :new, created = :created where id = :id"
UNDONE = ("undone_at", "undone_by", "undone_reason")

Line = Mapping[str, Any]


def put_step(rows: Rows, line: Line, merge: Merge) -> str:
    """Take over a step, unless it is known."""
    old, new = local_id(rows, line["old"], merge), local_id(rows, line.get("new"), merge)
    if old is None or old == new:
        return NOT_HERE
    found = rows.all(KNOWN_STEPS, old=old, at=line["at"])
    number = _number(merge, old, line["at"])
    if not merge.trusted and _is_more_trusted(rows, old):
        return KNOWN if number < len(found) else MORE_TRUSTED
    if number < len(found):
        return _merged(rows, old, new, found[number], line, merge)
    change = merge.changes.setdefault(line["change"], steps.next_change(rows))
    undoes = merge.changes.get(line["undoes"], NOT_IN_FILE) if line.get("undoes") is not None else None
    own = {name: line.get(name) for name in ("at", "effective_at", "created", "actor", "reason", "same", *UNDONE)}
    row = {**own, "old": old, "new": new, "change": change, "undoes": undoes}
    rows.insert("steps", row if row["undone_at"] else _beside_standing(rows, row, line.get("new") or ""))
    _break_circle(rows, old)
    _follow_steps(rows, old)
    return ADDED


def put_edit(rows: Rows, line: Line, merge: Merge) -> str:
    """Take over an update of fields, unless it is known."""
    id = local_id(rows, line["memory"], merge)
    if id is None:
        return NOT_HERE
    found = rows.all(KNOWN_EDITS, memory=id, at=line["at"])
    number = _number(merge, -id, line["at"])
    if not merge.trusted and _is_more_trusted(rows, id):
        return KNOWN if number < len(found) else MORE_TRUSTED
    if number < len(found):
        edit, undone_at = found[number]
        return _undone_as_well(rows, "edits", edit, undone_at, line)
    undone = {name: line.get(name) for name in UNDONE}
    before = json.dumps(line.get("before", {}), ensure_ascii=False)
    rows.run(INSERT_EDIT, memory=id, at=line["at"], actor=line.get("actor"), before=before, **undone)
    return ADDED


def _is_more_trusted(rows: Rows, id: int) -> bool:
    """Whether a file that nobody vouches for may not change it: not even undo what was done here."""
    memory = find(rows, id)
    return memory is not None and trust.outranks(memory, "external")


def _number(merge: Merge, id: int, at: str) -> int:
    """How many of one memory and instant have come before: they are told apart by their order."""
    number = merge.seen.get((id, at), 0)
    merge.seen[id, at] = number + 1
    return number


def _merged(rows: Rows, old: int, new: int | None, found: Any, line: Line, merge: Merge) -> str:
    id, new_here, change, undone_at = found
    merge.changes.setdefault(line["change"], change)
    outcome = _undone_as_well(rows, "steps", id, undone_at, line)
    if new is not None and new != new_here and (new_here is None or rows.one(LEADS_PAST, id=id)):
        rows.run(LEAD_TO, new=new, created=int(line["created"]), id=id)
        rows.run("delete from trash_steps where id = :id", id=id)
        outcome = CHANGED
    if outcome == CHANGED:
        _break_circle(rows, old)
        _follow_steps(rows, old)
    return outcome


def _undone_as_well(rows: Rows, table: str, id: int, undone_at: str | None, line: Line) -> str:
    """What was undone in one of the stores is undone; in both, when it was first."""
    there = line.get("undone_at")
    if there is None or (undone_at is not None and undone_at <= there):
        return KNOWN
    rows.run(UNDO.format(table=table), id=id, **{name: line.get(name) for name in UNDONE})
    return CHANGED


def _beside_standing(rows: Rows, row: dict[str, Any], new_uid: str) -> dict[str, Any]:
    """A step that stands in another store, or one that was undone by a newer one that stands here."""
    standing = rows.one(STANDING, old=row["old"])
    if standing is None:
        return row
    id, at, uid, *_ = standing
    if (at, uid) > (row["at"], new_uid):
        return {**row, "undone_at": at, "undone_by": BY_IMPORT, "undone_reason": NEWER}
    rows.run(UNDO.format(table="steps"), id=id, undone_at=row["at"], undone_by=BY_IMPORT, undone_reason=NEWER)
    return row


def _break_circle(rows: Rows, first: int) -> None:
    """Two stores may have replaced two memories by each other: then the older of these steps is undone."""
    circle: list[Any] = []
    at = first
    while (step := rows.one(STANDING, old=at)) and step[3] is not None and step not in circle:
        circle.append(step)
        at = step[3]
    if at != first or not circle:
        return
    oldest, newest = min(circle, key=lambda one: one[1:3]), max(circle, key=lambda one: one[1:3])
    rows.run(UNDO.format(table="steps"), id=oldest[0], undone_at=newest[1], undone_by=BY_IMPORT, undone_reason=NEWER)
    _follow_steps(rows, oldest[4])


def _follow_steps(rows: Rows, id: int) -> None:
    """A memory is replaced as the step from it says."""
    before = find(rows, id)
    assert before is not None
    standing = rows.one(STANDING, old=id)
    new, at = (standing[3], standing[1]) if standing else (None, None)
    if (before.superseded_by, before.superseded_at and instant(before.superseded_at)) != (new, at):
        rows.run(REPLACED, new=new, at=at, id=id)
        if (before.superseded_at is None) != (at is None):
            rows.vectors.note_current(before, at is None)
