"""The shape of each table's rows: whether a row may be of a table, and a memory of which a part is lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import apsw

from scrubjay.errors import Damaged
from scrubjay.stores.columns import AT_FIRST, instant
from scrubjay.stores.sqlite.repair.consistency import LOGS, own_tables
from scrubjay.stores.sqlite.repair.values import FITS, READ, RIGHT, TIMES
from scrubjay.types.limits import LARGEST_INTEGER

__all__ = ["INCOMPLETE", "Table", "completed", "table_of", "unreadable_logs", "unreadable_rows"]

NO_TIME = datetime.min.replace(tzinfo=UTC)
TYPES: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "TEXT": (str,), "REAL": (int, float), "BLOB": (bytes,)}
ANY_TYPE = (int, float, str, bytes)
# What stands in for the fields of a memory of which the end is lost, but not the text.
INCOMPLETE = "salvaged"
STAND_INS = {
    "tags": "[]", **AT_FIRST, "metadata": "{}", "source": INCOMPLETE, "trust": "external", "confidence": 0.5,
    "importance": 5, "confirmed_count": 0, "used_count": 0,
}  # fmt: skip
VECTORS = {"pieces", "cached"}  # are looked at by themselves


class Table(NamedTuple):
    """A table of the schema: its columns in the order in which a row holds them, and what each may be."""

    name: str
    columns: list[str]
    types: list[tuple[type, ...]]
    id_column: str | None
    has_rowid: bool

    def fits(self, values: tuple[Any, ...]) -> bool:
        """Whether a row may be of this table. Columns that a later version added may be missing."""
        missing = self.types[len(values) :]
        return (
            len(values) <= len(self.columns)
            and all(isinstance(value, types) for value, types in zip(values, self.types, strict=False))
            and not any(isinstance(value, int) and abs(value) > LARGEST_INTEGER for value in values)
            and all(type(None) in types for types in missing)
            and self._can_be_read(dict(zip(self.columns, values, strict=False)))
        )

    def _can_be_read(self, row: dict[str, Any]) -> bool:
        try:
            for column, read in READ.get(self.name, {}).items():
                read(row[column])
            return self.name not in FITS or FITS[self.name](row)
        except (Damaged, LookupError, TypeError):
            return False


def table_of(db: apsw.Connection, name: str) -> Table:
    columns: list[Any] = db.execute(
        f"select name, type, \"notnull\", dflt_value, pk from pragma_table_info('{name}')"
    ).fetchall()
    (without_rowid,) = db.execute("select wr from pragma_table_list where name = ?", (name,)).fetchone() or (0,)
    keys = [column for column in columns if column[4]]
    id_column = keys[0][0] if not without_rowid and len(keys) == 1 and keys[0][1] == "INTEGER" else None
    if without_rowid:
        columns = sorted(keys, key=lambda column: column[4]) + [column for column in columns if not column[4]]
    types = [
        (type(None),)
        if column == id_column
        else TYPES.get(kind, ANY_TYPE) + (() if required and default is None else (type(None),))
        for column, kind, required, default, _ in columns
    ]
    return Table(name, [column[0] for column in columns], types, id_column, not without_rowid)


def completed(table: Table, values: tuple[Any, ...], at: datetime) -> tuple[Any, ...]:
    """A memory whose text can be read is kept, also where what came after it is lost or overwritten."""
    if table.name != "memories" or len(values) <= table.columns.index("text"):
        return values
    row = dict(zip(table.columns, values, strict=False))
    wrong = [name for name, is_right in RIGHT.items() if not is_right(row.get(name))]
    wrong += [name for name, types in zip(row, table.types, strict=False) if not isinstance(row[name], types)]
    if not wrong:
        return values
    stand_ins = STAND_INS | dict.fromkeys(TIMES, instant(at))
    row |= {name: stand_ins.get(name) for name in (*wrong, "source")}
    return tuple(row.get(column) for column in table.columns)


def unreadable_rows(db: apsw.Connection) -> list[str]:
    """Rows with values that a memory never writes: another program did, or the disk changed them."""
    tables = [table_of(db, name) for name in own_tables(db) if name not in VECTORS]
    return [f"row {id} of {table.name} cannot be read" for table in tables for id in _unreadable(db, table)]


def unreadable_logs(db: apsw.Connection) -> list[str]:
    """The logs in which such a row stands."""
    return [name for name in LOGS if _is_unreadable(db, table_of(db, name))]


def _is_unreadable(db: apsw.Connection, table: Table) -> bool:
    try:
        return next(_unreadable(db, table), None) is not None
    except UnicodeDecodeError:
        return True


def _unreadable(db: apsw.Connection, table: Table) -> Iterator[Any]:
    columns = ", ".join("null" if name == table.id_column else name for name in table.columns)
    names = "rowid" if table.has_rowid else table.columns[0]
    for id, *values in db.execute(f"select {names}, {columns} from {table.name}"):
        row = tuple(values)
        if not table.fits(row) or completed(table, row, NO_TIME) is not row:
            yield id
