"""Reports of maintenance: checks, evictions, limits and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from scrubjay.types.memories import Memory
from scrubjay.types.models import CacheUse, Spent

__all__ = ["Check", "Evicted", "Limits", "Stats"]


@dataclass(frozen=True, slots=True)
class Evicted:
    """A memory that `cleanup` removed or would remove, and why."""

    memory: Memory
    reason: str


class Limits(NamedTuple):
    """How many memories a space, and how many bytes a file may hold; 0 means no limit."""

    memories: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """What `check` found, and what it repaired."""

    problems: list[str]
    repaired: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)  # nothing is damaged, but something should be fixed


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Statistics of a store, for one space."""

    space: str
    memories: int
    superseded: int
    expired: int
    by_kind: Mapping[str, int]
    spaces: int
    without_vector: int
    quarantined: int  # the part of `without_vector` that the embedder refused
    used: int
    oldest: datetime | None
    newest: datetime | None
    model: str | None
    cache: CacheUse
    generation: Spent
    file: str
    file_bytes: int
    read_only: bool
