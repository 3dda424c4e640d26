"""Statements of the store, run by SQLite: lists become JSON, which its `json_each` takes apart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import apsw

from scrubjay.stores.contract import NEWEST
from scrubjay.stores.sqlite.caches.vector_cache import VectorCache
from scrubjay.stores.sqlite.caches.word_cache import WordCache
from scrubjay.stores.sqlite.caches.word_frequencies import WordFrequencies
from scrubjay.stores.sqlite.text_index import SqliteTextIndex
from scrubjay.stores.sqlite.vector_index import SqliteVectorIndex

__all__ = ["SqliteRows"]

LIST = re.compile(r"\bin \(:(\w+)\)")
EACH = re.compile(r"\beach\(")
SETTLED = re.compile(r"\bsettled\(\)")  # writers follow on one another, so that nothing comes late
MEMBER = re.compile(r"\bjson_(?:text|number)\(")
STATEMENTS = 1_000
LISTS = (list, tuple, set)


class SqliteRows:
    """One connection inside a transaction, with the indexes as it sees them."""

    def __init__(
        self, db: apsw.Connection, frequencies: WordFrequencies, words: WordCache, vectors: VectorCache
    ) -> None:
        self.db = db
        self.text = SqliteTextIndex(self, frequencies, words)
        self.vectors = SqliteVectorIndex(self, vectors)

    @classmethod
    def without_caches(cls, db: apsw.Connection) -> SqliteRows:
        """For what reads and writes rows of a file that is not opened yet."""
        return cls(db, WordFrequencies(), WordCache(None), VectorCache(None))

    def stream(self, sql: str, /, **values: Any) -> apsw.Cursor:
        """Rows one after the other, for more of them than should be in memory at once."""
        return self.db.execute(_translated(sql), _bound(values))

    def all(self, sql: str, /, **values: Any) -> list[Any]:
        return self.db.execute(_translated(sql), _bound(values)).fetchall()

    def one(self, sql: str, /, **values: Any) -> Any:
        cursor = self.db.execute(_translated(sql), _bound(values))
        row = cursor.fetchone()
        cursor.close()  # it may have more rows, and would hold on to its snapshot
        return row

    def run(self, sql: str, /, **values: Any) -> int:
        self.db.execute(_translated(sql), _bound(values))
        return self.db.changes()

    def run_many(self, sql: str, rows: Iterable[Mapping[str, Any]], /) -> None:
        self.db.executemany(_translated(sql), [_bound(row) for row in rows])

    def insert(self, table: str, row: Mapping[str, Any], /) -> int:
        self.db.execute(_insertion(table, tuple(row)), tuple(row.values()))
        return self.db.last_insert_rowid()


@lru_cache(STATEMENTS)
def _translated(sql: str) -> str:
    own_words = SETTLED.sub(str(NEWEST), MEMBER.sub("json_extract(", EACH.sub("json_each(", sql)))
    return LIST.sub(r"in (select value from json_each(:\1))", own_words)


@lru_cache(STATEMENTS)
def _insertion(table: str, columns: tuple[str, ...]) -> str:
    return f"insert into {table} ({', '.join(columns)}) values ({', '.join('?' * len(columns))})"


def _bound(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: json.dumps(list(value)) if isinstance(value, LISTS) else value for name, value in values.items()}
