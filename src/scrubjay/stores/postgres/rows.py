"""Statements of the store, run by PostgreSQL, and the two indexes as one transaction sees them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from scrubjay.stores.postgres.connections import role
from scrubjay.stores.postgres.statements import bound, translated
from scrubjay.stores.postgres.text_index import PostgresTextIndex
from scrubjay.stores.postgres.vector_index import PostgresVectorIndex

__all__ = ["PostgresRows"]

# A statement that changes what is indexed of one memory. Its words are made by our own tokenizer, not by a trigger.
REWORDS = re.compile(
    r"\s*(?:insert into memories\b|update memories set .*\b(?:title|text|context|tags|subject|segmented|spellings) =)",
    re.DOTALL,
)


class PostgresRows:
    """One connection inside a transaction, and the spaces that it sees; None: all of them."""

    def __init__(self, db: psycopg.Connection[Any], spaces: Collection[str] | None, writes: bool = False) -> None:
        self.db = db
        self.writes = writes
        self.inserted = 0  # memories
        self._spaces = spaces
        self.text = PostgresTextIndex(self)
        self.vectors = PostgresVectorIndex(self)

    def all(self, sql: str, /, **values: Any) -> list[Any]:
        return self._execute(sql, values).fetchall()

    def one(self, sql: str, /, **values: Any) -> Any:
        return self._execute(sql, values).fetchone()

    def run(self, sql: str, /, **values: Any) -> int:
        changed = self._execute(sql, values).rowcount
        if REWORDS.match(sql):
            self.text.index(values["id"])
        return changed

    def run_many(self, sql: str, rows: Iterable[Mapping[str, Any]], /) -> None:
        """All rows are sent before the first answer is waited for."""
        given = list(rows)
        for statement, alike in groupby(given, key=lambda row: translated(sql, row)):
            with self.db.cursor() as cursor:
                cursor.executemany(statement, [bound(row) for row in alike])
        for row in given if REWORDS.match(sql) else ():
            self.text.index(row["id"])

    def insert(self, table: str, row: Mapping[str, Any], /) -> int:
        sql = f"insert into {table} ({', '.join(row)}) values (:{', :'.join(row)}) returning id"
        (id,) = self.one(sql, **row)
        if table == "memories":
            self.inserted += 1
            self.text.index(id)
        return int(id)

    @contextmanager
    def seeing(self, spaces: Collection[str] | None) -> Iterator[None]:
        """Let a part of the transaction see the spaces that it is about."""
        before = self._spaces
        part = _seen_by_part(before, spaces)
        if part == before:
            yield
            return
        self._see(part)
        try:
            yield
        finally:
            if self.db.info.transaction_status == TransactionStatus.INTRANS:  # else it is undone as a whole
                self._see(before)

    def _see(self, spaces: Collection[str] | None) -> None:
        self.db.execute(role(spaces))
        self._spaces = spaces

    def _execute(self, sql: str, values: Mapping[str, Any]) -> psycopg.Cursor[Any]:
        return self.db.execute(translated(sql, values), bound(values))


def _seen_by_part(before: Collection[str] | None, spaces: Collection[str] | None) -> Collection[str] | None:
    """What is seen already is enough, or all of it; a part that is about no space sees none."""
    if before is None or spaces is None:
        return None
    if not spaces:
        return ()
    return before if set(before).issuperset(spaces) else None
