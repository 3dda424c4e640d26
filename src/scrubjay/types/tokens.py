"""Who may come in over the network, and what that opens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

__all__ = ["Scope", "Token"]

Scope = Literal["read", "write", "admin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """Who may come in over the network: to which spaces, to do what, until when."""

    name: str
    spaces: tuple[str, ...]  # none: every space
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
