"""Brings a database to the newest schema: an .sql file for each step, each applied once, in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import psycopg
from psycopg import errors, sql

from scrubjay.errors import NewerStore, StoreError
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.tombstones import key_document_hashes
from scrubjay.stores.evidence.word_counts import make_stems_anew
from scrubjay.stores.postgres.connections import Connections
from scrubjay.stores.postgres.pool import SCHEMA
from scrubjay.stores.postgres.rows import PostgresRows

__all__ = ["migrate", "scripts"]

# What runs after a script.
DATA: dict[int, Callable[[Rows], None]] = {
    7: make_stems_anew,
    8: partial(make_stems_anew, only_long=True),
    9: key_document_hashes,
}
LOCK = 0x4A4159  # "JAY": of those who look for the schema, or make it
KNOWN = "select 1 from pg_class where oid = to_regclass(%s)"
ROLES = (
    "The user of this address may not make the roles scrubjay_space and scrubjay_store; let an administrator run"
    " `create role scrubjay_space nologin; create role scrubjay_store nologin; grant scrubjay_space, scrubjay_store to"
    " {user};`, then open it again."
)
NO_VECTOR = (
    "This database has no pgvector ({problem}); install it on the server, and let an administrator run"
    " `create extension vector;` in the database."
)


@cache
def scripts() -> tuple[str, ...]:
    """What each step runs, the first first."""
    return tuple(path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "schema").glob("*.sql")))


def migrate(connections: Connections) -> None:
    """Bring the database to this version's schema. A second process doing the same waits."""
    with connections.alone() as db:
        if _version(db, connections.url) == len(scripts()) or connections.read_only:
            return
        db.execute("select pg_advisory_lock(%s)", [LOCK])
        with db.transaction():
            _make_schema(db)
            for number in range(_version(db, connections.url) + 1, len(scripts()) + 1):
                _run(db, scripts()[number - 1])
                if number in DATA:
                    DATA[number](PostgresRows(db, None))
                db.execute("update schema_version set version = %s", [number])


def _make_schema(db: psycopg.Connection[Any]) -> None:
    try:
        db.execute("create extension if not exists vector")
    except (errors.FeatureNotSupported, errors.UndefinedFile, errors.InsufficientPrivilege) as problem:
        raise StoreError(NO_VECTOR.format(problem=str(problem).splitlines()[0])) from None
    db.execute(sql.SQL("create schema if not exists {}").format(sql.Identifier(SCHEMA)))
    db.execute("create table if not exists schema_version (version bigint not null)")
    db.execute("insert into schema_version select 0 where not exists (select 1 from schema_version)")


def _run(db: psycopg.Connection[Any], script: str) -> None:
    try:
        db.execute(script)
    except errors.InsufficientPrivilege as problem:
        if "role" not in str(problem):
            raise
        raise StoreError(ROLES.format(user=db.info.user)) from None


def _version(db: psycopg.Connection[Any], url: str) -> int:
    if not db.execute(KNOWN, [f"{SCHEMA}.schema_version"]).fetchone():
        return 0
    row = db.execute("select version from schema_version").fetchone()
    version = int(row[0]) if row else 0
    if version > len(scripts()):
        raise NewerStore(f"{url} was written by a newer Scrubjay; upgrade with `pip install -U scrubjay`.")
    return version
