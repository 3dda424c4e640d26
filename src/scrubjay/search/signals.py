"""Arithmetic of the single signals, and nothing else: counts and cosines in, numbers between 0 and 1 out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log, sqrt
from typing import TYPE_CHECKING

from scrubjay.search import constants
from scrubjay.stores.contract import Background
from scrubjay.stores.evidence.word_counts import Counted
from scrubjay.types import RankingFields

if TYPE_CHECKING:
    from scrubjay.types.vectors import Numbers

__all__ = [
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


def word_scores(frequencies: Sequence[int], memories: int, counted: Counted) -> Numbers:
    """BM25 as a share of the most that the question's words could give, without the words that no memory holds.

    A rare word found counts for more than a common one missed, and a weak match stays weak however poor the
    others are. The logarithm's 1 keeps words that occur in most of a small store from counting nothing.
    """
    import numpy as np

    found = np.maximum(frequencies, counted.occurrences.any(axis=0)).tolist()
    weights = np.array([rarity(number, memories) if number else 0.0 for number in found])
    k1, b, extra = constants.BM25_K1, constants.BM25_B, constants.BM25_EXTRA_WORDS
    average = counted.lengths.mean() if len(counted.rows) else 1.0
    damping = k1 * (1 - b + b * (counted.lengths + extra) / (average + extra))
    shares = counted.occurrences / (counted.occurrences + damping[:, None])
    scores: Numbers = shares @ weights / (weights.sum() or 1.0)
    return scores


def coverage(frequencies: Sequence[int], memories: int, counted: Counted) -> Numbers:
    """The share of the question's information, unknown words included, that is in the words each memory holds."""
    import numpy as np

    weights = np.array([rarity(frequency, memories) for frequency in frequencies])
    shares: Numbers = (counted.occurrences > 0) @ weights / (weights.sum() or 1.0)
    return shares


def word_matches(scores: Numbers, covered: Numbers) -> Numbers:
    """The geometric mean of both: who holds only a small part of a question matches weakly, whatever is known of it."""
    import numpy as np

    matches: Numbers = np.sqrt(scores * covered)
    return matches


def by_best_match(own: Scores, conversations: Scores) -> tuple[dict[int, float], dict[int, float]]:
    """Both by the root of their best sum: where no memory matches well by words, words decide little."""
    trust = sqrt(max((match + conversations.get(id, 0.0) for id, match in own.items()), default=0.0))
    return {id: match * trust for id, match in own.items()}, {id: match * trust for id, match in conversations.items()}


def rarity(frequency: int, memories: int) -> float:
    """The information of a word: BM25's inverse document frequency."""
    return log(1 + (memories - min(frequency, memories) + 0.5) / (frequency + 0.5))


def vector_scores(cosines: Scores, fields: Mapping[int, RankingFields]) -> dict[int, float]:
    """Cosines, less what a long text gains by having many pieces, of which the best counts."""
    pieces = {id: fields[id].pieces if id in fields else 1 for id in cosines}
    return {id: cosine - constants.LONG_TEXT_PENALTY * log(pieces[id] or 1) for id, cosine in cosines.items()}


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


def with_neighbours(counted: Counted, ids: Iterable[int], beside: Mapping[int, Iterable[int]]) -> Counted:
    """What each of these holds when a turn is read with the turns around it, whose words count less."""
    own, share = counted.of(ids), constants.NEIGHBOUR_WEIGHT
    for id, others in beside.items():
        around, row = [counted.rows[other] for other in others if other in counted.rows], own.rows[id]
        own.occurrences[row] += share * counted.occurrences[around].sum(axis=0)
        own.lengths[row] += share * counted.lengths[around].sum()
    return own


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
