"""The store's statements as PostgreSQL takes them: values with types, lists as arrays, keys with their space."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

__all__ = ["bound", "translated"]

STATEMENTS = 2_000
VALUE = re.compile(r"(?<![:\w]):(\w+)")
LIST = re.compile(r"\b(not )?in \(:(\w+)\)")
EACH = re.compile(r"\beach\(:(\w+)\)")
OFFSET = re.compile(r"(?<![:\"\w])offset(?=\s*[,=)])")  # a column, which is a word of SQL
CONFLICT = re.compile(r"\binsert into (\w+) (.*)\bon conflict \((?!space\b)([^)]*)\)", re.DOTALL)
# Their keys do not begin with a space.
OF_NO_SPACE = {"models", "cached_models", "cached", "spending", "jobs", "requests", "tokens", "copies"}
TYPES = ((int, "bigint"), (float, "double precision"), (str, "text"), (bytes, "bytea"))
NOTHING, EMPTY = "null", "'{}'"  # of any type
Shape = tuple[tuple[str, str], ...]


def translated(sql: str, values: Mapping[str, Any]) -> str:
    """The statement as psycopg takes it; the same values with other types may make another one of it."""
    return _translated(sql, tuple((name, _type(value)) for name, value in values.items()))


def bound(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _bound(value) for name, value in values.items()}


@lru_cache(STATEMENTS)
def _translated(sql: str, shape: Shape) -> str:
    types = dict(shape)
    sql = sql.replace("%", "%%").replace("cross join", "join")
    sql = CONFLICT.sub(_with_space, OFFSET.sub('"offset"', sql))
    sql = EACH.sub(lambda found: "each(array[]::bigint[])" if types[found[1]] == EMPTY else found[0], sql)
    return VALUE.sub(lambda found: _placeholder(found[1], types), LIST.sub(_compared, sql))


def _compared(found: re.Match[str]) -> str:
    return f"<> all (:{found[2]})" if found[1] else f"= any (:{found[2]})"


def _with_space(found: re.Match[str]) -> str:
    """A row is known by its space, and by what tells it apart in there."""
    table, between, key = found.groups()
    key = key if table in OF_NO_SPACE else f"space, {key}"
    return f"insert into {table} {between}on conflict ({key})"


def _placeholder(name: str, types: Mapping[str, str]) -> str:
    """PostgreSQL must know the type of each value before it sees the value."""
    known = types[name]
    return known if known in (NOTHING, EMPTY) else f"%({name})s::{known}"


def _type(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, list | tuple | set):
        return f"{_type(next(iter(value)))}[]" if value else EMPTY
    return next(name for kind, name in TYPES if isinstance(value, kind))


def _bound(value: Any) -> Any:
    if isinstance(value, list | tuple | set):
        return list(value)
    return int(value) if isinstance(value, bool) else value
