"""Undoing a change whole: what was replaced is current again, and what came only by the change is not.

Undoing is a change itself: undone in its turn, it puts everything back as it was. Two current memories never say the
same: where one would come back beside another that does, only one of the two stays current.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.errors import Invalid
from scrubjay.stores import records, vectors
from scrubjay.stores.agents import tasks
from scrubjay.stores.columns import COLUMNS, NAMES, from_row, instant
from scrubjay.stores.contract import Engine, Rows
from scrubjay.stores.revisions import edits, steps
from scrubjay.stores.revisions.steps import from_step_row, next_change, retire
from scrubjay.stores.rows import existing, find, known, refuse_twins, write_changes
from scrubjay.types import TRUST, Memory, Trust, trust
from scrubjay.types.history import Reverted, Step

if TYPE_CHECKING:
    from scrubjay.types.history import History

__all__ = ["By", "Revisions", "give_back"]

OF_STEP = f"select {', '.join(steps.COLUMNS)} from steps"
STANDING = f"{OF_STEP} where undone_at is null and {{end}} = :id order by id desc limit 1"
OF_CHANGE = f"{OF_STEP} where change = :change order by id"
OF_UNDOING = "select old from steps where change = :change and undone_at is null order by id limit 1"
WAS_UNDONE = """
    select 1 from steps where (old = :id or new = :id) and undone_at is not null
    union all select 1 from edits where memory = :id and undone_at is not null limit 1
"""
MERGED = "select 1 from steps where undone_at is null and created = 0 and new = :new and id > :since"
UNDONE = "update {table} set undone_at = :at, undone_by = :actor, undone_reason = :reason where id = :id"
CURRENT = "update memories set superseded_by = null, superseded_at = null where id = :id"
UNCHANGED = "Memory {} neither replaced another nor was replaced or updated; there is nothing to revert."
REVERTED = "Every change of memory {0} is already reverted, so there is nothing to revert; `history {0}` shows them."
NO_VECTOR = "Its title is another again, so it is found by words only until `scrubjay backfill`."
GIVEN_BACK = "{id} no longer has what it took over then: {names}."
KEEPS_TRUST = "{0.id} keeps the trust {0.trust}."
SAME = "says the same"
STAYS = "{stays} says the same as {goes}, so only {stays} is current."
FOREVER = datetime.max.replace(tzinfo=UTC)


class By(NamedTuple):
    """Who undoes something, when and why."""

    at: datetime
    actor: str | None
    reason: str | None
    trust: Trust


class Revisions:
    """How memories replaced one another; each call that writes is one change, and one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def link(self, old: int, new: int, spaces: Sequence[str], step: Step) -> Memory:
        """Let a memory stand in the place of another. Returns the old one, now superseded."""
        with self._engine.writing(spaces) as rows:
            return steps.take(rows, old, new, spaces, step)

    def retire(self, id: int, spaces: Sequence[str], step: Step) -> Memory:
        """Retire a memory with nothing in its place."""
        with self._engine.writing(spaces) as rows:
            return steps.put_away(rows, id, spaces, step)

    def undo(
        self, id: int, spaces: Sequence[str], at: datetime, actor: str | None, reason: str | None, trust: Trust
    ) -> Reverted:
        """Undo the step from a memory, or else the last step to it or update of it, with all of its change."""
        with self._engine.writing(spaces) as rows:
            return _undo(rows, id, spaces, By(at, actor, reason, trust))

    def chain(self, id: int, spaces: Sequence[str]) -> History:
        """Every memory that this one replaced, or that replaced it, the oldest first."""
        with self._engine.reading(spaces) as rows:
            return steps.chain(rows, id, spaces)

    def of_subject(self, subject: str, space: str) -> History:
        """All that was ever known of a subject."""
        with self._engine.reading([space]) as rows:
            return steps.of_subject(rows, subject, space)


def _undo(rows: Rows, id: int, spaces: Sequence[str], by: By) -> Reverted:
    """Undo the change by which a memory was replaced; or else the last one that put it in a place, or updated it."""
    memory = existing(rows, id, spaces)
    from_it, to_it, edit = _standing(rows, "old", id), _standing(rows, "new", id), edits.last(rows, id)
    step = from_it or to_it
    if from_it is None and edit is not None and (to_it is None or edit.after_step >= to_it.id):
        return _undo_edit(rows, memory, edit, by)
    if step is not None:
        return _undo_change(rows, step, by)
    raise Invalid((REVERTED if rows.one(WAS_UNDONE, id=id) else UNCHANGED).format(id))


