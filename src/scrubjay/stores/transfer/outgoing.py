"""Reading a store for an export: rows as objects that JSON can hold, one after the other, in a fixed order."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from typing import Any, NamedTuple

from scrubjay.stores import vectors
from scrubjay.stores.agents.tasks import CHANGED_AT
from scrubjay.stores.contract import Rows
from scrubjay.stores.filters import where
from scrubjay.stores.transfer.tables import BEFORE_MEMORIES, EDIT, MEMORY, STEP, TABLES, TASK, Table
from scrubjay.types import Filter, Model

__all__ = ["NOT_IN_FILE", "Line", "Selection", "lines", "mark_keys", "model"]

Line = dict[str, Any]
PAGE = 500  # memories, steps or updates at once
ROWS_AT_ONCE = 20_000  # of the other tables, which have to be sorted each time
# Hashes with a key of the store: marks of what was deleted, and uids of what came from another program.
KEYED = """
    select 1 from tombstones where space in (:spaces)
    union all select 1 from forgotten_names where space in (:spaces)
    union all select 1 from memories where space in (:spaces) and source like 'import:%' limit 1
"""
NOT_IN_FILE = 0  # the number of a change of which the file has no step
SELECTED = "m.space in (:spaces)"
REFERENCES = {
    "memory": "(select uid from memories where id = t.{0}) as {0}",
    "source": "(select name from sources where id = t.{0}) as {0}",
}


def _columns(table: Table) -> str:
    return ", ".join(REFERENCES.get(field.type, "t.{0}").format(name) for name, field in table.fields.items())


TASKS = f"""
    select t.memory, {", ".join(f"t.{name}" for name in TASK.fields if name != "changed_at")}, {CHANGED_AT}
    from tasks t where t.memory in (:ids)
"""
SUCCESSOR = "(select uid from memories n where n.id = m.superseded_by)"
MEMORY_NAMES = tuple(name for name in MEMORY.fields if name != "superseded_by")
MEMORIES = f"""
    select m.id, {", ".join(f"m.{name}" for name in MEMORY_NAMES)}, {SUCCESSOR} from memories m
    where {{memories}} and m.id > :after order by m.id limit :limit
"""
STEPS = f"""
    select t.id, t.id, {_columns(STEP)} from steps t
    where t.id > :after and exists (select 1 from memories m where m.id = t.old and {{memories}})
    order by t.id limit :limit
"""
EDITS = f"""
    select t.id, t.after_step, {_columns(EDIT)} from edits t
    where t.id > :after and exists (select 1 from memories m where m.id = t.memory and {{memories}})
    order by t.id limit :limit
"""


class Selection(NamedTuple):
    """What leaves the store: whole spaces, or the memories in them that match a filter, with their history."""

    spaces: Sequence[str]
    filter: Filter | None = None
    with_vectors: bool = False

    @property
    def condition(self) -> tuple[str, dict[str, Any]]:
        return (SELECTED, {"spaces": list(self.spaces)}) if self.filter is None else where(self.filter)


def lines(rows: Rows, selection: Selection) -> Iterator[Line]:
    """Every line between the header and the end."""
    whole = selection.filter is None
    for table in TABLES[:BEFORE_MEMORIES] if whole else ():
        yield from _of_table(rows, table, selection)
    yield from _memories(rows, selection)
    yield from _history(rows, selection)
    for table in TABLES[BEFORE_MEMORIES:]:
        if whole or table.is_history:
            yield from _of_table(rows, table, selection)


def model(rows: Rows) -> Model | None:
    return vectors.model_of(rows, "current")[1]


def mark_keys(rows: Rows, spaces: Sequence[str]) -> list[str]:
    """The keys of what an export has as hashes, as hex; none where there are no such."""
    if rows.one(KEYED, spaces=list(spaces)) is None:
        return []
    return sorted(bytes(key).hex() for (key,) in rows.all("select key from mark_key"))


def _of_table(rows: Rows, table: Table, selection: Selection) -> Iterator[Line]:
    order, once = (f"t.{table.order}", "") if table.order else (", ".join(table.key), "distinct")
    condition, values = selection.condition
    of_memories = table.where.format(memories=condition)
    sql = f"select {once} {_columns(table)} from {table.name} t where {of_memories} order by {order}"
    offset = 0
    while page := rows.all(f"{sql} limit :limit offset :offset", **values, limit=ROWS_AT_ONCE, offset=offset):
        yield from (_line(table, row) for row in page)
        offset += len(page)


def _memories(rows: Rows, selection: Selection) -> Iterator[Line]:
    of_model = vectors.model_id(rows, "current")
    fields = (*MEMORY_NAMES, "superseded_by")
    for page in _pages(rows, MEMORIES, selection):
        ids = [row[0] for row in page]
        tasks = {id: own for id, *own in rows.all(TASKS, ids=ids)}
        pieces = rows.vectors.of(ids, of_model) if selection.with_vectors and of_model else {}
        for id, *own in page:
            line = {"type": "memory", **_written(MEMORY, zip(fields, own, strict=True))}
            if id in tasks:
                line["task"] = _written(TASK, zip(TASK.fields, tasks[id], strict=True))
            if id in pieces:
                line["vectors"] = [base64.b64encode(piece.tobytes()).decode() for piece in pieces[id]]
            yield line


def _history(rows: Rows, selection: Selection) -> Iterator[Line]:
    """Steps and updates, in the order in which they came; changes are numbered as they come."""
    steps = ((after, 0, _line(STEP, row)) for page in _pages(rows, STEPS, selection) for _, after, *row in page)
    edits = ((after, 1, _line(EDIT, row)) for page in _pages(rows, EDITS, selection) for _, after, *row in page)
    numbers: dict[int, int] = {}
    for _, _, line in merge(steps, _rising(edits), key=lambda found: found[:2]):
        if "change" in line:
            line["change"] = numbers.setdefault(line["change"], len(numbers) + 1)
        if "undoes" in line:  # what a change undid stands before it, unless its memories are in the trash or left out
            line["undoes"] = numbers.get(line["undoes"], NOT_IN_FILE)
        yield line


def _rising(edits: Iterable[tuple[int, int, Line]]) -> Iterator[tuple[int, int, Line]]:
    """Updates in their order, each after the last step that came before it or before one of those before it."""
    last = 0
    for after, is_edit, line in edits:
        last = max(last, after)
        yield last, is_edit, line


def _pages(rows: Rows, sql: str, selection: Selection) -> Iterator[list[Any]]:
    """Rows with their ids, some at a time."""
    condition, values = selection.condition
    after = 0
    while page := rows.all(sql.format(memories=condition), **values, after=after, limit=PAGE):
        yield page
        after = page[-1][0]


def _line(table: Table, row: Sequence[Any]) -> Line:
    return {"type": table.line, **_written(table, zip(table.fields, row, strict=True))}


def _written(table: Table, values: Any) -> Line:
    """Without what is null or empty."""
    fields = table.fields
    written = {}
    for name, value in values:
        if value is None:
            continue
        match fields[name].type:
            case "strings" | "object":
                value = json.loads(value)
                if not value:
                    continue
            case "flag":
                value = bool(value)
            case "bytes":
                value = bytes(value).hex()
        written[name] = value
    return written
