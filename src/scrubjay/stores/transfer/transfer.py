"""Export and import of a store, line by line: a batch of lines is merged in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from scrubjay.errors import Damaged
from scrubjay.stores import vectors
from scrubjay.stores.agents import sessions
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.columns import REPAIR, UNREADABLE, instant
from scrubjay.stores.contract import Engine, Rows
from scrubjay.stores.deletions import tombstones
from scrubjay.stores.maintenance import mend_rules
from scrubjay.stores.transfer import outgoing
from scrubjay.stores.transfer.forgotten import without_forgotten, without_forgotten_reasons
from scrubjay.stores.transfer.history import put_edit, put_step
from scrubjay.stores.transfer.incoming import (
    ADDED,
    CHANGED,
    DELETED_HERE,
    KNOWN,
    IncomingMemory,
    Merge,
    local_id,
    put_deletion,
    put_memory,
    settle_twins,
    with_uid,
)
from scrubjay.stores.transfer.merged_records import in_its_space, refer, settle_records
from scrubjay.stores.transfer.outgoing import Line, Selection
from scrubjay.stores.transfer.tables import TABLES, Table
from scrubjay.types import Memory, Model

__all__ = ["Transfer"]

NOT_VOUCHED_FOR = "only a file that the user vouches for may bring it"
VERSION = ("mtime", "size")  # of a document
NOT_HERE = "what it belongs to is not here"
BY_LINE = {table.line: table for table in TABLES}
SOURCE = "select id from sources where space = :space and name = :name"
KNOWN_UIDS = "select uid from memories where uid in (:uids) union select uid from deletions where uid in (:uids)"
NOTE_COPY = """
    insert into copies (path, kind, spaces, at) values (:path, :kind, :spaces, :at)
    on conflict (path) do update set kind = excluded.kind, spaces = excluded.spaces, at = excluded.at
