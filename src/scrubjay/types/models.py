"""Nouns about language models: what vectors were made with, jobs, what a model refused, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

__all__ = ["CacheUse", "Filled", "Job", "Model", "Quarantined", "Spent"]


class Model(NamedTuple):
    """What a file's vectors were made with; vectors of two models are never compared."""

    spec: str  # the name that opens the embedder again, with its address where that is not the usual one
    name: str
    dimensions: int
    recipe: str  # what was put into the embedded string


@dataclass(frozen=True, slots=True)
class Filled:
    """What a backfill or a reindex did."""

    embedded: int
    failed: tuple[int, ...]  # ids whose text the embedder refused this time
    remaining: int  # still without a vector, apart from what is quarantined
    texts: int = 0  # distinct ones that were embedded for it; the others had been before
    quarantined: int = 0  # refused so far, and not tried again until `retry`
    jobs: int = 0  # that the provider still works on


class Job(NamedTuple):
    """A batch job that was handed in to a provider."""

    id: str
    at: datetime
    failed: str | None = None  # why, if it did


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A memory whose text the embedder refuses, why, and how often it did."""

    memory: int
    reason: str
    times: int
    at: datetime


@dataclass(frozen=True, slots=True)
class CacheUse:
    """How often a text had been embedded before, and what is kept of texts that are no longer in use."""

    hits: int = 0
    misses: int = 0
    kept: int = 0
    kept_bytes: int = 0

    @property
    def rate(self) -> float:
        return self.hits / (self.hits + self.misses) if self.hits else 0.0


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens that generators read and wrote in a month, and how many they may."""

    month: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    budget: int = 0  # 0: no limit

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out
