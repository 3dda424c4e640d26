"""Versions of records: the profile of a space, contacts, projects, skills. Each is told by a memory.

The newest version whose memory is current holds. What the store knows of a record is what a memory has (space, trust,
trash), its versions, a key that is unique among the current records of its noun, and a state that has no versions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Damaged, Invalid, NotFound
from scrubjay.stores import columns
from scrubjay.stores.columns import from_row, instant, moment, object_from
from scrubjay.stores.contract import Engine, KeptRecord, NewVersion, Outdated, Rows
from scrubjay.types import Memory

if TYPE_CHECKING:
    from scrubjay.types.agents import Event

__all__ = [
    "COLUMNS",
    "Records",
    "attach",
    "fits",
    "other_events",
    "refuse_edit",
    "refuse_other",
    "refuse_outdated",
    "refuse_same_keys",
    "told_by",
    "with_changes",
    "with_versions",
]

COLUMNS = (
    "id", "uid", "record", "noun", "version", "memory", "key", "data", "state", "at", "actor", "reason"
)  # fmt: skip
SELECT = f"""
    select {", ".join(f"m.{name}" for name in columns.NAMES)}, r.uid, r.record, r.noun, r.version, r.key, r.data, r.at,
        r.actor, r.reason,
        (select n.state from records n where n.record = r.record order by n.version desc, n.id desc limit 1),
        (select min(f.memory) from records f where f.record = r.record),
        (select min(f.at) from records f where f.record = r.record)
    from records r join memories m on m.id = r.memory where m.space = :space
"""
OWN_COLUMNS = 12
HOLDS = f"""
    {SELECT} and r.noun = :noun and m.superseded_at is null and (m.expires_at is null or m.expires_at > :now)
    and r.version = (
        select max(v.version) from records v join memories o on o.id = v.memory
        where v.record = r.record and o.superseded_at is null
    )
"""
OF_MEMORY = "r.record in (select record from records where memory = :id)"
VERSIONS = f"{SELECT} and r.record = :record order by r.version, r.id"
HOLDING = """
    select r.uid from records r join memories m on m.id = r.memory
    where r.record = :record and m.superseded_at is null order by r.version desc, r.id desc limit 1
"""
LAST = "select id, version, state from records where record = :record order by version desc, id desc limit 1"
TOLD_BY = "select record, noun from records where memory = :id order by version desc limit 1"
FIRST = "select min(memory) from records where record = :record"
SAME_KEY = """
    select min(f.memory) from records r join memories m on m.id = r.memory join records f on f.record = r.record
    where r.noun = :noun and r.key = :key and r.record <> :record and m.space = :space and m.superseded_at is null
    and (m.expires_at is null or m.expires_at > :now)
    and r.version = (select max(v.version) from records v where v.memory = r.memory and v.record = r.record)
"""
MEMORIES = """
    select distinct r.memory from records r join memories m on m.id = r.memory
    where r.record = :record and (:space is null or m.space = :space) order by r.memory
"""
OF_MEMORIES = "select memory, noun, version, at, reason from records where memory in (:ids) order by id"
DELETED = """
    select deleted_at, noun, min(id) from trash
    where space = :space and record is not null and deleted_at between :since and :until
    group by deleted_at, noun, record order by deleted_at desc limit :limit
