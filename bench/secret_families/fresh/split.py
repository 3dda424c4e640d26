"""Which half of the fresh part a name belongs to."""

from __future__ import annotations

from hashlib import sha256

__all__ = ["is_unseen"]

SEED = "fresh 1"


def is_unseen(name: str) -> bool:
    return sha256(f"{SEED} {name}".encode()).digest()[0] % 2 == 1
