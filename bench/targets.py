"""What Scrubjay has to show: each claim with its bound, and what this run measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.report import Row, Table

__all__ = ["targets"]


@dataclass(frozen=True, slots=True)
class Target:
    """A figure that must reach its bound, or stay below it."""

    claim: str
    measured: float | None
    at_least: float | None = None
    at_most: float | None = None

    def row(self) -> Row:
        bound = f"≥ {self.at_least:g}" if self.at_least is not None else f"≤ {self.at_most:g}"
        return {"target": self.claim, "bound": bound, "measured": self.measured, "verdict": self._verdict()}

    def _verdict(self) -> str:
        if self.measured is None:
            return "not measured"
        missed = (self.at_least is not None and self.measured < self.at_least) or (
            self.at_most is not None and self.measured > self.at_most
        )
        return "missed" if missed else "ok"


def targets(tables: Mapping[str, Table]) -> list[Row]:
    """By the largest file of the run."""
    search, recall = tables["search"].rows, tables["recall"].rows
    adds, commands = tables["adds"].rows, tables["commands"].rows
    claims = [
        Target("hybrid search, times as fast as vec0 + FTS5", _ratio(search, "hybrid", "whole space"), at_least=20),
        Target("hybrid search in a small space", _ratio(search, "hybrid", "small space"), at_least=20),
        Target("vector search, times as fast as vec0", _ratio(search, "vector", "whole space"), at_least=100),
        Target("vector search in a small space", _ratio(search, "vector", "small space"), at_least=100),
        Target("recall@10, the worst situation", min((row["Scrubjay"] for row in recall), default=None), at_least=0.99),
        Target("cold `scrubjay search` / importing its libraries", _first(commands, "ratio"), at_most=2),
        Target("bulk add / its embeddings", _first(adds, "Scrubjay / embedding"), at_most=1.15),
        Target("one warm add / its embedding", _first(adds[1:], "Scrubjay / embedding"), at_most=3),
    ]
    return [target.row() for target in claims]


def _ratio(rows: list[Row], mode: str, situation: str) -> float | None:
    found = [row for row in rows if row["mode"] == mode and row["situation"] == situation]
    return max(found, key=lambda row: int(row["memories"]))["ratio"] if found else None


def _first(rows: list[Row], column: str) -> float | None:
    return rows[0][column] if rows else None
