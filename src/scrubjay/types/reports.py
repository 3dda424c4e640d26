"""What upkeep reports: checks, evictions, limits and figures."""

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
    """A memory that `cleanup` removed, or would, and why."""

    memory: Memory
    reason: str


class Limits(NamedTuple):
    """How much a space and a file may hold; 0 is no limit."""

    memories: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """What `check` found, and what it mended."""

    problems: list[str]
    repaired: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)  # nothing is damaged, but something should be mended


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """A store in figures, for one space."""

    space: str
    memories: int
    superseded: int
    expired: int
    by_kind: Mapping[str, int]
    spaces: int
    without_vector: int
    quarantined: int  # of those without a vector: refused by the embedder
    used: int
    oldest: datetime | None
    newest: datetime | None
    model: str | None
    cache: CacheUse
    generation: Spent
    file: str
    file_bytes: int
    read_only: bool
