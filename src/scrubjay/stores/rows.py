"""Single rows of `memories`: found, known again, inserted, changed, erased, inside the transaction of the caller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from scrubjay.errors import Invalid, NotFound
from scrubjay.stores.agents import sessions, tasks
from scrubjay.stores.columns import COLUMNS, from_row, instant, to_row
from scrubjay.stores.connections import names
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.places import last_place_in_trash
from scrubjay.types import Memory

__all__ = ["all_existing", "erase", "existing", "find", "get", "insert", "known", "refuse_twins", "write_changes"]

ONE = f"select {COLUMNS} from memories where id = :id"
GET = f"""
    select {COLUMNS} from memories where id in (:ids) and space in (:spaces)
    and (expires_at is null or expires_at > :now)
"""
KNOWN = f"""
    select {COLUMNS} from memories where fingerprint = :fingerprint and superseded_at is null
    and (expires_at is null or expires_at > :now) and id <> :apart_from order by id limit 1
"""
TURN = f"""
    select {COLUMNS} from memories
    where space = :space and session = :session and position = :position and kind = 'turn' and id <> :apart_from
"""
# For A → B → C where B is deleted: A's step now leads to C. It counts as having created C only if both steps created
# what they led to. A step that would lead back to A itself leads nowhere.
BYPASS = """
    update steps set new = nullif(:next, old), created = case when created = 1 and coalesce(
        (select s.created from steps s where s.old = :id and s.undone_at is null), 1) = 1 then 1 else 0 end
    where new = :id
"""
LAST_TURN = """
    select coalesce(max(position), -1), coalesce(max(id), 0) from memories where space = :space and session = :session
"""


def find(rows: Rows, id: int) -> Memory | None:
    row = rows.one(ONE, id=id)
    return from_row(row) if row else None


def existing(rows: Rows, id: int, spaces: Sequence[str]) -> Memory:
    row = rows.one(ONE, id=id)
    if row is None or row[2] not in spaces:
        raise NotFound(f"There is no memory {id} in space {spaces[0]!r}.")
    return from_row(row)


def all_existing(rows: Rows, ids: Sequence[int], spaces: Sequence[str]) -> Iterator[Memory]:
    """These memories, each read when it is its turn; if any is not there, all that are not are named."""
    missing = [id for id in ids if (memory := find(rows, id)) is None or memory.space not in spaces]
    if missing:
        raise NotFound(f"There is no memory {', '.join(map(str, missing))} in space {spaces[0]!r}.")
    yield from (existing(rows, id, spaces) for id in ids)


def get(rows: Rows, ids: Sequence[int], spaces: Sequence[str], now: datetime) -> dict[int, Memory]:
    found = rows.all(GET, ids=list(ids), spaces=list(spaces), now=instant(now))
    return {row[0]: from_row(row) for row in found}


def known(rows: Rows, memory: Memory, apart_from: int = 0) -> Memory | None:
    """The current memory with the same statement as this one; `apart_from` is the id of one that does not count."""
    fingerprint = memory.fingerprint
    if fingerprint is not None:
        row = rows.one(KNOWN, fingerprint=fingerprint, now=instant(memory.created_at), apart_from=apart_from)
    elif memory.kind == "turn" and memory.position is not None:
        place = {"space": memory.space, "session": memory.session, "position": memory.position}
        row = rows.one(TURN, **place, apart_from=apart_from)
    else:
        row = None
    return from_row(row) if row else None


def refuse_twins(rows: Rows, before: Memory, after: Memory) -> None:
    """Of two current memories, none says the same about the same as the other."""
    was_current = before.expires_at is None or before.expires_at > after.updated_at
    if (before.fingerprint == after.fingerprint and was_current) or after.superseded_at is not None:
        return
    now = replace(after, created_at=after.updated_at)  # a twin that has expired by now does not count
    if twin := known(rows, now, apart_from=before.id):
        raise Invalid(
            f"Memory {twin.id} says the same already; put it in the place of {before.id} with supersede instead."
        )


def insert(rows: Rows, memory: Memory) -> Memory:
    """Store a memory that is known to be new, as yet without vectors."""
    if memory.kind == "turn" and memory.position is None:
        last, id = rows.one(LAST_TURN, space=memory.space, session=memory.session)
        deleted = last_place_in_trash(rows, memory.space, memory.session, after=id)
        memory = replace(memory, position=max(last, deleted) + 1)
    stored = replace(memory, id=rows.insert("memories", to_row(memory)))
    names.learn(rows, stored.id, stored)
    if memory.kind == "task":
        tasks.begin(rows, stored.id)
    if memory.kind == "turn" and memory.session:
        sessions.begin(rows, memory.space, memory.session, memory.project, memory.client, memory.happened_at)
    return stored


def write_changes(rows: Rows, before: Memory, after: Memory) -> None:
    """Write only the columns that differ: the index of words is touched only when its words are."""
    old, new = to_row(before, counted=True), to_row(after, counted=True)
    changed = {name: value for name, value in new.items() if old[name] != value}
    if changed:
        assignments = ", ".join(f"{name} = :{name}" for name in changed)
        rows.run(f"update memories set {assignments} where id = :id", **changed, id=before.id)
    if changed.keys() & names.LEARNT_FROM:
        names.learn_again(rows, after)


def erase(rows: Rows, memory: Memory) -> None:
    """Remove one memory; what it replaced was replaced by its own successor, if it has one."""
    rows.vectors.drop(memory)
    next = memory.superseded_by
    rows.run(BYPASS, id=memory.id, next=next)
    rows.run("update memories set superseded_by = :next where superseded_by = :id", next=next, id=memory.id)
    rows.run("delete from memories where id = :id", id=memory.id)
