"""Indexes of vectors: one for each space that is too large to be compared whole, made once and kept by the server.

Each holds halves of one space's vectors alone, so that no other space takes part in a search of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
from psycopg import sql

from scrubjay.errors import StoreError
from scrubjay.stores.contract import Rows

if TYPE_CHECKING:
    from scrubjay.stores.postgres.connections import Connections

__all__ = ["INDEXED_FROM", "Wanted", "build", "indexed", "is_large", "wanted"]

INDEXED_FROM = 10_000  # memories; an estimate, which `python -m bench.postgres` can judge
MOST_DIMENSIONS = 4_000  # of an index of halves
BUILD_BYTES = 512 * 2**20  # more, if the server's own setting is larger
MEMORY = """
    select set_config('maintenance_work_mem',
        greatest(pg_size_bytes(current_setting('maintenance_work_mem')), %s) / 1024 || 'kB', false)
"""
SIZE = "select memories from word_counts where space = :space and stem = ''"
VALID = """
    select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'pieces'::regclass and i.indisvalid and c.relname in (:names)
"""
LARGE = """
    select w.space, m.id, m.dimensions from word_counts w, models m
    where w.stem = '' and w.memories >= :least and m.state = 'current'
"""
OUTDATED = """
    select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'pieces'::regclass and c.relname like 'near\\_%'
    and not exists (select from models m where c.relname like 'near\\_' || m.id || '\\_%')
"""
# With pgvector's own 64, and with 128, some memories of a large space are never reached, however wide the search.
CREATE = """
    create index concurrently {name} on pieces using hnsw ((vector::halfvec({dimensions})) halfvec_ip_ops)
    with (ef_construction = 256) where space = {space} and model = {model}
"""


class Wanted(NamedTuple):
    """An index that should be there."""

    space: str
    model: int
    dimensions: int

    @property
    def name(self) -> str:
        return f"near_{self.model}_{hashlib.blake2b(self.space.encode(), digest_size=12).hexdigest()}"


def is_large(rows: Rows, space: str) -> bool:
    row = rows.one(SIZE, space=space)
    return row is not None and row[0] >= INDEXED_FROM


def indexed(rows: Rows, among: Collection[Wanted]) -> set[Wanted]:
    """Those that are there and whole."""
    valid = {name for (name,) in rows.all(VALID, names=[each.name for each in among])}
    return {each for each in among if each.name in valid}


def wanted(rows: Rows) -> set[Wanted]:
    """The indexes that large spaces lack."""
    large = {Wanted(*row) for row in rows.all(LARGE, least=INDEXED_FROM) if row[2] <= MOST_DIMENSIONS}
    return large - indexed(rows, large)


def build(connections: Connections, missing: Collection[Wanted]) -> None:
    """Make indexes while others read and write. One process does so; for the others, all vectors are compared."""
    try:
        with connections.lock("vector indexes", wait_seconds=0), connections.alone() as db:
            db.execute("set statement_timeout = 0")
            db.execute(MEMORY, [BUILD_BYTES])
            for (name,) in db.execute(OUTDATED).fetchall():
                _drop(db, name)
            for each in missing:
                _drop(db, each.name)  # what a build that was broken off has left
                db.execute(_create(each))
    except (TimeoutError, StoreError):
        return  # another process is at it, or the user does not own the tables: `check` says what is missing


def _create(index: Wanted) -> sql.Composed:
    values: dict[str, Any] = {"space": index.space, "model": index.model, "dimensions": index.dimensions}
    return sql.SQL(CREATE).format(name=sql.Identifier(index.name), **{n: sql.Literal(v) for n, v in values.items()})


def _drop(db: psycopg.Connection[Any], name: str) -> None:
    db.execute(sql.SQL("drop index concurrently if exists {}").format(sql.Identifier(name)))