"""


class Transfer:
    """What leaves a store, and what comes into it from another."""

    def __init__(self, engine: Engine, uses: Uses) -> None:
        self._engine = engine
        self._uses = uses

    def lines(self, selection: Selection) -> Iterator[Line]:
        """Every line of an export. Call this in a snapshot, so that all of them are as of one moment."""
        with self._engine.reading() as rows:
            try:
                yield from outgoing.lines(rows, selection)
            except UNREADABLE as problem:
                raise Damaged(f"A row of the memory cannot be read ({str(problem)[:100]}); {REPAIR}.") from problem

    def count(self, selection: Selection) -> int:
        """How many memories an export would have."""
        condition, values = selection.condition
        with self._engine.reading() as rows:
            (count,) = rows.one(f"select count(*) from memories m where {condition}", **values)
        return int(count)

    def about(self, spaces: Sequence[str]) -> tuple[Model | None, list[str]]:
        """The model of the vectors, and the keys of the tombstones."""
        with self._engine.reading(spaces) as rows:
            return outgoing.model(rows), outgoing.mark_keys(rows, spaces)

    def begin(self, merge: Merge, model: Model | None, keys: Sequence[bytes]) -> None:
        """Take over the keys of tombstones; and the model, if this store has no other."""
        with self._engine.writing() as rows:
            tombstones.put_keys(rows, keys if merge.trusted else ())
            _, own = vectors.model_of(rows, "current")
            merge.model = vectors.adopt(rows, model) if model is not None and own in (None, model) else 0

    def put(self, lines: Sequence[Line | IncomingMemory], merge: Merge) -> list[str]:
        """Merge lines in one transaction; what became of each: added, changed, known, or why it was left out."""
        with self._engine.writing() as rows:
            merge.look_up(rows, [line.memory.uid for line in lines if isinstance(line, IncomingMemory)])
            outcomes = [_put(rows, line, merge) for line in lines]
            for record, into in merge.joined.items():
                refer(rows, record, into)
            merge.store_vectors(rows)
            self._uses.flush(rows)
        return outcomes

    def with_uid(self, uid: str) -> Memory | None:
        """The memory of that uid, in any space."""
        with self._engine.reading() as rows:
            return with_uid(rows, uid)

    def uid_of_item(self, name: str, plain_uid: str) -> str:
        """The uid of an item of another program: a keyed hash, by which no guess at what was forgotten is confirmed.

        One that is known here by another key, or by the plain hash of an older version, keeps that.
        """
        with self._engine.reading() as rows:
            uids = [*(mark.hex() for mark in tombstones.marks_of(rows, name)), plain_uid]
            known = {uid for (uid,) in rows.all(KNOWN_UIDS, uids=uids)}
        return next((uid for uid in uids if uid in known), uids[0])

    def finish(self, merge: Merge) -> None:
        """When all lines are in: settle which memories are current, add what is missing, drop notes of no session."""
        with self._engine.writing() as rows:
            settle_twins(rows, merge.at)
            settle_records(rows)
            sessions.forget_notes(rows)
            mend_rules(rows)

    def note_copy(self, path: str, kind: str, spaces: Sequence[str], at: datetime) -> None:
        """Remember that there is a backup or an export, so that whoever forgets something is told of it."""
        with self._engine.writing(spaces) as rows:
            rows.run(NOTE_COPY, path=path, kind=kind, spaces=json.dumps(list(spaces)), at=instant(at))

    def copies(self) -> list[tuple[str, str, str, str]]:
        """Path, kind, spaces as JSON, and time of each backup and export that was made."""
        with self._engine.reading() as rows:
            return rows.all("select path, kind, spaces, at from copies order by at, path")

    def forget_copy(self, path: str) -> None:
        with self._engine.writing() as rows:
            rows.run("delete from copies where path = :path", path=path)


def _put(rows: Rows, line: Line | IncomingMemory, merge: Merge) -> str:
    if isinstance(line, IncomingMemory):
        return put_memory(rows, line, merge)
    match line["type"]:
        case "step":
            return put_step(rows, without_forgotten_reasons(rows, line), merge)
        case "edit":
            return put_edit(rows, without_forgotten_reasons(rows, line), merge)
        case "deletion":
            return put_deletion(rows, line["uid"], line["space"], line["at"], merge)
    return _put_row(rows, BY_LINE[line["type"]], line, merge)


def _put_row(rows: Rows, table: Table, line: Line, merge: Merge) -> str:
    """Insert a row, or let the one that is there take over what is greater (or lesser) in it."""
    if table.by_user and not merge.trusted:
        return NOT_VOUCHED_FOR
    row = {name: _stored(rows, table, name, line, merge) for name in table.fields}
    if any(row[name] is None and not field.optional for name, field in table.fields.items()):
        return NOT_HERE
    if table.name == "records":
        row = in_its_space(rows, row)
    elif (left := without_forgotten(rows, table, row, merge)) is not None:
        row = left
    else:
        return DELETED_HERE
    same = " and ".join(f"{name} = :{name}" for name in table.key)
    key = {name: row[name] for name in table.key}
    found = rows.one(f"select {', '.join(row)} from {table.name} where {same}", **key)
    here = dict(zip(row, found, strict=True)) if found else {}
    if table.name == "documents" and here and any(here[name] != row[name] for name in VERSION):
        merge.other_versions.add((row["space"], row["name"]))
    if table.name == "records" and here and here["record"] != row["record"]:
        into, record = sorted((here["record"], row["record"]))
        merge.joined[record] = into
    if not here:
        values = {**row, **table.at_first}
        rows.run(f"insert into {table.name} ({', '.join(values)}) values (:{', :'.join(values)})", **values)
        return ADDED
    return KNOWN if table.is_kept else _merged(rows, table, key, here, row)


def _merged(rows: Rows, table: Table, key: Mapping[str, Any], here: Line, there: Line) -> str:
    changed = {}
    for name, value in here.items():
        if name in table.fixed:
            continue
        chosen = _chosen([one for one in (value, there[name]) if one is not None], name in table.least)
        if chosen != value:
            changed[name] = chosen
    if not changed:
        return KNOWN
    assignments = ", ".join(f"{name} = :{name}" for name in changed)
    same = " and ".join(f"{name} = :key_{name}" for name in key)
    keys = {f"key_{name}": value for name, value in key.items()}
    rows.run(f"update {table.name} set {assignments} where {same}", **changed, **keys)
    return CHANGED


def _chosen(values: Sequence[Any], least: bool) -> Any:
    if not values:
        return None
    return min(values) if least else max(values)


def _stored(rows: Rows, table: Table, name: str, line: Line, merge: Merge) -> Any:
    """A value of a line as its column has it."""
    value: Any = line.get(name)
    match table.fields[name].type:
        case "memory":
            return local_id(rows, value, merge)
        case "source":
            row = rows.one(SOURCE, space=line["space"], name=value)
            return row[0] if row else None
        case "strings" | "object":
            return json.dumps(value or ([] if table.fields[name].type == "strings" else {}), ensure_ascii=False)
        case "flag":
            return int(bool(value))
        case "bytes":
            return bytes.fromhex(value)
    return value
