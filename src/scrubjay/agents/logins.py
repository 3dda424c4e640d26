"""Logins to the page: by a token, kept in the store; or by a link of whoever runs the program, kept by its process."""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta
from threading import Lock

from scrubjay.agents.tokens import digest, is_token, standing
from scrubjay.memory.view import View
from scrubjay.types.tokens import Login

__all__ = ["LOGIN_DAYS", "Logins", "OwnLogins"]

RANDOM_BYTES = 32
SECRET = re.compile(r"[\w-]{43}", re.ASCII)
LOGIN_DAYS = 7
OWN_TIME = timedelta(hours=12)
LINK_TIME = timedelta(minutes=10)


class Logins:
    """Who is logged in to the page of one file by a token."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._stored = view.store.logins

    def by_token(self, secret: str) -> str | None:
        """The secret of a new login, or None if the token is unknown, revoked or expired."""
        if not is_token(secret) or standing(self._view, digest(secret)) is None:
            return None
        made, now = _new_secret(), self._view.clock()
        self._stored.put(digest(made), digest(secret), now, now + timedelta(days=LOGIN_DAYS))
        return made

    def find(self, secret: str) -> Login | None:
        """The login of that secret, unless it or its token has ended."""
        kept = self._stored.token_of(digest(secret), self._view.clock()) if SECRET.fullmatch(secret) else None
        token = standing(self._view, kept) if kept is not None else None
        return None if token is None else Login(token)

    def end(self, secret: str) -> None:
        self._stored.drop(digest(secret))


class OwnLogins:
    """Logins of whoever runs the program. They are in no file: they end with the process, however that ends."""

    def __init__(self, view: View) -> None:
        self._clock = view.clock
        self._lock = Lock()
        self._links: dict[bytes, datetime] = {}  # digest: until when
        self._logins: dict[bytes, datetime] = {}

    def link(self) -> str:
        """A code for a link; the first who opens it, within minutes, is logged in as whoever runs the program."""
        return self._put(self._links, LINK_TIME)

    def by_link(self, code: str) -> str | None:
        """The secret of a new login, or None if the code is unknown, used or too old."""
        with self._lock:
            until = self._links.pop(digest(code), None)
        return None if until is None or until <= self._clock() else self._put(self._logins, OWN_TIME)

    def find(self, secret: str) -> Login | None:
        with self._lock:
            until = self._logins.get(digest(secret))
        return None if until is None or until <= self._clock() else Login(None)

    def end(self, secret: str) -> None:
        with self._lock:
            self._logins.pop(digest(secret), None)

    def _put(self, kept: dict[bytes, datetime], lasts: timedelta) -> str:
        secret = _new_secret()
        with self._lock:
            kept[digest(secret)] = self._clock() + lasts
        return secret


def _new_secret() -> str:
    return secrets.token_urlsafe(RANDOM_BYTES)
