"""The tables of a file, and rows in them that refer to nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw

__all__ = ["drop_loose", "own_tables"]

# Tables of our own. The index of words is made from them, and the log of changes can begin anew at any time.
OWN_TABLES = """
    select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'words%'
    and name not in ('changes', 'vocabulary')
"""
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
