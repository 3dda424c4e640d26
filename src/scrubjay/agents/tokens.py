"""Tokens: who has access over the network, to which spaces, and for what. Only digests of their secrets are stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import get_args

from scrubjay.dates.arguments import deadline
from scrubjay.dates.timestamps import Moment
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import several, space_name
from scrubjay.memory.guard import name_without_secret
from scrubjay.memory.view import View
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types.tokens import Scope, Token

__all__ = ["SCOPES", "Tokens", "beginning", "digest", "is_token", "standing"]

PREFIX = "scrubjay_"
RANDOM_BYTES = 32
SECRET = re.compile(rf"{PREFIX}[\w-]{{43}}", re.ASCII)
BEGINNING_CHARACTERS = len(PREFIX) + 4
NAME = re.compile(r"\w[\w.@+-]{0,63}")
SCOPES: tuple[Scope, ...] = get_args(Scope)
READ_WRITE: tuple[Scope, ...] = ("read", "write")
USE_NOTED_EVERY = timedelta(minutes=1)


class Tokens:
    """The tokens of one file. One that is made without naming a space is for the space it is made in."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._stored = view.store.tokens

    def create(
        self, name: str, *, spaces: Sequence[str] = (), all_spaces: bool = False, scopes: Sequence[str] = READ_WRITE,
        expires_at: Moment | None = None,
    ) -> tuple[Token, str]:  # fmt: skip
        """A token for these spaces, or for all, and its secret, which is never shown again."""
        if spaces and all_spaces:
            raise Invalid("A token is for all spaces or for those that are named, not both.")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise Invalid(f"{quoted(name)} is no name for a token; use up to 64 letters, digits and . _ - @ +.")
        name_without_secret("A token's name", name)
        now = self._view.clock()
        expiry = None if expires_at is None else deadline(expires_at, "expires_at", now)
        if expiry is not None and expiry <= now:
            raise Invalid(f"expires_at lies in the past ({expiry:%Y-%m-%d %H:%M} UTC); give a later time.")
        named = () if all_spaces else tuple(map(space_name, dict.fromkeys(spaces or [self._view.space])))
        token = Token(name=name, spaces=named, scopes=_scopes(scopes), created_at=now, expires_at=expiry)
        secret = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
        self._stored.put(token, digest(secret))
        return token, secret

    def list(self) -> list[Token]:
        """The newest first, revoked ones too."""
        return self._stored.all()

    def revoke(self, name: str) -> Token:
        """End the access of a token, for good."""
        return self._stored.revoke(name, self._view.clock())

    def verify(self, secret: str) -> Token | None:
        """The token with this secret, unless it was revoked or has expired."""
        return standing(self._view, digest(secret))


def standing(view: View, own: bytes) -> Token | None:
    """The token whose secret has this digest, unless it was revoked or has expired."""
    found = view.store.tokens.get(own)
    # The database has compared the digests already, but in a time that depends on them.
    if found is None or not hmac.compare_digest(found[1], own):
        return None
    token, now = found[0], view.clock()
    if token.revoked_at is not None or (token.expires_at is not None and token.expires_at <= now):
        return None
    if token.last_used_at is None or now - token.last_used_at >= USE_NOTED_EVERY:
        view.store.tokens.note(token.name, now)
    return token


def is_token(text: str) -> bool:
    """Whether a text has the form of a token's secret; nothing else need be looked up."""
    return SECRET.fullmatch(text) is not None


def beginning(secret: str) -> str:
    """The first characters of a secret, too few to be of use; empty for any other text."""
    return secret[:BEGINNING_CHARACTERS] if is_token(secret) else ""


def digest(secret: str) -> bytes:
    """What is stored of a secret. It is random and long, so a fast digest is as good as a slow one."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


def _scopes(asked: Sequence[str]) -> tuple[Scope, ...]:
    given = several("scopes", asked)
    if unknown := [scope for scope in given if scope not in SCOPES]:
        raise Invalid(f"There is no scope {quoted(unknown[0])}; there are {', '.join(SCOPES)}.")
    if not given:
        raise Invalid("A token needs at least one scope, e.g. read.")
    return tuple(scope for scope in SCOPES if scope in given)
