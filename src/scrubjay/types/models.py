"""Data types about language models: batch jobs, refused texts, and costs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

__all__ = ["CacheUse", "Filled", "Job", "Provider", "Quarantined", "Spent"]


@dataclass(frozen=True, slots=True)
class Filled:
    """The outcome of a backfill or a reindex."""

    embedded: int
    failed: tuple[int, ...]  # ids of memories whose text the embedder refused this time
    remaining: int  # memories still without a vector, quarantined ones not counted
    texts: int = 0  # distinct texts that were embedded; the vectors of the others were known
    quarantined: int = 0  # memories refused so far; tried again only with `retry`
    jobs: int = 0  # batch jobs that the provider has not finished


@dataclass(frozen=True, slots=True)
class Job:
    """A batch job that was submitted to a provider."""

    id: str
    at: datetime
    failed: str | None = None  # the reason, if it failed


@dataclass(frozen=True, slots=True)
class Provider:
    """An embedder or a generator, and whether it answered when it was asked."""

    role: str  # embedder or generator
    name: str | None  # as in the settings; None: none is named
    model: str | None = None  # as it calls itself
    dimensions: int | None = None  # of its vectors
    state: str = "answers"  # or fails, or not set
    ms: int | None = None  # how long the answer took
    problem: str = ""  # why it fails


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A memory whose text the embedder refuses, why, and how often it did."""

    memory: int
    reason: str
    times: int
    at: datetime


@dataclass(frozen=True, slots=True)
class CacheUse:
    """How often a text's vectors were known already, and the size of cached vectors that no memory uses."""

    hits: int = 0
    misses: int = 0
    kept: int = 0
    kept_bytes: int = 0

    @property
    def rate(self) -> float:
        return self.hits / (self.hits + self.misses) if self.hits else 0.0


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens that generators read and wrote in a month, and the budget."""

    month: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    budget: int = 0  # 0: no limit

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out