def _undo_change(rows: Rows, step: Step, by: By) -> Reverted:
    change = [each for each in _of_change(rows, step.change) if each.undone_at is None]
    _refuse_what_was_built_upon(rows, change)
    more_trusted = _more_trusted(rows, change, by)
    for each in change:
        _note_undone(rows, "steps", each.id, by)
        rows.run(CURRENT, id=each.old)
        rows.vectors.note_current(_memory(rows, each.old), True)
    back = Step(
        old=0, new=None, at=by.at, effective_at=by.at, actor=by.actor, reason=by.reason or "reverted",
        change=next_change(rows), undoes=step.change if step.undoes is None else None,
    )  # fmt: skip
    if step.undoes is None:
        _take_back(rows, change, back)
    else:
        _take_again(rows, _of_change(rows, step.undoes), back, since=change[0].id)
    given_back = give_back(rows, change[0], by, recorded=more_trusted is not None)
    notes = (*given_back, *_keep_one_of_each(rows, [each.old for each in change], back))
    restored = tuple(each.old for each in change if _memory(rows, each.old).superseded_at is None)
    records.refuse_same_keys(rows, [_memory(rows, id) for id in restored], by.at)
    if more_trusted:
        notes = (*notes, trust.change_warning(more_trusted, _commands(rows, change, back, bool(given_back))))
    undone = replace(step, undone_at=by.at, undone_by=by.actor, undone_reason=by.reason)
    return Reverted(**asdict(undone), restored=restored, notes=notes)


def _more_trusted(rows: Rows, change: Sequence[Step], by: By) -> Memory | None:
    """A memory that took part in a change, and is trusted more than who undoes it."""
    ids = dict.fromkeys(id for step in change for id in (step.old, step.new) if id is not None)
    return next((memory for memory in map(partial(_memory, rows), ids) if trust.outranks(memory, by.trust)), None)


def _commands(rows: Rows, change: Sequence[Step], back: Step, given_back: bool) -> list[str]:
    """What undoes the undoing of a change: one step of it leads to all others, if there is any."""
    given = [f"revert {change[0].new}"] if given_back else []
    if again := rows.one(OF_UNDOING, change=back.change):
        return [*given, f"revert {again[0]}"]
    pairs = [(step.old, step.new) for step in change if step.new is not None]
    current = [pair for pair in pairs if all(_memory_if_current(rows, id) for id in pair)]
    replacing = [f"supersede {old} --by {new}" for old, new in current]
    return [*given, *replacing]


def give_back(rows: Rows, step: Step, by: By, recorded: bool) -> tuple[str, ...]:
    """Where a known memory took the place of another, undo also what it took over from the text that said the same,
    unless it was updated since."""
    edit = edits.last(rows, step.new) if step.new is not None and not step.created else None
    if edit is None or (edit.at, edit.after_step) != (step.at, step.change - 1):
        return ()
    memory = _memory(rows, edit.memory)
    names, notes = _put_back(rows, memory, edit, by, recorded)
    return (*([GIVEN_BACK.format(id=memory.id, names=", ".join(names))] if names else []), *notes)


def _undo_edit(rows: Rows, memory: Memory, edit: edits.Kept, by: By) -> Reverted:
    warning = trust.update_warning(memory, by.trust)
    _, notes = _put_back(rows, memory, edit, by, recorded=warning is not None)
    return Reverted(
        old=memory.id, new=memory.id, at=edit.at, effective_at=edit.at, id=edit.id, actor=edit.actor, undone_at=by.at,
        undone_by=by.actor, undone_reason=by.reason, fields=tuple(edit.before),
        notes=(*notes, warning) if warning else notes,
    )  # fmt: skip


