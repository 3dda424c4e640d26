"""Arithmetic of the single signals, and nothing else: counts and cosines in, numbers between 0 and 1 out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from math import exp, log, sqrt

from scrubjay.search import constants
from scrubjay.stores.contract import Background

__all__ = [
    "Counted",
    "Scores",
    "conversation_scores",
    "coverage",
    "distances",
    "match_factors",
    "time_nearness",
    "vector_scores",
    "with_neighbours",
    "with_previous_turn",
    "word_scores",
]

Scores = Mapping[int, float]
Counted = Mapping[int, tuple[Sequence[float], float]]  # id: occurrences of each word of the question, words in all


def word_scores(frequencies: Sequence[int], memories: int, counted: Counted) -> dict[int, float]:
    """BM25 as a share of the most that the question's words could give, without the words that no memory holds.

    A rare word found counts for more than a common one missed, and a weak match stays weak however poor the
    others are. The logarithm's 1 keeps words that occur in most of a small store from counting nothing.
    """
    held = [any(occurrences[word] for occurrences, _ in counted.values()) for word in range(len(frequencies))]
    found = [max(frequency, holds) for frequency, holds in zip(frequencies, held, strict=True)]
    weights = [_rarity(number, memories) if number else 0.0 for number in found]
    k1, b, extra = constants.BM25_K1, constants.BM25_B, constants.BM25_EXTRA_WORDS
    most = sum(weights) * (k1 + 1)
    average = sum(length for _, length in counted.values()) / len(counted) if counted else 1.0
    scores = {}
    for id, (occurrences, length) in counted.items():
        relative_length = (length + extra) / (average + extra)
        damping = k1 * (1 - b + b * relative_length)
        terms = zip(weights, occurrences, strict=True)
        total = sum(weight * count * (k1 + 1) / (count + damping) for weight, count in terms if count)
        scores[id] = total / most if most else 0.0
    return scores


def coverage(frequencies: Sequence[int], memories: int, counted: Counted) -> dict[int, float]:
    """The share of the question's information, unknown words included, that is in the words each memory holds."""
    weights = [_rarity(frequency, memories) for frequency in frequencies]
    whole = sum(weights) or 1.0
    return {id: sum(compress(weights, occurrences)) / whole for id, (occurrences, _) in counted.items()}


def match_factors(scores: Scores, covered: Scores) -> dict[int, float]:
    """What each word score is multiplied by, so that it becomes coverage * score ** WORD_SCORE_POWER.

    So a memory that shares only a small part of a question has a weak match, even if it shares what is known of it.
    """
    power = constants.WORD_SCORE_POWER - 1
    return {id: covered[id] * score**power if score > 0 else 0.0 for id, score in scores.items()}


def _rarity(frequency: int, memories: int) -> float:
    """The information of a word: BM25's inverse document frequency."""
    return log(1 + (memories - min(frequency, memories) + 0.5) / (frequency + 0.5))


def vector_scores(cosines: Scores, pieces: Mapping[int, int]) -> dict[int, float]:
    """Cosines, less what a long text gains by having many pieces, of which the best counts."""
    return {id: cosine - constants.LONG_TEXT_PENALTY * log(pieces.get(id) or 1) for id, cosine in cosines.items()}


def distances(scores: Scores, background: Background, model: str) -> dict[int, float]:
    """How many deviations each is above what the question has in common with any memory.

    Cosines of different questions, stores and models do not compare; this does. A small store tells little of its
    background: what is usual for the model, where that is known, is counted in.
    """
    mean, deviation, weight = constants.USUAL_BACKGROUND.get(model, (0.0, 0.0, 0.0))
    whole = background.size + weight
    if background.size < constants.MIN_BACKGROUND and not weight:
        return {id: score / constants.DISTANCE_SCALE for id, score in scores.items()}
    centre = (background.mean * background.size + mean * weight) / whole
    variance = (background.deviation**2 * background.size + deviation**2 * weight) / whole
    spread = max(sqrt(variance), constants.MIN_DEVIATION)
    return {id: (score - centre) / spread for id, score in scores.items()}


def with_neighbours(counted: Counted, beside: Mapping[int, Mapping[int, int]]) -> dict[int, tuple[list[float], float]]:
    """What each turn holds when it is read with the turns around it, whose words count less."""
    windows = {}
    for id, places in beside.items():
        occurrences, length = counted[id]
        total, words = list(map(float, occurrences)), float(length)
        for place, other in places.items():
            more, other_length = counted.get(other, ((), 0))
            weight = constants.NEIGHBOUR_WORD_WEIGHTS[place]
            words += constants.NEIGHBOUR_LENGTH_SHARE * weight * other_length
            for word, count in enumerate(more):
                total[word] += weight * count
        windows[id] = (total, words)
    return windows


def conversation_scores(own: Scores, windows: Scores, sessions: Mapping[int, str]) -> tuple[Scores, Scores, Scores]:
    """What a turn's words are worth by themselves, with those around it, and for the conversation it belongs to."""
    weight, session_weight = constants.OWN_WORDS_WEIGHT, constants.SESSION_WEIGHT
    whole = weight + 1 + session_weight
    best: dict[str, float] = {}
    for id, session in sessions.items():
        best[session] = max(best.get(session, 0.0), weight * own[id] + windows[id])
    by_itself = {id: weight * own[id] / whole for id in sessions}
    around = {id: windows[id] / whole for id in sessions}
    return by_itself, around, {id: session_weight * best[session] / whole for id, session in sessions.items()}


def with_previous_turn(cosines: Scores, before: Mapping[int, int], likeness: Scores) -> dict[int, float]:
    """Each turn's cosine, had a share of the vector of the turn before it been added to its own."""
    share = constants.PREVIOUS_TURN_WEIGHT
    return {
        id: (cosines[id] + share * cosines[before[id]]) / sqrt(1 + share**2 + 2 * share * near)
        for id, near in likeness.items()
        if id in cosines and before[id] in cosines
    }


def time_nearness(days_early: float, days_late: float) -> float:
    """How near something is to the time that the question names, from 0 to 1: within it, 1."""
    return exp(-max(days_early, 0.0) / constants.DAYS_BEFORE - max(days_late, 0.0) / constants.DAYS_AFTER)
