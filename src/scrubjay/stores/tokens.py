"""Tokens as rows: a digest, never a secret."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from typing import Any, cast

import apsw

from scrubjay.errors import Invalid, NotFound, StoreError
from scrubjay.stores.columns import instant, moment, strings_from
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.types.tokens import Scope, Token

__all__ = ["KeptTokens"]

COLUMNS = "name, spaces, scopes, created_at, expires_at, last_used_at, revoked_at"
INSERT = f"insert into tokens (digest, {COLUMNS}) values (?, ?, ?, ?, ?, ?, null, null)"
NOTE = "update tokens set last_used_at = ? where name = ? and revoked_at is null"
REVOKE = "update tokens set revoked_at = ? where name = ? and revoked_at is null"


class KeptTokens:
    """The tokens of a store, each by the digest of its secret."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def put(self, token: Token, digest: bytes) -> None:
        with self._connections.writing() as db:
            if _stands(db, token.name):
                raise Invalid(f"There is a token {token.name!r} already; revoke it first, or choose another name.")
            expiry = None if token.expires_at is None else instant(token.expires_at)
            lists = (json.dumps(token.spaces), json.dumps(token.scopes))
            db.execute(INSERT, (digest, token.name, *lists, instant(token.created_at), expiry))

    def revoke(self, name: str, at: datetime) -> Token:
        with self._connections.writing() as db:
            if not _stands(db, name):
                raise NotFound(f"There is no token {name!r} that could be revoked.")
            db.execute(REVOKE, (instant(at), name))
            row = db.execute(f"select {COLUMNS} from tokens where name = ? order by id desc", (name,)).fetchone()
            return _token(row)

    def note(self, name: str, at: datetime) -> None:
        with suppress(StoreError), self._connections.writing(wait=False) as db:
            db.execute(NOTE, (instant(at), name))

    def get(self, digest: bytes) -> tuple[Token, bytes] | None:
        with self._connections.reading() as db:
            row = db.execute(f"select {COLUMNS}, digest from tokens where digest = ?", (digest,)).fetchone()
        return None if row is None else (_token(row[:-1]), bytes(row[-1]))

    def all(self) -> list[Token]:
        with self._connections.reading() as db:
            return [_token(row) for row in db.execute(f"select {COLUMNS} from tokens order by id desc")]


def _stands(db: apsw.Connection, name: str) -> bool:
    return db.execute("select 1 from tokens where name = ? and revoked_at is null", (name,)).fetchone() is not None


def _token(row: Any) -> Token:
    name, spaces, scopes, *times = row
    created, expires, used, revoked = (time and moment(time) for time in times)
    return Token(
        name=name, spaces=strings_from(spaces), scopes=cast("tuple[Scope, ...]", strings_from(scopes)),
        created_at=created, expires_at=expires, last_used_at=used, revoked_at=revoked,
    )  # fmt: skip
