"""What the trash keeps of a memory: its row, and the rows of other tables that name it, as JSON."""

from __future__ import annotations

from typing import Any

from scrubjay.errors import Damaged
from scrubjay.stores import records
from scrubjay.stores.agents import sessions, tasks
from scrubjay.stores.columns import ALL_COLUMNS, AT_FIRST, NAMES, REPAIR, from_row, object_from
from scrubjay.stores.connections import links, ratings
from scrubjay.stores.contract import Rows
from scrubjay.stores.revisions import conflicts, edits, steps
from scrubjay.types import Memory, limits

__all__ = ["RELATED", "STAYS", "Row", "insert_row", "is_readable", "kept_from", "kept_memory", "only", "rows_of"]

Row = dict[str, Any]

COLUMNS = {
    "memories": ALL_COLUMNS,
    "steps": steps.COLUMNS,
    "tasks": tasks.COLUMNS,
    "conflicts": conflicts.COLUMNS,
    "told": ("space", "session", "memory", "at"),
    "edits": edits.COLUMNS,
    "secrets": ("memory", "text"),
    "records": records.COLUMNS,
    "sessions": sessions.COLUMNS,
    "links": links.COLUMNS,
    "ratings": ratings.COLUMNS,
}
# What else names a memory, and is put back with it. `uses` are not: nobody misses them.
RELATED = {
    "tasks": "memory = :id",
    "conflicts": "older = :id or newer = :id",
    "told": "memory = :id",
    "edits": "memory = :id",
    "secrets": "memory = :id",
    "records": "memory = :id",
    "sessions": "summary = :id",
    "links": "source = :id or target = :id",
    "ratings": "memory = :id",
}
UNREADABLE = "A memory in the trash cannot be read; {}."
STAYS = "What the trash keeps of this memory is damaged, so it stays there; {}."


def rows_of(rows: Rows, table: str, condition: str, id: int) -> list[Row]:
    """Rows by column name, without bytes: those are made from the rest of a row."""
    names = COLUMNS[table]
    found = rows.all(f"select {', '.join(names)} from {table} where {condition}", id=id)
    pairs = (zip(names, row, strict=True) for row in found)
    return [{name: value for name, value in row if not isinstance(value, bytes)} for row in pairs]


def kept_from(text: str) -> dict[str, list[Row]]:
    kept = object_from(text)
    if not isinstance(kept.get("memories"), list) or not kept["memories"]:
        raise Damaged(UNREADABLE.format(REPAIR))
    return kept


def only(row: Row, *names: str) -> Row:
    return {name: row[name] for name in names}


def insert_row(rows: Rows, table: str, row: Row) -> None:
    """The names come from the file, and are put into a statement: they must be those of columns."""
    if not set(COLUMNS[table]).issuperset(row):
        raise Damaged(STAYS.format(REPAIR))
    rows.run(f"insert into {table} ({', '.join(row)}) values (:{', :'.join(row)})", **row)


def kept_memory(kept: dict[str, list[Row]]) -> Memory:
    try:
        row = AT_FIRST | kept["memories"][0]
        if any(isinstance(value, int) and abs(value) > limits.LARGEST_INTEGER for value in row.values()):
            raise TypeError("a number of it is too large")
        return from_row([row[name] for name in NAMES])
    except (LookupError, TypeError) as problem:
        raise Damaged(UNREADABLE.format(REPAIR)) from problem


def is_readable(text: str) -> bool:
    try:
        kept = kept_from(text)
        kept_memory(kept)
        tables = [(COLUMNS[table], found) for table, found in kept.items()]
        return all(set(names).issuperset(row) for names, found in tables for row in found)
    except (Damaged, LookupError, TypeError):
        return False