def _put_back(
    rows: Rows, memory: Memory, edit: edits.Kept, by: By, recorded: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the fields of an update their former values; if that is recorded, it can be undone, too.

    Returns which fields, and notes.
    """
    before, notes = dict(edit.before), tuple[str, ...]()
    if "trust" in before and not _lowers_trust(memory, before["trust"], by):
        del before["trust"]
        notes = (KEEPS_TRUST.format(memory),)
    own = {name: value for name, value in before.items() if not name.startswith(edits.TASK)}
    of_task = {name.removeprefix(edits.TASK): value for name, value in before.items() if name not in own}
    after = _with_columns(rows, memory, {**own, "updated_at": instant(by.at)})
    refuse_twins(rows, memory, after)
    write_changes(rows, memory, after)
    changed = tasks.change(rows, memory.id, of_task)
    _note_undone(rows, "edits", edit.id, by)
    if recorded:
        edits.record(rows, memory, after, by.actor)
        edits.record_task(rows, memory.id, changed, by.at, by.actor)
    return tuple(before), (*notes, *_embed_anew(rows, memory, after))


def _lowers_trust(memory: Memory, before: Trust, by: By) -> bool:
    """Undoing an update never raises trust: a file may say anything of what was before."""
    return trust.outranks(memory, before) and not trust.outranks(memory, by.trust)


def _refuse_what_was_built_upon(rows: Rows, change: Sequence[Step]) -> None:
    for step in change:
        later = _standing(rows, "old", step.new) if step.created and step.new is not None else None
        if later and later.change != step.change:
            raise Invalid(f"Memory {step.new} was itself replaced, by {later.new}; revert {step.new} first.")


def _with_columns(rows: Rows, memory: Memory, columns: Mapping[str, Any]) -> Memory:
    row = rows.one(f"select {COLUMNS} from memories where id = :id", id=memory.id)
    return from_row([columns.get(name, value) for name, value in zip(NAMES, row, strict=True)])


def _embed_anew(rows: Rows, before: Memory, after: Memory) -> tuple[str, ...]:
    model = vectors.model_id(rows, "current")
    if before.digest == after.digest or not vectors.has_vectors(rows, before.id, model):
        return ()
    rows.vectors.drop(after)
    vectors.attach_known(rows, after)
    return () if vectors.has_vectors(rows, after.id, model) else (NO_VECTOR,)


def _take_back(rows: Rows, change: Iterable[Step], back: Step) -> None:
    """Retire what came only by a change, unless others were merged into it since."""
    for step in change:
        if not step.created or step.new is None or rows.one(MERGED, new=step.new, since=step.id):
            continue
        made = _memory(rows, step.new)
        if made.superseded_at is None:
            retire(rows, made, replace(back, old=made.id, new=step.old, created=True))


def _take_again(rows: Rows, change: Iterable[Step], back: Step, since: int) -> None:
    """Take the steps of a change once more, as far as both ends are still there and current."""
    for step in change:
        old = _memory_if_current(rows, step.old)
        if step.same or old is None or rows.one(MERGED, new=step.old, since=since):
            continue
        if step.new is None or _memory_if_current(rows, step.new) is not None:
            retire(rows, old, replace(back, old=step.old, new=step.new, created=step.created))


def _keep_one_of_each(rows: Rows, restored: Iterable[int], back: Step) -> tuple[str, ...]:
    """Where a memory that is current again says the same as another, the more trusted and longer-lived one stays."""
    notes = []
    for id in restored:
        memory = _memory_if_current(rows, id)
        other = known(rows, replace(memory, created_at=back.at), apart_from=id) if memory else None
        if memory is None or other is None or (memory.expires_at and memory.expires_at <= back.at):
            continue
        goes, stays = (other, memory) if _lasts(memory) > _lasts(other) else (memory, other)
        retire(rows, goes, replace(back, old=goes.id, new=stays.id, same=True, reason=SAME))
        notes.append(STAYS.format(stays=stays.id, goes=goes.id))
    return tuple(notes)


def _memory(rows: Rows, id: int) -> Memory:
    memory = find(rows, id)
    assert memory is not None  # steps go with the memory they lead from, and forget the one they led to
    return memory


def _memory_if_current(rows: Rows, id: int) -> Memory | None:
    memory = find(rows, id)
    return memory if memory and memory.superseded_at is None else None


def _lasts(memory: Memory) -> tuple[int, datetime]:
    return TRUST.index(memory.trust), memory.expires_at or FOREVER


def _of_change(rows: Rows, change: int) -> list[Step]:
    return [from_step_row(row) for row in rows.all(OF_CHANGE, change=change)]


def _standing(rows: Rows, end: str, id: int) -> Step | None:
    row = rows.one(STANDING.format(end=end), id=id)
    return from_step_row(row) if row else None


def _note_undone(rows: Rows, table: str, id: int, by: By) -> None:
    rows.run(UNDONE.format(table=table), at=instant(by.at), actor=by.actor, reason=by.reason, id=id)
