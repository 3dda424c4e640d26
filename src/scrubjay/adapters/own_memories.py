"""What a program has stored itself. A folder that is synced may have the program's name, and is none of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from scrubjay.api import Scrubjay
from scrubjay.memory.filters import Filters
from scrubjay.types import Memory

__all__ = ["list_own"]


def list_own(
    jay: Scrubjay, source: str, limit: int | None = None, is_whole: Callable[[Memory], bool] | None = None,
    **filters: Unpack[Filters],
) -> list[Memory]:  # fmt: skip
    """The newest first; without those of which `is_whole` says that the program cannot have stored them."""
    filters["sources"] = [source]
    found = jay.list(limit=limit, **filters)
    own = [memory for memory in found if memory.source == source and (is_whole is None or is_whole(memory))]
    if limit is None or len(own) == len(found):
        return own
    return list_own(jay, source, is_whole=is_whole, **filters)[:limit]
