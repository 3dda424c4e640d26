"""Queries: filters, questions, and the fields of a memory that ranking reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from scrubjay.types.memories import Trust

__all__ = ["WEIGHTS", "Filter", "Fusion", "Mode", "Query", "RankingFields"]

Mode = Literal["hybrid", "keyword", "vector"]
Fusion = Literal["sum", "rrf"]
# The default weight of each way of searching.
WEIGHTS = {"keyword": 0.55, "vector": 0.45, "substring": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories may be in an answer. Every condition that is set must hold."""

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
    sources: tuple[str, ...] = ()  # "file" also means every "file:…", "notes" every document "notes/…"
    min_importance: int | None = None
    min_confidence: float | None = None
    include_superseded: bool = False
    only_superseded: bool = False
    replaced_turns: bool = False  # include replaced turns: they were said, even if no longer true
    without_narration: bool = False  # leave out what an agent said while it worked, such as "Let me run the tests"
    as_of: datetime | None = None  # search what was true then instead of what is true now


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
    likely: bool = False  # only what is likely to answer
    expand: int = 0  # also what is linked to the results, up to so many links away
    project: str | None = None  # the current project: its memories rank higher
    half_lives: Mapping[str, float] = field(default_factory=dict)  # in days, by kind
    source_share: float = 1.0  # largest share of the results for turns and passages, if memories answer, too


class RankingFields(NamedTuple):
    """What of a memory affects its rank; `stems` and `pieces` tell how well it matches."""

    kind: str
    project: str | None
    speaker: str | None
    happened_at: datetime
    confirmed_count: int
    trust: Trust
    helpful_count: int
    unhelpful_count: int
    stems: bytes  # the number of each stem of its words
    pieces: int  # vectors of its text
