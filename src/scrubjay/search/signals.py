"""Arithmetic of the single signals, and nothing else: counts and cosines in, numbers between 0 and 1 out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress, zip_longest
from math import exp, log, sqrt

from scrubjay.search import constants
from scrubjay.stores.contract import Background

__all__ = [
    "Counted",
    "Scores",
    "by_best_match",
    "coverage",
    "distances",
    "rarity",
    "time_nearness",
    "vector_scores",
    "with_conversations",
    "with_neighbours",
    "with_previous_turn",
    "word_matches",
    "word_scores",
]

Scores = Mapping[int, float]
Counted = Mapping[int, tuple[Sequence[float], float]]  # id: occurrences of each word of the question, words in all


def word_scores(frequencies: Sequence[int], memories: int, counted: Counted) -> dict[int, float]:
    """BM25 as a share of the most that the question's words could give, without the words that no memory holds.

    A rare word found counts for more than a common one missed, and a weak match stays weak however poor the
    others are. The logarithm's 1 keeps words that occur in most of a small store from counting nothing.
    """
    held = map(any, zip(*(occurrences for occurrences, _ in counted.values()), strict=True))
    found = (max(frequency, holds) for frequency, holds in zip_longest(frequencies, held, fillvalue=False))
    weights = [rarity(number, memories) if number else 0.0 for number in found]
    k1, b, extra = constants.BM25_K1, constants.BM25_B, constants.BM25_EXTRA_WORDS
    most = sum(weights) * (k1 + 1)
    average = sum(length for _, length in counted.values()) / len(counted) if counted else 1.0
    scores = {}
    for id, (occurrences, length) in counted.items():
        relative_length = (length + extra) / (average + extra)
        damping = k1 * (1 - b + b * relative_length)
        terms = compress(zip(weights, occurrences, strict=True), occurrences)
        total = sum([weight * count * (k1 + 1) / (count + damping) for weight, count in terms])
        scores[id] = total / most if most else 0.0
    return scores


def coverage(frequencies: Sequence[int], memories: int, counted: Counted) -> dict[int, float]:
    """The share of the question's information, unknown words included, that is in the words each memory holds."""
    weights = [rarity(frequency, memories) for frequency in frequencies]
    whole = sum(weights) or 1.0
    return {id: sum(compress(weights, occurrences)) / whole for id, (occurrences, _) in counted.items()}


def word_matches(scores: Scores, covered: Scores) -> dict[int, float]:
    """The geometric mean of both: who holds only a small part of a question matches weakly, whatever is known of it."""
    return {id: sqrt(covered[id] * score) for id, score in scores.items()}


def by_best_match(own: Scores, conversations: Scores) -> tuple[dict[int, float], dict[int, float]]:
    """Both by the root of their best sum: where no memory matches well by words, words decide little."""
    trust = sqrt(max((match + conversations.get(id, 0.0) for id, match in own.items()), default=0.0))
    return {id: match * trust for id, match in own.items()}, {id: match * trust for id, match in conversations.items()}


def rarity(frequency: int, memories: int) -> float:
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
    share, windows = constants.NEIGHBOUR_WEIGHT, {}
    for id, places in beside.items():
        own, length = counted[id]
        around = [counted[other] for other in places.values() if other in counted]
        by_word = zip(own, *(occurrences for occurrences, _ in around), strict=True)
        occurrences = [count + share * sum(others) for count, *others in by_word]
        windows[id] = (occurrences, length + share * sum(words for _, words in around))
    return windows


def with_conversations(matches: Scores, sessions: Mapping[int, str]) -> tuple[Scores, Scores]:
    """A turn counts by its own match and by the best one of its conversation; anything else by its own."""
    share = constants.CONVERSATION_SHARE
    best: dict[str, float] = {}
    for id, session in sessions.items():
        best[session] = max(best.get(session, 0.0), matches[id])
    own = {id: match * (1 - share) if id in sessions else match for id, match in matches.items()}
    return own, {id: best[session] * share for id, session in sessions.items()}


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
