"""Tokens as rows: a digest, never a secret."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from scrubjay.errors import Invalid, NotFound, StoreError
from scrubjay.stores.columns import instant, instant_or_none, moment, strings_from
from scrubjay.stores.contract import Engine, Rows
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types.tokens import Token

if TYPE_CHECKING:
    from scrubjay.types.tokens import Scope

__all__ = ["KeptTokens"]

COLUMNS = "name, spaces, scopes, created_at, expires_at, last_used_at, revoked_at"
NOTE = "update tokens set last_used_at = :at where name = :name and revoked_at is null"
REVOKE = "update tokens set revoked_at = :at where name = :name and revoked_at is null"


class KeptTokens:
    """The tokens of a store, each by the digest of its secret."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, token: Token, digest: bytes) -> None:
        with self._engine.writing(()) as rows:
            if _stands(rows, token.name):
                raise Invalid(f"There is a token {token.name!r} already; revoke it first, or choose another name.")
            row = {"digest": digest, "name": token.name}
            row |= {"spaces": json.dumps(token.spaces), "scopes": json.dumps(token.scopes)}
            times = {"created_at": instant(token.created_at), "expires_at": instant_or_none(token.expires_at)}
            rows.insert("tokens", row | times)

    def revoke(self, name: str, at: datetime) -> Token:
        with self._engine.writing(()) as rows:
            if not _stands(rows, name):
                raise NotFound(f"There is no token {quoted(name)} that could be revoked.")
            rows.run(REVOKE, at=instant(at), name=name)
            return _token(rows.one(f"select {COLUMNS} from tokens where name = :name order by id desc", name=name))

    def note(self, name: str, at: datetime) -> None:
        """Remember that it was used, if nobody has to wait for that."""
        with suppress(StoreError), self._engine.writing((), wait=False) as rows:
            rows.run(NOTE, at=instant(at), name=name)

    def get(self, digest: bytes) -> tuple[Token, bytes] | None:
        """The token of that digest, and the digest as it is stored."""
        with self._engine.reading(()) as rows:
            row = rows.one(f"select {COLUMNS}, digest from tokens where digest = :digest", digest=digest)
        return None if row is None else (_token(row[:-1]), bytes(row[-1]))

    def all(self) -> list[Token]:
        with self._engine.reading(()) as rows:
            return [_token(row) for row in rows.all(f"select {COLUMNS} from tokens order by id desc")]


def _stands(rows: Rows, name: str) -> bool:
    return rows.one("select 1 from tokens where name = :name and revoked_at is null", name=name) is not None


def _token(row: Any) -> Token:
    name, spaces, scopes, *times = row
    created, expires, used, revoked = (time and moment(time) for time in times)
    return Token(
        name=name, spaces=strings_from(spaces), scopes=cast("tuple[Scope, ...]", strings_from(scopes)),
        created_at=created, expires_at=expires, last_used_at=used, revoked_at=revoked,
    )  # fmt: skip
