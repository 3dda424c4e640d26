"""Access tokens for the network: for which spaces, and what they allow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

__all__ = ["Scope", "Token"]

Scope = Literal["read", "write", "admin"]


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
