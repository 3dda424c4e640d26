"""How good a ranking is: arithmetic on ids and grades, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import fmean

__all__ = ["CUT", "Quality", "judge", "mean"]

CUT = 10


@dataclass(frozen=True, slots=True)
class Quality:
    """Of the first ten: the share of what is relevant, its place weighed, and the place of the first."""

    recall: float
    ndcg: float
    mrr: float


def judge(ranking: Sequence[str], relevant: Mapping[str, int]) -> Quality:
    first = ranking[:CUT]
    found = [place for place, id in enumerate(first, start=1) if id in relevant]
    ideal = _gain(sorted(relevant.values(), reverse=True)[:CUT])
    gain = _gain([relevant.get(id, 0) for id in first])
    return Quality(len(found) / len(relevant), gain / ideal, 1 / found[0] if found else 0.0)


def mean(qualities: Iterable[Quality]) -> Quality:
    every = list(qualities)
    return Quality(
        fmean(quality.recall for quality in every),
        fmean(quality.ndcg for quality in every),
        fmean(quality.mrr for quality in every),
    )


def _gain(grades: Sequence[int]) -> float:
    """What the grades are worth in this order; the linear gain of trec_eval."""
    return sum(grade / log2(place + 1) for place, grade in enumerate(grades, start=1))
