"""Steps from one memory to the next: taken, and followed both ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Invalid, NotFound
from scrubjay.stores import columns, records
from scrubjay.stores.agents import tasks
from scrubjay.stores.columns import from_row, instant, moment, moment_or_none
from scrubjay.stores.connections import links
from scrubjay.stores.contract import Rows
from scrubjay.stores.revisions import edits
from scrubjay.stores.rows import existing
from scrubjay.types import Memory

if TYPE_CHECKING:
    from scrubjay.types.history import History, Step

__all__ = [
    "COLUMNS",
    "chain",
    "from_step_row",
    "next_change",
    "of_subject",
    "put_away",
    "replace_all",
    "retire",
    "take",
    "try_to_take",
]

COLUMNS = (
    "id", "old", "new", "at", "effective_at", "created", "actor", "reason", "undone_at", "undone_by", "undone_reason",
    "change", "undoes", "same",
)  # fmt: skip
READ: dict[str, Callable[[Any], object]] = {
    "at": moment, "effective_at": moment, "undone_at": moment_or_none, "created": bool, "same": bool,
}  # fmt: skip
CHAIN = f"""
    with recursive chain (id) as (
        select :id
        union
        select case when s.old = chain.id then s.new else s.old end
        from chain join steps s on s.old = chain.id or s.new = chain.id
        where s.new is not null
    )
    select {columns.COLUMNS} from memories where id in (select id from chain) order by created_at, id
"""
OF_SUBJECT = f"""
    select {columns.COLUMNS} from memories where space = :space and lower(subject) = lower(:subject)
    and kind not in ('turn', 'passage') order by happened_at, id
"""
STEPS = f"select {', '.join(COLUMNS)} from steps where old in (:ids) or new in (:ids) order by id"
# Above the id of every step, so that a change which comes back from the trash is not taken for another.
NEXT_CHANGE = f"select {edits.LAST_STEP} + 1"
REPLACED = "update memories set superseded_by = :new, superseded_at = :at where id = :id"


def take(rows: Rows, old: int, new: int, spaces: Sequence[str], step: Step) -> Memory:
    """Put one memory in the place of another. Both must be current, so that no cycle can come about."""
    if old == new:
        raise Invalid(f"Memory {old} cannot replace itself; name two different memories.")
    before, after = existing(rows, old, spaces), existing(rows, new, spaces)
    if before.space != after.space:
        raise NotFound(f"There is no memory {new} in space {before.space!r}.")
    for memory in (before, after):
        if memory.expires_at is not None and memory.expires_at <= step.at:
            raise NotFound(f"There is no memory {memory.id} in space {memory.space!r}.")
        if memory.superseded_at is not None:
            raise Invalid(f"Memory {memory.id} was already replaced, by {memory.superseded_by}; name the current one.")
    records.refuse_other(rows, before, new)
    return retire(rows, before, replace(step, old=old, new=new, effective_at=after.happened_at))


def try_to_take(rows: Rows, step: Step, new: Memory) -> tuple[Memory | None, str | None]:
    """Put a memory in the place of another if that is possible; else the second is the reason why not."""
    try:
        return take(rows, step.old, new.id, [new.space], step), None
    except (Invalid, NotFound) as problem:  # these are raised before anything is written
        return None, str(problem)


def replace_all(rows: Rows, olds: Sequence[Step], new: Memory, created: bool) -> None:
    """Put one memory in the place of several, as one change; one that says the same already may be among them."""
    others = [step for step in olds if step.old != new.id] if len(olds) > 1 else olds
    change = next_change(rows)
    for step in others:
        take(rows, step.old, new.id, [new.space], replace(step, created=created, change=change))
    if created:
        tasks.inherit(rows, others[0].old, new.id)


def put_away(rows: Rows, id: int, spaces: Sequence[str], step: Step) -> Memory:
    """Retire a memory with nothing in its place; `undo` brings it back."""
    memory = existing(rows, id, spaces)
    if memory.superseded_at is not None:
        raise Invalid(f"Memory {id} is not current any more; there is nothing to put away.")
    records.refuse_other(rows, memory)
    return retire(rows, memory, replace(step, old=id, new=None))


def chain(rows: Rows, id: int, spaces: Sequence[str]) -> History:
    """Every memory that steps lead to from this one, both ways, undone steps included."""
    existing(rows, id, spaces)
    return _history(rows, rows.all(CHAIN, id=id))


def of_subject(rows: Rows, subject: str, space: str) -> History:
    """All that was ever known of a subject."""
    return _history(rows, rows.all(OF_SUBJECT, space=space, subject=subject))


def next_change(rows: Rows) -> int:
    (change,) = rows.one(NEXT_CHANGE)
    return int(change)


def retire(rows: Rows, memory: Memory, step: Step) -> Memory:
    row = {name: getattr(step, name) for name in ("old", "new", "created", "actor", "reason", "undoes", "same")}
    times = {"at": instant(step.at), "effective_at": instant(step.effective_at)}
    rows.insert("steps", {**row, **times, "change": step.change or next_change(rows)})
    rows.vectors.note_current(memory, False)
    rows.run(REPLACED, new=step.new, at=instant(step.at), id=memory.id)
    return replace(memory, superseded_by=step.new, superseded_at=step.at)


def _history(rows: Rows, found: Sequence[Any]) -> History:
    from scrubjay.types.history import History

    memories = tuple(map(from_row, found))
    ids = [memory.id for memory in memories]
    taken = tuple(map(from_step_row, rows.all(STEPS, ids=ids)))
    return History(memories, taken, edits.of(rows, ids), links.history(rows, ids))


def from_step_row(row: Any) -> Step:
    from scrubjay.types.history import Step

    fields = dict(zip(COLUMNS, row, strict=True))
    for name, read in READ.items():
        fields[name] = read(fields[name])
    return Step(**fields)
