"""Steps from one memory to the next: taken, and walked both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw

from scrubjay.errors import Invalid, NotFound
from scrubjay.stores.agents import tasks
from scrubjay.stores.columns import COLUMNS, from_row, instant, moment, moment_or_none
from scrubjay.stores.revisions import edits
from scrubjay.stores.writing import existing, log_pieces
from scrubjay.types import History, Memory, Step

__all__ = ["STEP_COLUMNS", "chain", "from_step_row", "next_change", "put_away", "replace_all", "retire", "take", "told"]

STEP_COLUMNS = """
    id, old, new, at, effective_at, created, actor, reason, undone_at, undone_by, undone_reason, change, undoes, same
"""
INSERT = """
    insert into steps (old, new, at, effective_at, created, actor, reason, change, undoes, same)
    values (:old, :new, :at, :effective_at, :created, :actor, :reason, :change, :undoes, :same)
"""
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
# Above the id of every step, so that a change which comes back from the trash is not taken for another.
NEXT_CHANGE = f"select {edits.LAST_STEP} + 1"
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
    return retire(db, before, replace(step, old=old, new=new, effective_at=after.happened_at))


def replace_all(db: apsw.Connection, olds: Sequence[Step], new: Memory, created: bool) -> None:
    """Put one memory in the place of several, as one change; one that says the same already may be among them."""
    others = [step for step in olds if step.old != new.id] if len(olds) > 1 else olds
    change = next_change(db)
    for step in others:
        take(db, step.old, new.id, [new.space], replace(step, created=created, change=change))
    if created:
        tasks.inherit(db, others[0].old, new.id)


def put_away(db: apsw.Connection, id: int, spaces: Sequence[str], step: Step) -> Memory:
    """Retire a memory with nothing in its place; `undo` brings it back."""
    memory = existing(db, id, spaces)
    if memory.superseded_at is not None:
        raise Invalid(f"Memory {id} is not current any more; there is nothing to put away.")
    return retire(db, memory, replace(step, old=id, new=None))


def chain(db: apsw.Connection, id: int, spaces: Sequence[str]) -> History:
    """Every memory that steps lead to from this one, both ways, undone steps included."""
    existing(db, id, spaces)
    return _history(db, db.execute(CHAIN, {"id": id}).fetchall())


def told(db: apsw.Connection, subject: str, space: str) -> History:
    """All that was ever known of a subject."""
    return _history(db, db.execute(OF_SUBJECT, (space, subject)).fetchall())


def next_change(db: apsw.Connection) -> int:
    row: Any = db.execute(NEXT_CHANGE).fetchone()
    return int(row[0])


def retire(db: apsw.Connection, memory: Memory, step: Step) -> Memory:
    row = {name: getattr(step, name) for name in ("old", "new", "created", "actor", "reason", "undoes", "same")}
    times = {"at": instant(step.at), "effective_at": instant(step.effective_at)}
    db.execute(INSERT, {**row, **times, "change": step.change or next_change(db)})
    log_pieces(db, memory, "remove")
    values = (step.new, instant(step.at), memory.id)
    db.execute("update memories set superseded_by = ?, superseded_at = ? where id = ?", values)
    return replace(memory, superseded_by=step.new, superseded_at=step.at)


def _history(db: apsw.Connection, rows: Sequence[tuple[Any, ...]]) -> History:
    memories = tuple(map(from_row, rows))
    ids = "[" + ",".join(str(memory.id) for memory in memories) + "]"
    steps: list[Any] = db.execute(STEPS, {"ids": ids}).fetchall()
    return History(memories, tuple(map(from_step_row, steps)), edits.of(db, ids))


def from_step_row(row: Any) -> Step:
    id, old, new, at, effective_at, created, actor, reason, undone_at, undone_by, undone_reason, *whole = row
    change, undoes, same = whole
    return Step(
        id=id,
        old=old,
        new=new,
        at=moment(at),
        effective_at=moment(effective_at),
        created=bool(created),
        actor=actor,
        reason=reason,
        undone_at=moment_or_none(undone_at),
        undone_by=undone_by,
        undone_reason=undone_reason,
        change=change,
        undoes=undoes,
        same=bool(same),
    )
