"""Merging memories of another store: known by uid, the newer version wins, and two that say the same become one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.stores import vectors
from scrubjay.stores.agents import tasks
from scrubjay.stores.columns import CHANGED_LATER, COLUMNS, from_row, instant, instant_or_none, to_row
from scrubjay.stores.connections import names
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions import trash
from scrubjay.stores.deletions.tombstones import ANYWHERE, Marks, marks_of_import, unburied
from scrubjay.stores.revisions.steps import retire
from scrubjay.stores.rows import known, write_changes
from scrubjay.types import TRUST, Memory, trust
from scrubjay.types.history import Step
from scrubjay.types.vectors import NewVectors

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = [
    "ADDED",
    "BY_IMPORT",
    "CHANGED",
    "DELETED_HERE",
    "KNOWN",
    "MORE_TRUSTED",
    "IncomingMemory",
    "Merge",
    "local_id",
    "put_deletion",
    "put_memory",
    "settle_twins",
    "uid_in",
    "with_uid",
]

ADDED, CHANGED, KNOWN = "added", "changed", "known"
DELETED_HERE = "it was deleted here later"
MORE_TRUSTED = "the one that is here is more trusted"
OTHER_TURN = "another turn or passage has its place"
OTHER_VERSION = "another version of its document was read here; `scrubjay sync` keeps that up to date"
SAME = "says the same"
BY_IMPORT = "import"
OF_UID = f"select {COLUMNS} from memories where uid = :uid"
UIDS = "select uid from memories where uid in (:uids)"
DELETED_UIDS = "select uid from deletions where uid in (:uids)"
SAYING = f"""
    select {COLUMNS} from memories where fingerprint = :fingerprint and superseded_at is null
    and (expires_at is null or expires_at > :now)
"""
# Looks into memories only where several, current or not, have said the same: of all others it reads an index.
SAID_TWICE = """
    select said.fingerprint from (
        select fingerprint from memories where fingerprint is not null group by fingerprint having count(*) > 1
    ) said
    where 1 < (
        select count(*) from memories m where m.fingerprint = said.fingerprint and m.superseded_at is null
        and (m.expires_at is null or m.expires_at > :now)
    )
"""
STILL_HERE = "select id, space, superseded_at is null from memories where id in (:ids) order by id"
AT_PLACE = f"""
    select {COLUMNS} from memories where space = :space and document = :document and position = :position
    and kind = 'passage'
"""
COUNTS = "update memories set used_count = :used_count, used_at = :used_at where id = :id"
DELETED = """
    insert into deletions (uid, space, at) values (:uid, :space, :at)
    on conflict (uid) do update
    set at = case when excluded.at > deletions.at then excluded.at else deletions.at end
