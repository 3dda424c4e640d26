"""Reading the SQLite file of another program: read-only, its plain tables only, and nothing that it could run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from scrubjay.errors import Invalid, StoreError
from scrubjay.stores.sqlite.connections import refuse_special_files

__all__ = ["is_sqlite", "read_table", "tables"]

MAGIC = b"SQLite format 3\0"
MOST_BYTES = 50_000_000  # of one value
MOST_PER_BYTE = 4  # values and characters that are read for each byte of the file
# As SQLite has read the schema: the text in `sqlite_schema` may be written so that it looks like another statement.
PLAIN = "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'"
UNREADABLE = "{} cannot be read as a SQLite file ({}); nothing was imported."


def is_sqlite(first: bytes) -> bool:
    return first.startswith(MAGIC)


def tables(path: Path) -> dict[str, list[str]]:
    """The columns of each table."""
    db = _opened(path)
    try:
        names = [name for (name,) in db.execute(PLAIN)]
        return {name: [column[1] for column in db.execute(f'pragma table_info("{_quoted(name)}")')] for name in names}
    except (apsw.Error, UnicodeDecodeError) as problem:
        raise Invalid(UNREADABLE.format(path, type(problem).__name__)) from None
    finally:
        db.close()


def read_table(path: Path, table: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    """The rows of a table, in their order."""
    db = _opened(path)
    names = ", ".join(f'"{_quoted(name)}"' for name in columns)
    left = MOST_PER_BYTE * sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.is_file())
    try:
        for row in db.execute(f'select {names} from "{_quoted(table)}"'):
            left -= len(row) + sum(len(value) for value in row if isinstance(value, str | bytes))
            if left < 0:  # its pages lead to one another again and again, or its rows lack most of the columns
                raise Invalid(UNREADABLE.format(path, "it has more rows than there is room for"))
            yield dict(zip(columns, row, strict=True))
    except (apsw.Error, UnicodeDecodeError) as problem:
        raise Invalid(UNREADABLE.format(path, type(problem).__name__)) from None
    finally:
        db.close()


def _opened(path: Path) -> apsw.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        refuse_special_files(str(path))
        db = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READONLY)
    except (apsw.Error, StoreError) as problem:
        raise Invalid(UNREADABLE.format(path, type(problem).__name__)) from None
    db.pragma("trusted_schema", False)
    db.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    db.limit(apsw.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    return db


def _quoted(name: str) -> str:
    return name.replace('"', '""')
