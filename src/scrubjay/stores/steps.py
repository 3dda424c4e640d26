"""Steps from one memory to the next: taken, undone, and walked both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import apsw

from scrubjay.errors import Invalid, NotFound
from scrubjay.stores import tasks
from scrubjay.stores.rows import COLUMNS, from_row, instant
from scrubjay.stores.writing import existing, log_pieces
from scrubjay.types import History, Memory, Step

__all__ = ["chain", "put_away", "take", "told", "undo"]

STEP_COLUMNS = "id, old, new, at, effective_at, created, actor, reason, undone_at, undone_by, undone_reason"
INSERT = """
    insert into steps (old, new, at, effective_at, created, actor, reason)
    values (:old, :new, :at, :effective_at, :created, :actor, :reason)
"""
STANDING = f"select {STEP_COLUMNS} from steps where undone_at is null and {{end}} = ? order by id desc limit 1"
MERGED = "select 1 from steps where undone_at is null and not created and new = ? and id > ?"
CHAIN = f"""
    with recursive chain (id) as (
        select :id
        union
        select case when s.old = chain.id then s.new else s.old end
        from chain join steps s on s.old = chain.id or s.new = chain.id
        where s.new is not null
    )
    select {COLUMNS} from memories where id in (select id from chain) order by created_at, id
"""
OF_SUBJECT = f"""
    select {COLUMNS} from memories where space = ? and subject = ? collate nocase and kind not in ('turn', 'passage')
    order by happened_at, id
"""
STEPS = f"""
    select {STEP_COLUMNS} from steps where old in (select value from json_each(:ids))
    or new in (select value from json_each(:ids)) order by id
"""


def take(db: apsw.Connection, old: int, new: int, spaces: Sequence[str], step: Step) -> Memory:
    """Put one memory in the place of another. Both must be current, so that no cycle can come about."""
    if old == new:
        raise Invalid(f"Memory {old} cannot replace itself; name two different memories.")
    before, after = existing(db, old, spaces), existing(db, new, spaces)
    if before.space != after.space:
        raise NotFound(f"There is no memory {new} in space {before.space!r}.")
    for memory in (before, after):
        if memory.expires_at is not None and memory.expires_at <= step.at:
            raise NotFound(f"There is no memory {memory.id} in space {memory.space!r}.")
        if memory.superseded_at is not None:
            raise Invalid(f"Memory {memory.id} was already replaced, by {memory.superseded_by}; name the current one.")
    if step.created:
        tasks.inherit(db, old, new)
    return _retire(db, before, replace(step, old=old, new=new, effective_at=after.happened_at))


def put_away(db: apsw.Connection, id: int, spaces: Sequence[str], step: Step) -> Memory:
    """Retire a memory with nothing in its place; `undo` brings it back."""
    memory = existing(db, id, spaces)
    if memory.superseded_at is not None:
        raise Invalid(f"Memory {id} is not current any more; there is nothing to put away.")
    return _retire(db, memory, replace(step, old=id, new=None))


def undo(
    db: apsw.Connection, id: int, spaces: Sequence[str], at: datetime, actor: str | None, reason: str | None
) -> Step:
    """Undo the step from a memory, or else the last one to it, whole."""
    memory = existing(db, id, spaces)
    step = _standing(db, "old", id) or _standing(db, "new", id)
    if step is None:
        raise Invalid(f"Memory {id} neither replaced another nor was replaced; there is nothing to revert.")
    if step.created and step.new is not None and (later := _standing(db, "old", step.new)):
        raise Invalid(f"Memory {step.new} was itself replaced, by {later.new}; revert {step.new} first.")
    undone = replace(step, undone_at=at, undone_by=actor, undone_reason=reason)
    values = (instant(at), actor, reason, step.id)
    db.execute("update steps set undone_at = ?, undone_by = ?, undone_reason = ? where id = ?", values)
    db.execute("update memories set superseded_by = null, superseded_at = null where id = ?", (step.old,))
    before = existing(db, step.old, [memory.space])
    log_pieces(db, before, "add")
    _retire_what_the_step_made(db, undone, before)
    return undone


def chain(db: apsw.Connection, id: int, spaces: Sequence[str]) -> History:
    """Every memory that steps lead to from this one, both ways, undone steps included."""
    existing(db, id, spaces)
    return _history(db, db.execute(CHAIN, {"id": id}).fetchall())


def told(db: apsw.Connection, subject: str, space: str) -> History:
    """All that was ever known of a subject."""
    return _history(db, db.execute(OF_SUBJECT, (space, subject)).fetchall())


def _retire(db: apsw.Connection, memory: Memory, step: Step) -> Memory:
    row = {name: getattr(step, name) for name in ("old", "new", "created", "actor", "reason")}
    db.execute(INSERT, {**row, "at": instant(step.at), "effective_at": instant(step.effective_at)})
    log_pieces(db, memory, "remove")
    values = (step.new, instant(step.at), memory.id)
    db.execute("update memories set superseded_by = ?, superseded_at = ? where id = ?", values)
    return replace(memory, superseded_by=step.new, superseded_at=step.at)


def _retire_what_the_step_made(db: apsw.Connection, undone: Step, before: Memory) -> None:
    """A text that came only to correct goes with its correction, unless others were merged into it since.

    The step back is of the same sort: undone, it puts the correction in force again.
    """
    if not undone.created or undone.new is None or db.execute(MERGED, (undone.new, undone.id)).fetchone():
        return
    after = existing(db, undone.new, [before.space])
    if after.superseded_at is None and undone.undone_at is not None:
        back = Step(
            old=after.id, new=before.id, at=undone.undone_at, effective_at=undone.undone_at, created=True,
            actor=undone.undone_by, reason=undone.undone_reason or "reverted",
        )  # fmt: skip
        _retire(db, after, back)


def _standing(db: apsw.Connection, end: str, id: int) -> Step | None:
    row = db.execute(STANDING.format(end=end), (id,)).fetchone()
    return _step(row) if row else None


def _history(db: apsw.Connection, rows: Sequence[tuple[Any, ...]]) -> History:
    memories = tuple(map(from_row, rows))
    ids = "[" + ",".join(str(memory.id) for memory in memories) + "]"
    steps: list[Any] = db.execute(STEPS, {"ids": ids}).fetchall()
    return History(memories, tuple(map(_step, steps)))


def _step(row: Any) -> Step:
    id, old, new, at, effective_at, created, actor, reason, undone_at, undone_by, undone_reason = row
    return Step(
        id=id,
        old=old,
        new=new,
        at=datetime.fromisoformat(at),
        effective_at=datetime.fromisoformat(effective_at),
        created=bool(created),
        actor=actor,
        reason=reason,
        undone_at=undone_at and datetime.fromisoformat(undone_at),
        undone_by=undone_by,
        undone_reason=undone_reason,
    )
