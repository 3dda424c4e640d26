"""Arithmetic of the single signals, and nothing else: counts and cosines in, numbers between 0 and 1 out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from math import exp, log, prod, sqrt

from scrubjay.search import constants

__all__ = [
    "Counted",
    "Scores",
    "answer_probability",
    "best_coverage",
    "confidence",
    "conversation_scores",
    "coverage",
    "keyword_trust",
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


def _rarity(frequency: int, memories: int) -> float:
    """The information of a word: BM25's inverse document frequency."""
    return log(1 + (memories - min(frequency, memories) + 0.5) / (frequency + 0.5))


def keyword_trust(frequencies: Sequence[int], memories: int, counted: Counted, nearest: float, foreign: bool) -> float:
    """How much a question's words count beside meaning.

    Fully where one memory holds most of their information, where many memories hold some of them, or where nothing is
    near in meaning.
    """
    covered = best_coverage(frequencies, memories, counted)
    common = 1 - prod(1 - min(frequency / max(memories, 1), 1.0) for frequency in frequencies)
    logit = (covered - constants.COVERAGE_MIDPOINT) / constants.COVERAGE_WIDTH
    logit += (common - constants.COMMONNESS_MIDPOINT) / constants.COMMONNESS_WIDTH
    far = constants.FAR_COSINE + constants.FAR_COSINE_PER_LOG_MEMORIES * log(max(memories, 1))
    logit += max(far - nearest, 0.0) / constants.FAR_COSINE_WIDTH
    least = constants.MIN_KEYWORD_TRUST_FOREIGN if foreign else constants.MIN_KEYWORD_TRUST
    return least + (1 - least) * _sigmoid(logit)


def best_coverage(frequencies: Sequence[int], memories: int, counted: Counted) -> float:
    """The largest share of the question's information that one of the memories holds."""
    weights = [_rarity(frequency, memories) for frequency in frequencies]
    return max((_coverage(weights, occurrences) for occurrences, _ in counted.values()), default=0.0)


def coverage(frequencies: Sequence[int], memories: int, occurrences: Sequence[float]) -> float:
    """The share of the question's information, unknown words included, that is in the words which occur."""
    return _coverage([_rarity(frequency, memories) for frequency in frequencies], occurrences)


def _coverage(weights: Sequence[float], occurrences: Sequence[float]) -> float:
    return sum(compress(weights, occurrences)) / (sum(weights) or 1.0)


def confidence(meaning: float, coverage: float, rank: int, memories: int) -> float:
    """How likely the result at this rank, from 1 on, answers the question."""
    fit = constants.CONFIDENCE_FIT
    logit = fit["base"] + fit["meaning"] * meaning + fit["coverage"] * coverage + fit["rank"] / rank
    return _sigmoid(logit + fit["memories"] * log(max(memories, 1)))


def answer_probability(model: str, nearest: float, coverage: float, memories: int) -> float:
    """How likely any memory answers the question; 1 for a model whose cosines were never fitted."""
    if (fit := constants.ANSWERED_FIT.get(model)) is None:
        return 1.0
    logit = fit["base"] + fit["nearest"] * nearest + fit["coverage"] * coverage
    return _sigmoid(logit + fit["memories"] * log(max(memories, 1)))


def _sigmoid(logit: float) -> float:
    return 1 / (1 + exp(-logit))


def vector_scores(cosines: Scores, pieces: Mapping[int, int]) -> dict[int, float]:
    """Cosines, less what a long text gains by having many pieces, of which the best counts."""
    return {id: cosine - constants.LONG_TEXT_PENALTY * log(pieces.get(id) or 1) for id, cosine in cosines.items()}


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
