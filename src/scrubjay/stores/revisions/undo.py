"""Undoing a change whole: what was replaced is current again, and what came only by the change is not.

Undoing is a change itself: undone in its turn, it puts everything back as it was. Two current memories never say the
same: where one would come back beside another that does, only one of the two stays current.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import apsw

from scrubjay.errors import Invalid
from scrubjay.stores import embeddings
from scrubjay.stores.agents import tasks
from scrubjay.stores.columns import COLUMNS, from_row, instant
from scrubjay.stores.revisions import edits, steps
from scrubjay.stores.revisions.steps import STEP_COLUMNS, from_step_row, next_change, retire
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.stores.writing import (
    drop_pieces,
    existing,
    find,
    has_pieces,
    known,
    log_pieces,
    model_id,
    write_changes,
)
from scrubjay.types import TRUST, History, Memory, Reverted, Step, Trust, trust

__all__ = ["By", "Revisions", "refuse_twins", "undo"]

STANDING = f"select {STEP_COLUMNS} from steps where undone_at is null and {{end}} = ? order by id desc limit 1"
OF_CHANGE = f"select {STEP_COLUMNS} from steps where change = ? order by id"
MERGED = "select 1 from steps where undone_at is null and not created and new = ? and id > ?"
EDIT_UNDONE = "update edits set undone_at = ?, undone_by = ?, undone_reason = ? where id = ?"
UNDONE = "update steps set undone_at = ?, undone_by = ?, undone_reason = ? where id = ?"
CURRENT = "update memories set superseded_by = null, superseded_at = null where id = ?"
NO_VECTOR = "Its title is another again, so it is found by words only until `scrubjay backfill`."
SAME = "says the same"
STAYS = "{stays} says the same as {goes}, so only {stays} is current."
FOREVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class By:
    """Who undoes something, when and why."""

    at: datetime
    actor: str | None
    reason: str | None
    trust: Trust


class Revisions:
    """How memories replaced one another; each call that writes is one change, and one transaction."""

    def __init__(self, engine: Connections) -> None:
        self._engine = engine

    def link(self, old: int, new: int, spaces: Sequence[str], step: Step) -> Memory:
        """Let a memory stand in the place of another. Returns the old one, now superseded."""
        with self._engine.writing() as db:
            return steps.take(db, old, new, spaces, step)

    def retire(self, id: int, spaces: Sequence[str], step: Step) -> Memory:
        """Retire a memory with nothing in its place."""
        with self._engine.writing() as db:
            return steps.put_away(db, id, spaces, step)

    def undo(
        self, id: int, spaces: Sequence[str], at: datetime, actor: str | None, reason: str | None, trust: Trust
    ) -> Reverted:
        """Undo the step from a memory, or else the last step to it or update of it, with all of its change."""
        with self._engine.writing() as db:
            return undo(db, id, spaces, By(at, actor, reason, trust))

    def chain(self, id: int, spaces: Sequence[str]) -> History:
        """Every memory that this one replaced, or that replaced it, the oldest first."""
        with self._engine.reading() as db:
            return steps.chain(db, id, spaces)

    def of_subject(self, subject: str, space: str) -> History:
        """All that was ever known of a subject."""
        with self._engine.reading() as db:
            return steps.told(db, subject, space)


def undo(db: apsw.Connection, id: int, spaces: Sequence[str], by: By) -> Reverted:
    """Undo the change by which a memory was replaced; or else the last one that put it in a place, or updated it."""
    memory = existing(db, id, spaces)
    from_it, to_it, edit = _standing(db, "old", id), _standing(db, "new", id), edits.last(db, id)
    step = from_it or to_it
    if from_it is None and edit is not None and (to_it is None or edit.after_step >= to_it.id):
        undone = _undo_edit(db, memory, edit, by)
    elif step is not None:
        undone = _undo_change(db, step, by)
    else:
        raise Invalid(f"Memory {id} neither replaced another nor was replaced or updated; there is nothing to revert.")
    warning = trust.update_warning(memory, by.trust)
    return replace(undone, notes=(*undone.notes, warning)) if warning else undone


def _undo_change(db: apsw.Connection, step: Step, by: By) -> Reverted:
    change = [each for each in _of_change(db, step.change) if each.undone_at is None]
    _refuse_what_was_built_upon(db, change)
    for each in change:
        db.execute(UNDONE, (instant(by.at), by.actor, by.reason, each.id))
        db.execute(CURRENT, (each.old,))
        log_pieces(db, _memory(db, each.old), "add")
    back = Step(
        old=0, new=None, at=by.at, effective_at=by.at, actor=by.actor, reason=by.reason or "reverted",
        change=next_change(db), undoes=step.change if step.undoes is None else None,
    )  # fmt: skip
    if step.undoes is None:
        _take_back(db, change, back)
    else:
        _take_again(db, _of_change(db, step.undoes), back, since=change[0].id)
    notes = _keep_one_of_each(db, [each.old for each in change], back)
    restored = tuple(each.old for each in change if _memory(db, each.old).superseded_at is None)
    undone = replace(step, undone_at=by.at, undone_by=by.actor, undone_reason=by.reason)
    return Reverted(**asdict(undone), restored=restored, notes=notes)


def _undo_edit(db: apsw.Connection, memory: Memory, edit: edits.Kept, by: By) -> Reverted:
    """Give the fields of an update their former values."""
    own = {name: value for name, value in edit.before.items() if not name.startswith(edits.TASK)}
    of_task = {name.removeprefix(edits.TASK): value for name, value in edit.before.items() if name not in own}
    after = _with_columns(db, memory, {**own, "updated_at": instant(by.at)})
    refuse_twins(db, memory, after)
    write_changes(db, memory, after)
    changed = tasks.change(db, memory.id, of_task)
    db.execute(EDIT_UNDONE, (instant(by.at), by.actor, by.reason, edit.id))
    if trust.outranks(memory, by.trust):  # then it must be possible to undo this, too
        edits.record(db, memory, after, by.actor)
        edits.record_task(db, memory.id, changed, by.at, by.actor)
    return Reverted(
        old=memory.id, new=memory.id, at=edit.at, effective_at=edit.at, id=edit.id, actor=edit.actor, undone_at=by.at,
        undone_by=by.actor, undone_reason=by.reason, fields=tuple(edit.before), notes=_embed_anew(db, memory, after),
    )  # fmt: skip


def refuse_twins(db: apsw.Connection, before: Memory, after: Memory) -> None:
    """Of two current memories, none says the same about the same as the other."""
    was_current = before.expires_at is None or before.expires_at > after.updated_at
    if (before.fingerprint == after.fingerprint and was_current) or after.superseded_at is not None:
        return
    now = replace(after, created_at=after.updated_at)  # a twin that has expired by now does not count
    if twin := known(db, now, apart_from=before.id):
        raise Invalid(
            f"Memory {twin.id} says the same already; put it in the place of {before.id} with supersede instead."
        )


def _refuse_what_was_built_upon(db: apsw.Connection, change: Sequence[Step]) -> None:
    for step in change:
        later = _standing(db, "old", step.new) if step.created and step.new is not None else None
        if later and later.change != step.change:
            raise Invalid(f"Memory {step.new} was itself replaced, by {later.new}; revert {step.new} first.")


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


def _take_back(db: apsw.Connection, change: Iterable[Step], back: Step) -> None:
    """Retire what came only by a change, unless others were merged into it since."""
    for step in change:
        if not step.created or step.new is None or db.execute(MERGED, (step.new, step.id)).fetchone():
            continue
        made = _memory(db, step.new)
        if made.superseded_at is None:
            retire(db, made, replace(back, old=made.id, new=step.old, created=True))


def _take_again(db: apsw.Connection, change: Iterable[Step], back: Step, since: int) -> None:
    """Take the steps of a change once more, as far as both ends are still there and current."""
    for step in change:
        old = _memory_if_current(db, step.old)
        if step.same or old is None or db.execute(MERGED, (step.old, since)).fetchone():
            continue
        if step.new is None or _memory_if_current(db, step.new) is not None:
            retire(db, old, replace(back, old=step.old, new=step.new, created=step.created))


def _keep_one_of_each(db: apsw.Connection, restored: Iterable[int], back: Step) -> tuple[str, ...]:
    """Where a memory that is current again says the same as another, the more trusted and longer-lived one stays."""
    notes = []
    for id in restored:
        memory = _memory_if_current(db, id)
        other = known(db, replace(memory, created_at=back.at), apart_from=id) if memory else None
        if memory is None or other is None or (memory.expires_at and memory.expires_at <= back.at):
            continue
        goes, stays = (other, memory) if _lasts(memory) > _lasts(other) else (memory, other)
        retire(db, goes, replace(back, old=goes.id, new=stays.id, same=True, reason=SAME))
        notes.append(STAYS.format(stays=stays.id, goes=goes.id))
    return tuple(notes)


def _memory(db: apsw.Connection, id: int) -> Memory:
    memory = find(db, id)
    assert memory is not None  # steps go with the memory they lead from, and forget the one they led to
    return memory


def _memory_if_current(db: apsw.Connection, id: int) -> Memory | None:
    memory = find(db, id)
    return memory if memory and memory.superseded_at is None else None


def _lasts(memory: Memory) -> tuple[int, datetime]:
    return TRUST.index(memory.trust), memory.expires_at or FOREVER


def _of_change(db: apsw.Connection, change: int) -> list[Step]:
    rows: list[Any] = db.execute(OF_CHANGE, (change,)).fetchall()
    return [from_step_row(row) for row in rows]


def _standing(db: apsw.Connection, end: str, id: int) -> Step | None:
    row = db.execute(STANDING.format(end=end), (id,)).fetchone()
    return from_step_row(row) if row else None
