"""Merging records: two with one key become one, with the versions of both, and the latest version holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from scrubjay.stores.columns import moment
from scrubjay.stores.contract import Rows
from scrubjay.stores.revisions.steps import retire
from scrubjay.stores.rows import find
from scrubjay.stores.transfer.incoming import BY_IMPORT, uid_in
from scrubjay.types.history import Step

__all__ = ["in_its_space", "refer", "settle_records"]

LATER = "a later version of the record"
CURRENT = """
    select m.space, r.noun, r.key, r.record, r.at, r.version, r.memory from records r
    join memories m on m.id = r.memory where m.superseded_at is null order by r.id
"""
JOIN = "update records set record = :into where record = :record"
# A project names its people by the uids of their records.
REFER = "update records set data = replace(data, :record, :into) where noun = 'project' and data like :within"
NUMBERED_TWICE = "select distinct record from records group by record, version having count(*) > 1"
VERSIONS = "select id, version from records where record = :record order by at, version, uid"
UID = re.compile(r"[0-9a-f]{32}")
ELSEWHERE = """
    select 1 from records r join memories m on m.id = r.memory
    where (r.uid = :uid or r.record = :uid) and m.space <> :space limit 1
"""
NUMBER = "update records set version = :version where id = :id"


def in_its_space(rows: Rows, row: Mapping[str, Any]) -> dict[str, Any]:
    """A version of a record as the space of its memory has it: what another space has, too, is a copy with other uids.

    Else a file for one space could change the records of another.
    """
    (space,) = rows.one("select space from memories where id = :id", id=row["memory"])

    def own(uid: str) -> str:
        return uid_in(space, uid) if rows.one(ELSEWHERE, uid=uid, space=space) else uid

    people = UID.sub(lambda found: own(found[0]), row["data"]) if row["noun"] == "project" else row["data"]
    return {**row, "uid": own(row["uid"]), "record": own(row["record"]), "data": people}


def settle_records(rows: Rows) -> None:
    """After an import: no two current records have one key, and no record has two current versions."""
    by_key: dict[tuple[str, str, str], set[str]] = {}
    for space, noun, key, record, *_ in rows.all(CURRENT):
        if key is not None:
            by_key.setdefault((space, noun, key), set()).add(record)
    for records in by_key.values():
        _join(rows, min(records), records - {min(records)})
    for (record,) in rows.all(NUMBERED_TWICE):
        _number(rows, record)
    _keep_the_latest(rows)


def _join(rows: Rows, into: str, others: Iterable[str]) -> None:
    """Every store chooses the same uid for both."""
    for record in others:
        rows.run(JOIN, record=record, into=into)
        refer(rows, record, into)


def refer(rows: Rows, record: str, into: str) -> None:
    """Let projects name the record that another one has become part of."""
    rows.run(REFER, record=record, into=into, within=f"%{record}%")


def _number(rows: Rows, record: str) -> None:
    """Number the versions as they came. None gets a lower number: so that stores which differ come to agree."""
    last = 0
    for id, version in rows.all(VERSIONS, record=record):
        last = max(version, last + 1)
        if last != version:
            rows.run(NUMBER, version=last, id=id)


def _keep_the_latest(rows: Rows) -> None:
    current: dict[str, list[tuple[int, str, int]]] = {}
    for *_, record, at, version, memory in rows.all(CURRENT):
        current.setdefault(record, []).append((version, at, memory))
    for found in current.values():
        _, at, latest = max(found)
        for old in {memory for *_, memory in found} - {latest}:
            memory = find(rows, old)
            if memory is not None and memory.superseded_at is None:
                when = moment(at)
                step = Step(old=old, new=latest, at=when, effective_at=when, actor=BY_IMPORT, reason=LATER)
                retire(rows, memory, step)
