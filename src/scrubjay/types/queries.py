"""What is asked of a memory: filters, questions, and the fields of a memory that ranking reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

__all__ = ["WEIGHTS", "Filter", "Fusion", "Mode", "Query", "RankingFields"]

Mode = Literal["hybrid", "keyword", "vector"]
Fusion = Literal["sum", "rrf"]
# How much each way of searching counts, unless a caller or a setting says otherwise.
WEIGHTS = {"keyword": 0.72, "vector": 0.28, "substring": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories may be in an answer. Everything given must hold."""

    spaces: tuple[str, ...]
    now: datetime
    kinds: tuple[str, ...] = ()
    subject: str | None = None
    project: str | None = None
    session: str | None = None
    speaker: str | None = None
    tags: tuple[str, ...] = ()  # any of them
    metadata: tuple[tuple[str, str, Any], ...] = ()  # key, operator, value
    since: datetime | None = None
    until: datetime | None = None
    sources: tuple[str, ...] = ()  # "file" also means every "file:…"
    min_importance: int | None = None
    min_confidence: float | None = None
    include_superseded: bool = False
    replaced_turns: bool = False  # also turns that were replaced: they were said all the same
    as_of: datetime | None = None  # what was true then, instead of what is


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question and how to answer it."""

    text: str
    filter: Filter
    limit: int = 10
    mode: Mode = "hybrid"
    fusion: Fusion = "sum"
    weights: Mapping[str, float] = field(default_factory=dict)
    min_score: float = 0.0
    project: str | None = None  # the one being worked on: its memories are lifted
    half_lives: Mapping[str, float] = field(default_factory=dict)  # in days, by kind
    source_share: float = 1.0  # of the results, for what is cut from sources while memories answer, too


class RankingFields(NamedTuple):
    """The fields of a memory that bear on its rank, besides how well it matches."""

    kind: str
    project: str | None
    speaker: str | None
    happened_at: datetime
    confirmed_count: int
    used_count: int