"""
DERIVED = ("kind", "subject", "title", "project")  # of the memory, from the record
COMMANDS = {"profile": "profile", "contact": "contacts", "project": "projects", "skill": "skills"}
OWNED = "Memory {id} tells {noun} {record}; change that with `{command}` instead."
SAYS_THE_SAME = "Memory {id} says the same of another record already; change what differs."
TAKEN = {
    "profile": "There is a profile already ({id}); set what differs.",
    "contact": "There is a contact with this email already ({id}); update that one.",
    "project": "There is a project of this name already ({id}); update that one.",
    "skill": "There is a skill of this name already ({id}); update that one.",
}


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < MOST


def _is_time_or_none(value: Any) -> bool:
    try:
        found = None if value is None else datetime.fromisoformat(value)
        return found is None or (found.tzinfo is not None and 1 < found.astimezone(UTC).year < datetime.max.year)
    except (*columns.UNREADABLE, OverflowError):
        return False


def _is_list(value: Any, is_right: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(is_right, value))


def _are_texts(value: Any) -> bool:
    return _is_list(value, _is_text)


def _is_object(value: Any, shape: Mapping[str, Callable[[Any], bool]]) -> bool:
    return isinstance(value, dict) and all(is_right(value.get(name)) for name, is_right in shape.items())


def _is_step(value: Any) -> bool:
    shape = {"id": _is_text, "tool": _is_text, "depends_on": _are_texts}
    return _is_object(value, shape) and isinstance(value.get("parameters"), dict)


def _is_source(value: Any) -> bool:
    return _is_object(value, {"system": _is_text, "external_id": _is_text_or_none, "external_name": _is_text_or_none})


def _are_checks(value: Any) -> bool:
    shape = {"status": _is_text_or_none, "checked_at": _is_time_or_none}
    return value is None or (isinstance(value, dict) and all(_is_object(one, shape) for one in value.values()))


MOST = 2**31
# What every version of a noun has, and what its state may have. A profile may have anything.
DATA: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "profile": {},
    "contact": {
        **dict.fromkeys(("name", "type"), _is_text),
        **dict.fromkeys(("email", "company", "role", "notes"), _is_text_or_none),
    },
    "project": {
        **dict.fromkeys(("name", "status", "type"), _is_text),
        **dict.fromkeys(("description", "primary_contact", "company", "priority", "repository"), _is_text_or_none),
        "participants": _are_texts,
        "sources": lambda value: _is_list(value, _is_source),
    },
    "skill": {
        **dict.fromkeys(("name", "instructions", "trigger"), _is_text),
        **dict.fromkeys(("description", "schedule", "timezone", "event"), _is_text_or_none),
        "at": _is_time_or_none,
        "interval_minutes": lambda value: value is None or (_is_count(value) and value > 0),
        **dict.fromkeys(("max_steps", "notify_interval_minutes"), _is_count),
        **dict.fromkeys(("notify_on_completion", "enabled"), _is_flag),
        "required_tools": _are_texts,
        "plan": lambda value: _is_list(value, _is_step),
    },
}
STATE: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "project": {"sources": _are_checks},
    "skill": {
        **dict.fromkeys(("last_run_at", "last_notified_at"), _is_time_or_none),
        **dict.fromkeys(("last_run_status", "last_run_summary"), _is_text_or_none),
    },
}


def fits(noun: str, data: Any, state: Any) -> bool:
    """Whether a version of a record can be read by everything that reads it."""
    return noun in DATA and _is_object(data, DATA[noun]) and _is_object(state, STATE.get(noun, {}))


class Records:
    """The records of every space. Their versions are stored with their memories, by `Memories.put`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self, space: str, noun: str, now: datetime) -> list[KeptRecord]:
        """The current records of a noun, the oldest first."""
        with self._engine.reading([space]) as rows:
            return [_record(row) for row in rows.all(f"{HOLDS} order by r.id", **_asked(space, noun, now))]

    def get(self, space: str, noun: str, id: int, now: datetime) -> KeptRecord | None:
        """The current record that this memory tells a version of."""
        with self._engine.reading([space]) as rows:
            row = rows.one(f"{HOLDS} and {OF_MEMORY}", **_asked(space, noun, now), id=id)
        return _record(row) if row else None

    def find(self, space: str, noun: str, key: str, now: datetime) -> KeptRecord | None:
        """The current record of that key."""
        with self._engine.reading([space]) as rows:
            row = rows.one(f"{HOLDS} and r.key = :key", **_asked(space, noun, now), key=key)
        return _record(row) if row else None

    def noun_of(self, space: str, id: int) -> str | None:
        """The noun of the record that a memory tells; None if it tells none."""
        with self._engine.reading([space]) as rows:
            row = rows.one(f"{SELECT} and {OF_MEMORY} limit 1", space=space, id=id)
        return _record(row).noun if row else None

    def named(self, space: str, uids: Sequence[str]) -> dict[str, int]:
        """The ids of records, by uid; without those that are deleted."""
        with self._engine.reading([space]) as rows:
            sql = """
                select r.record, min(r.memory) from records r join memories m on m.id = r.memory
                where m.space = :space and r.record in (:uids) group by r.record
            """
            return {uid: int(id) for uid, id in rows.all(sql, space=space, uids=list(uids))}

    def versions(self, space: str, record: str) -> list[KeptRecord]:
        """Every version of a record, the oldest first."""
        with self._engine.reading([space]) as rows:
            return [_record(row) for row in rows.all(VERSIONS, space=space, record=record)]

    def change_state(self, space: str, record: str, edit: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
        """Change what a record has besides its versions."""
        with self._engine.writing([space]) as rows:
            if not rows.one(f"{SELECT} and r.record = :record limit 1", space=space, record=record):
                raise NotFound(f"There is no such record in space {space!r}.")
            id, _, state = rows.one(LAST, record=record)
            rows.run("update records set state = :state where id = :id", state=_changed(state, edit), id=id)


def _asked(space: str, noun: str, now: datetime) -> dict[str, Any]:
    return {"space": space, "noun": noun, "now": instant(now)}


def _changed(state: str, edit: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None) -> str:
    return state if edit is None else json.dumps(dict(edit(object_from(state))), ensure_ascii=False)


def told_by(rows: Rows, id: int) -> tuple[str | None, str | None]:
    """The record that a memory tells, and its noun."""
    record, noun = rows.one(TOLD_BY, id=id) or (None, None)
    return record, noun


def refuse_outdated(rows: Rows, new: NewVersion) -> None:
    """Refuse a version that was made from another than the one that holds: somebody else was quicker."""
    (holds,) = rows.one(HOLDING, record=new.record) or (None,)
    if new.after != holds:
        raise Outdated


def attach(rows: Rows, memory: Memory, new: NewVersion) -> None:
    """Let a memory tell a version of a record."""
    told = rows.one(TOLD_BY, id=memory.id)
    if told and told[0] != new.record:
        raise Invalid(SAYS_THE_SAME.format(id=memory.id))
    last = rows.one(LAST, record=new.record)
    row = {
        "uid": os.urandom(16).hex(),
        "record": new.record,
        "noun": new.noun,
        "version": last[1] + 1 if last else 1,
        "memory": memory.id,
        "key": new.key,
        "data": json.dumps(dict(new.data), ensure_ascii=False),
        "state": _changed(last[2] if last else "{}", new.change_state),
        "at": instant(new.at),
        "actor": new.actor,
        "reason": new.reason,
    }
    rows.insert("records", row)


def _refuse_same_key(rows: Rows, space: str, noun: str, key: str | None, record: str, now: datetime) -> None:
    """No two current records of a noun in a space have the same key."""
    values = {"space": space, "noun": noun, "key": key, "record": record, "now": instant(now)}
    (other,) = rows.one(SAME_KEY, **values) if key is not None else (None,)
    if other is not None:
        raise Invalid(TAKEN[noun].format(id=other))


def refuse_same_keys(rows: Rows, memories: Iterable[Memory], now: datetime) -> None:
    """The same for memories that are current again."""
    for memory in memories:
        sql = "select noun, key, record from records where memory = :id order by version desc limit 1"
        for noun, key, record in rows.all(sql, id=memory.id):
            if memory.superseded_at is None:
                _refuse_same_key(rows, memory.space, noun, key, record, now)


def refuse_other(rows: Rows, old: Memory, new: int | None = None) -> None:
    """A memory that tells a record is replaced only by one that tells its next version."""
    told = rows.one(TOLD_BY, id=old.id)
    if told and (new is None or (rows.one(TOLD_BY, id=new) or (None,))[0] != told[0]):
        raise Invalid(_owned(rows, old.id, *told))


def refuse_edit(rows: Rows, before: Memory, after: Memory) -> None:
    """Fields of a memory that follow from its record are changed with the record."""
    if any(getattr(before, name) != getattr(after, name) for name in DERIVED):
        if told := rows.one(TOLD_BY, id=before.id):
            raise Invalid(_owned(rows, before.id, *told))


def _owned(rows: Rows, id: int, record: str, noun: str) -> str:
    (first,) = rows.one(FIRST, record=record)
    return OWNED.format(id=id, noun=noun, record=first, command=COMMANDS[noun])


def with_versions(rows: Rows, ids: Sequence[int], spaces: Sequence[str] = ()) -> list[int]:
    """These memories; of one that tells a record, those of all its versions: they are deleted together."""
    found: dict[int, None] = {}
    for id in ids:
        told = rows.one(TOLD_BY, id=id)
        space = spaces[0] if spaces else None
        others = rows.all(MEMORIES, record=told[0], space=space) if told else []
        found |= dict.fromkeys([*(other for (other,) in others), id])
    return list(found)


def with_changes(rows: Rows, events: Sequence[Event]) -> list[Event]:
    """Of a memory that tells a record, an event for each version, in the place of that of the memory."""
    from scrubjay.types.agents import Event

    ids = [event.memory.id for event in events if event.memory]
    told: dict[int, list[Any]] = {}
    for memory, *version in rows.all(OF_MEMORIES, ids=ids):
        told.setdefault(memory, []).append(version)
    changes = [
        Event(moment(at), f"{noun} {'created' if version == 1 else 'updated'}", event.memory, reason or "")
        for event in events
        if event.memory
        for noun, version, at, reason in told.get(event.memory.id, ())
    ]
    return [event for event in events if event.memory is None or event.memory.id not in told] + changes


def other_events(rows: Rows, space: str, since: str, until: str, limit: int) -> list[Event]:
    """Records that were deleted, by their ids, and when skills ran last."""
    from scrubjay.types.agents import Event

    span = {"space": space, "since": since, "until": until}
    deleted = [
        Event(moment(at), f"{noun} deleted", detail=str(id)) for at, noun, id in rows.all(DELETED, **span, limit=limit)
    ]
    ran = [_record(row) for row in rows.all(f"{SELECT} and r.noun = 'skill' and m.superseded_at is null", space=space)]
    events = [(moment(at), one) for one in ran if (at := one.state.get("last_run_at"))]
    return deleted + [
        Event(at, "skill ran", one.memory, str(one.state.get("last_run_status") or ""))
        for at, one in events
        if since <= instant(at) <= until
    ]


def _record(row: Sequence[Any]) -> KeptRecord:
    uid, record, noun, version, key, kept_data, at, actor, reason, kept_state, id, created_at = row[-OWN_COLUMNS:]
    data, state = object_from(kept_data), object_from(kept_state)
    if not fits(noun, data, state):
        raise Damaged(f"The {noun} {id} cannot be read; {columns.REPAIR}.")
    return KeptRecord(
        id=id,
        record=record,
        noun=noun,
        uid=uid,
        version=version,
        memory=from_row(row[:-OWN_COLUMNS]),
        key=key,
        data=data,
        state=state,
        at=moment(at),
        actor=actor,
        reason=reason,
        created_at=moment(created_at),
    )