"""
FORGET_TRASHED = "delete from trash where json_text(kept, '$.memories[0].uid') = :uid"


class IncomingMemory(NamedTuple):
    """A memory from a file, with all that stands in its line."""

    memory: Memory
    superseded_at: datetime | None = None
    task: Mapping[str, Any] | None = None
    pieces: Matrix | None = None
    is_dated: bool = True  # False: its times are those of its file, and tell nothing about what is newer


@dataclass(slots=True)
class Merge:
    """One import: who vouches for it, and what was met so far."""

    trusted: bool  # the file is the user's own; else nothing of more trust is changed
    at: datetime
    space: str | None = None  # that all of it goes to; None: each line to its own
    origin: str | None = None  # the space that all of a file of one's own comes from
    model: int = 0  # of the vectors that come along; 0 for none
    changes: dict[int, int] = field(default_factory=dict)  # numbers in the file, and here
    seen: dict[tuple[int, str], int] = field(default_factory=dict)  # how many steps or edits of one instant
    other_versions: set[tuple[str, str]] = field(default_factory=set)  # documents that differ from those here
    forgotten_sessions: set[tuple[str, str]] = field(default_factory=set)  # that the file has, by space and name
    joined: dict[str, str] = field(default_factory=dict)  # records that became one with another, and that one
    copied: dict[str, str] = field(default_factory=dict)  # uids in the file, and of the copies in another space
    here: set[str] = field(default_factory=set)  # uids of a batch that are known here
    deleted: set[str] = field(default_factory=set)  # uids of a batch that may have been deleted here
    marks: dict[tuple[str, str], Marks] = field(default_factory=dict)  # by space and document: what was deleted
    pieces: dict[int, Matrix] = field(default_factory=dict)  # vectors of what a batch added, to be stored at its end

    def look_up(self, rows: Rows, uids: Sequence[str]) -> None:
        """Read at once what is known of the memories of a batch: most of them are new."""
        self.here = {uid for (uid,) in rows.all(UIDS, uids=list(uids))}
        self.deleted = {uid for (uid,) in rows.all(DELETED_UIDS, uids=list(uids))}

    def buried_in(self, memory: Memory) -> set[str]:
        """The spaces in which it may have been deleted: what was forgotten does not come back in another one."""
        return {memory.space, self.origin or memory.space}

    def store_vectors(self, rows: Rows) -> None:
        """Store at once the vectors of what was added, as far as it is still there."""
        found = rows.all(STILL_HERE, ids=list(self.pieces)) if self.pieces else []
        if found:
            new = [NewVectors(id, space, bool(is_current), self.pieces[id]) for id, space, is_current in found]
            rows.vectors.put(new, self.model)
        self.pieces.clear()


def put_memory(rows: Rows, new: IncomingMemory, merge: Merge) -> str:
    """Store a memory, or what is newer in it; what became of it, or why it was left out."""
    document = new.memory.document
    if document is not None:
        new = new._replace(memory=_placed(rows, new.memory))
    local = with_uid(rows, new.memory.uid) if new.memory.uid in merge.here else None
    if local is not None and local.space != new.memory.space:  # a copy in another space has a uid of its own
        uid = merge.copied[new.memory.uid] = uid_in(new.memory.space, new.memory.uid)
        new, local = new._replace(memory=replace(new.memory, uid=uid)), with_uid(rows, uid)
        merge.deleted.add(uid)  # as far as is known
    if local is not None:
        return _merged(rows, local, new, merge) if new.is_dated else KNOWN
    if new.memory.uid in merge.deleted:
        if _was_deleted(rows, new.memory, new.is_dated):
            return DELETED_HERE
    elif _is_buried(rows, replace(new.memory, document=document), merge):
        return DELETED_HERE
    merge.here.add(new.memory.uid)
    return _same_place(rows, new.memory, merge) or _added(rows, new, merge)


def put_deletion(rows: Rows, uid: str, space: str, at: str, merge: Merge) -> str:
    """Delete a memory that another store has deleted, unless it was changed here since."""
    local = with_uid(rows, uid)
    if local is not None and (local.space != space or instant(local.updated_at) > at):
        return KNOWN
    if not merge.trusted and (local is None or trust.outranks(local, "external")):
        return KNOWN if local is None else MORE_TRUSTED
    before = rows.one("select at from deletions where uid = :uid", uid=uid)
    if local is not None:
        trash.discard(rows, local, merge.at, "deleted elsewhere")
        merge.marks.clear()
    rows.run(DELETED, uid=uid, space=space, at=at)
    merge.deleted.add(uid)
    return CHANGED if local is not None else KNOWN if before and before[0] >= at else ADDED


def settle_twins(rows: Rows, at: datetime) -> None:
    """Of current memories that say the same, the most trusted and oldest one stays.

    For the end of an import: before all steps are in, a memory may be current that is replaced by a later step.
    """
    for (fingerprint,) in rows.all(SAID_TWICE, now=instant(at)):
        found = map(from_row, rows.all(SAYING, fingerprint=fingerprint, now=instant(at)))
        stays, *others = sorted(found, key=lambda one: (-TRUST.index(one.trust), one.created_at, one.uid))
        for goes in others:
            when = max(stays.created_at, goes.created_at)
            step = Step(old=goes.id, new=stays.id, at=when, effective_at=when, actor=BY_IMPORT, reason=SAME, same=True)
            retire(rows, goes, step)


def _added(rows: Rows, new: IncomingMemory, merge: Merge) -> str:
    memory = new.memory
    row = to_row(memory, counted=True)
    row |= {"used_count": memory.used_count, "used_at": instant_or_none(memory.used_at)}
    row["superseded_at"] = instant_or_none(new.superseded_at)
    id = rows.insert("memories", row)
    names.learn(rows, id, memory)
    if memory.kind == "task" or new.task is not None:  # one that became a fact is a task again when that is undone
        tasks.begin(rows, id)
    if new.task is not None:
        tasks.change(rows, id, _without_time(new.task))
    if new.pieces is not None and merge.model:
        merge.pieces[id] = new.pieces
    return ADDED


def _merged(rows: Rows, local: Memory, new: IncomingMemory, merge: Merge) -> str:
    """The newer version of a known memory; its counts are the higher ones."""
    merge.store_vectors(rows)  # it may have been added just now
    memory = _as_here(local, new.memory)
    is_newer = _version(memory) > _version(local)
    if not merge.trusted and trust.outranks(local, memory.trust):
        return MORE_TRUSTED if is_newer else KNOWN
    taken = memory if is_newer else local
    after = replace(taken, **{name: _highest(local, memory, name) for name in CHANGED_LATER})
    used = {name: _highest(local, memory, name) for name in ("used_count", "used_at")}
    changed = to_row(after, counted=True) != to_row(local, counted=True)
    write_changes(rows, local, after)
    if local.digest != after.digest:
        rows.vectors.drop(local)
    if new.pieces is not None and merge.model and memory.digest == after.digest:
        _give_vectors(rows, after, new.pieces, merge.model)
    if used != {"used_count": local.used_count, "used_at": local.used_at}:
        rows.run(COUNTS, used_count=used["used_count"], used_at=instant_or_none(used["used_at"]), id=local.id)
        changed = True
    if new.task is not None:
        changed = _task_merged(rows, local.id, new.task) or changed
    return CHANGED if changed else KNOWN


def _task_merged(rows: Rows, id: int, task: Mapping[str, Any]) -> bool:
    """Where a task stands, as the later change of the two says."""
    tasks.begin(rows, id)
    here = tasks.standing(rows, id)
    return _task_version(task) > _task_version(here) and bool(tasks.change(rows, id, _without_time(task)))


def _task_version(task: Mapping[str, Any]) -> tuple[str, str]:
    said = {name: value for name, value in _without_time(task).items() if value is not None}
    return task.get("changed_at") or "", json.dumps(said, sort_keys=True)


def _without_time(task: Mapping[str, Any]) -> dict[str, Any]:
    given = dict.fromkeys(tasks.FIELDS) | dict(task)
    return {name: value for name, value in given.items() if name != "changed_at"}


def _give_vectors(rows: Rows, memory: Memory, pieces: Matrix, model: int) -> None:
    if not vectors.has_vectors(rows, memory.id, model):
        vectors.attach(rows, memory, pieces, model)


def _as_here(local: Memory, memory: Memory) -> Memory:
    """Without what belongs to the store: ids, and what follows from the steps."""
    return replace(memory, id=local.id, superseded_by=local.superseded_by, superseded_at=local.superseded_at)


def _version(memory: Memory) -> tuple[str, int, str]:
    """Which of two versions is newer; of two from the same instant, every store must choose the same one."""
    row = to_row(memory)
    said = json.dumps({name: value for name, value in row.items() if not isinstance(value, bytes)}, sort_keys=True)
    return row["updated_at"], TRUST.index(memory.trust), said


def _highest(one: Memory, other: Memory, name: str) -> Any:
    return max(filter(None, (getattr(one, name), getattr(other, name))), default=getattr(one, name))


def _placed(rows: Rows, memory: Memory) -> Memory:
    """Without its document, if that is not known here."""
    sql = "select 1 from documents where space = :space and name = :name"
    return memory if rows.one(sql, space=memory.space, name=memory.document) else replace(memory, document=None)


def _same_place(rows: Rows, memory: Memory, merge: Merge) -> str | None:
    """A turn or passage is known by its place: where another one has it, the lesser uid stays."""
    if memory.kind == "passage" and memory.document is not None:
        place = {"space": memory.space, "document": memory.document, "position": memory.position}
        row = rows.one(AT_PLACE, **place)
        other = from_row(row) if row else None
    else:
        other = known(rows, memory) if memory.kind == "turn" else None
    if (memory.space, memory.document) in merge.other_versions and (other is None or other.text != memory.text):
        return OTHER_VERSION
    if other is None:
        return None
    if other.text != memory.text:
        return OTHER_TURN
    if memory.uid < other.uid and merge.trusted:
        rows.run("update memories set uid = :uid where id = :id", uid=memory.uid, id=other.id)
    return KNOWN


def _was_deleted(rows: Rows, memory: Memory, is_dated: bool) -> bool:
    row = rows.one("select at, space from deletions where uid = :uid", uid=memory.uid)
    if row is None:
        return False
    if not is_dated or row[0] >= instant(memory.updated_at) or row[1] != memory.space:
        return True
    rows.run(FORGET_TRASHED, uid=memory.uid)  # it was changed elsewhere since, and comes back as it is there
    rows.run("delete from deletions where uid = :uid", uid=memory.uid)
    return False


def _is_buried(rows: Rows, memory: Memory, merge: Merge) -> bool:
    """Whether all or a part of a turn or passage was deleted here, from whatever memory its source had made of it."""
    document = ANYWHERE if memory.kind == "turn" else memory.document
    if document is None:
        return False
    marks = (_marks_of(rows, space, document, merge) for space in merge.buried_in(memory))
    return any(unburied(memory, own) != [memory] for own in marks)


def _marks_of(rows: Rows, space: str, document: str, merge: Merge) -> Marks:
    place = (space, document)
    if place not in merge.marks:
        merge.marks[place] = marks_of_import(rows, *place)
    return merge.marks[place]


def with_uid(rows: Rows, uid: str) -> Memory | None:
    row = rows.one(OF_UID, uid=uid)
    return from_row(row) if row else None


def uid_in(space: str, uid: str) -> str:
    """The uid of a copy in another space."""
    return hashlib.blake2b(f"{space}\0{uid}".encode(), digest_size=16).hexdigest()


def local_id(rows: Rows, uid: str | None, merge: Merge) -> int | None:
    """The id of a memory here; what goes to one space does not reach those of others."""
    sql = "select id, space from memories where uid = :uid"
    row = rows.one(sql, uid=merge.copied.get(uid, uid)) if uid else None
    return int(row[0]) if row and merge.space in (None, row[1]) else None
