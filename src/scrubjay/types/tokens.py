"""Access tokens for the network: for which spaces, and what they allow; and logins to the page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

__all__ = ["Login", "Scope", "Token"]

Scope = Literal["read", "write", "admin", "user"]  # user: what it writes over the API is the user's own


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An access token: for which spaces, to do what, until when."""

    name: str
    spaces: tuple[str, ...]  # empty: every space
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """Somebody who is logged in to the page: by a token, or as whoever runs the program."""

    token: Token | None

    @property
    def is_own(self) -> bool:
        """Whether it is of whoever runs the program."""
        return self.token is None
