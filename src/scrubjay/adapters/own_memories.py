"""What a program has stored itself. A folder that is synced may have the program's name, and is none of its own."""

from __future__ import annotations

from typing import Unpack

from scrubjay.api import Scrubjay
from scrubjay.memory.filters import Filters
from scrubjay.types import Memory

__all__ = ["list_own"]


def list_own(jay: Scrubjay, source: str, limit: int | None = None, **filters: Unpack[Filters]) -> list[Memory]:
    """The newest first."""
    filters["sources"] = [source]
    found = jay.list(limit=limit, **filters)
    own = [memory for memory in found if memory.source == source]
    if limit is None or len(own) == len(found):
        return own
    return list_own(jay, source, **filters)[:limit]
