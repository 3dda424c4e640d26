"""The tables of a file, and rows in them that refer to nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw

from scrubjay.stores.sqlite.adoption import FIRST_CHANGE
from scrubjay.stores.sqlite.caches.word_cache import FIRST_EVENT

__all__ = ["CONTENTS", "LOGS", "drop_loose", "own_tables"]

# Logs can begin anew at any time, some of them with a row by which those who follow them notice it.
LOGS = {"changes": FIRST_CHANGE, "events": FIRST_EVENT, "attempts": ""}
# Tables of our own. The index of words is made from them.
OWN_TABLES = f"""
    select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'words%'
    and name not in {(*LOGS, "vocabulary")}
"""
# What a repair calls the rows of a table that it could not read. A memory is named by its id, if that is listed.
CONTENTS = {
    "memories": "memories that no index lists any more",
    "trash": "deleted memories", "secrets": "texts that were kept with their secrets", "steps": "what replaced what",
    "edits": "updates that could be reverted", "tasks": "where tasks stand", "sessions": "sessions",
    "conflicts": "conflicts", "sources": "sources", "documents": "documents", "tokens": "tokens",
    "records": "versions of records",
    "tombstones": "what was deleted from files", "mark_key": "what was deleted from files",
    "models": "vectors (`scrubjay backfill` makes them)",
}  # fmt: skip
FOREIGN_KEYS = 'select "table", "from", "to", on_delete from pragma_foreign_key_list(?)'


def drop_loose(db: apsw.Connection, tables: Iterable[str]) -> None:
    """Drop rows that refer to a row that does not exist; where the schema allows it, only the reference."""
    for table in tables:
        keys: list[Any] = db.execute(FOREIGN_KEYS, (table,)).fetchall()
        for parent, column, key, action in keys:
            loose = f"where {column} not in (select {key} from {parent})"
            change = f"update {table} set {column} = null" if action == "SET NULL" else f"delete from {table}"
            db.execute(f"{change} {loose}")


def own_tables(db: apsw.Connection) -> list[str]:
    rows: list[Any] = db.execute(OWN_TABLES).fetchall()
    return [name for (name,) in rows]
