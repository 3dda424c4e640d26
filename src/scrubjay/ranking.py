"""Arithmetic on signals, and nothing else: facts in, scores between 0 and 1 out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log

__all__ = ["SUBSTRING_SCORE", "WEIGHTS", "decayed", "lifted", "rank_fusion", "weighted_sum", "word_scores"]

Scores = Mapping[int, float]

# BM25's usual constants: how fast repetition stops counting, and how much a long text is held against it.
SATURATION = 1.2
LENGTH_SHARE = 0.75
WEIGHTS = {"keyword": 0.6, "vector": 0.4, "substring": 1.0}
SUBSTRING_SCORE = 0.1
RRF_K = 60
PROJECT_LIFT = 0.05
LEAST_KEPT = 0.1
KNEE = 0.8
USED = (1e-7, 1e-6)  # of equals, the one that was of use before: no more, or what is found would be found again
CONFIRMED = (0.05, 0.15)  # for each time, and at most


def word_scores(
    frequencies: Sequence[int], memories: int, counted: Mapping[int, tuple[Sequence[int], int]]
) -> dict[int, float]:
    """BM25 as a share of the most that the question's words could give.

    A rare word found counts for more than a common one missed, and a weak match stays weak however poor the
    others are. The logarithm's 1 keeps words that occur in most of a small store from counting nothing.
    """
    weights = [log(1 + (memories - min(found, memories) + 0.5) / (found + 0.5)) for found in frequencies]
    most = sum(weights) * (SATURATION + 1)
    average = sum(length for _, length in counted.values()) / len(counted) if counted else 1.0
    scores = {}
    for id, (occurrences, length) in counted.items():
        drag = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / max(average, 1.0))
        terms = zip(weights, occurrences, strict=True)
        total = sum(weight * count * (SATURATION + 1) / (count + drag) for weight, count in terms if count)
        scores[id] = total / most if most else 0.0
    return scores


def weighted_sum(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[int, dict[str, float]]:
    """What each signal contributes to each memory's score.

    One signal alone may reach 1 on its own scale; where several agree, the sum bends towards 1 and never gets there.
    """
    whole = max((weights[name] for name in signals), default=1.0) or 1.0
    parts: dict[int, dict[str, float]] = {id: {} for scores in signals.values() for id in scores}
    for name, scores in signals.items():
        for id, score in scores.items():
            if score > 0 and weights[name] > 0:
                parts[id][name] = weights[name] / whole * min(score, 1.0)
    return {id: _bent(own) if len(own) > 1 else own for id, own in parts.items()}


def _bent(parts: Mapping[str, float]) -> dict[str, float]:
    """Keep a sum below 1 without making equals of the best."""
    total = sum(parts.values())
    if total <= KNEE:
        return dict(parts)
    bent = KNEE + (1 - KNEE) * (1 - exp((KNEE - total) / (1 - KNEE)))
    return {name: share * bent / total for name, share in parts.items()}


def rank_fusion(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[int, dict[str, float]]:
    """Reciprocal rank fusion: position counts, so that signals need no common scale."""
    whole = sum(weights[name] for name in signals) / (RRF_K + 1) or 1.0
    parts: dict[int, dict[str, float]] = {id: {} for scores in signals.values() for id in scores}
    for name, scores in signals.items():
        found = sorted((id for id in scores if scores[id] > 0), key=lambda id: (-scores[id], -id))
        for rank, id in enumerate(found, start=1):
            parts[id][name] = weights[name] / (RRF_K + rank) / whole
    return parts


def decayed(why: Mapping[str, float], age_days: float, half_life_days: float) -> dict[str, float]:
    """Take from a score what time took from the memory: half for each half-life, down to a tenth."""
    kept = max(0.5 ** (max(age_days, 0.0) / half_life_days), LEAST_KEPT)
    return {**why, "decay": (kept - 1.0) * sum(why.values())}


def lifted(parts: Mapping[str, float], confirmed: int, used: int, same_project: bool) -> dict[str, float]:
    """Add what speaks for a memory besides the match itself; the whole stays within 1."""
    more = {
        "confirmed": min(CONFIRMED[0] * confirmed, CONFIRMED[1]),
        "used": min(USED[0] * used, USED[1]),
        "project": PROJECT_LIFT if same_project else 0.0,
    }
    added = sum(more.values())
    if not added:
        return dict(parts)
    scale = min(1.0, max(1.0 - sum(parts.values()), 0.0) / added)
    return {**parts, **{name: value * scale for name, value in more.items() if value}}
