"""Logins to the page as rows: a digest, never what the browser holds."""

from __future__ import annotations

from datetime import datetime

from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Engine

__all__ = ["Logins"]

PUT = "insert into logins (digest, token, expires_at) values (:digest, :token, :expires_at)"


class Logins:
    """The logins of a store, each by a token."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, digest: bytes, token: bytes, now: datetime, expires_at: datetime) -> None:
        with self._engine.writing(()) as rows:
            rows.run("delete from logins where expires_at <= :now", now=instant(now))
            rows.run(PUT, digest=digest, token=token, expires_at=instant(expires_at))

    def token_of(self, digest: bytes, now: datetime) -> bytes | None:
        """The digest of the token that a login is by, unless it has expired."""
        sql = "select token from logins where digest = :digest and expires_at > :now"
        with self._engine.reading(()) as rows:
            row = rows.one(sql, digest=digest, now=instant(now))
        return None if row is None else bytes(row[0])

    def drop(self, digest: bytes) -> None:
        with self._engine.writing(()) as rows:
            rows.run("delete from logins where digest = :digest", digest=digest)
