"""Arithmetic on signals, and nothing else: facts in, scores between 0 and 1 out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from math import exp, log, prod, sqrt

from scrubjay.types import RankingFields

__all__ = [
    "DAYS_AFTER",
    "DAYS_BEFORE",
    "DOUBTFUL",
    "LIKELY",
    "SHORT",
    "SUBSTRING_SCORE",
    "TOLD",
    "UNTOLD",
    "Scores",
    "confidence",
    "decayed",
    "familiarity",
    "held",
    "in_context",
    "leaning",
    "lifted",
    "most_held",
    "near",
    "of_then",
    "rank_fusion",
    "talk_scores",
    "timed",
    "told",
    "vector_scores",
    "weighted_sum",
    "word_scores",
]

Scores = Mapping[int, float]
Counted = Mapping[int, tuple[Sequence[float], float]]  # how often each word of a question occurs, and words in all

# How fast repetition stops counting, how much a long text is held against it, and how many words all texts are taken
# to have besides their own: between short ones, length tells little. These and the constants below that say so were
# fitted on one half of the scopes of ../shared/data and measured on the other, see docs/figures/quality.md; what each
# is worth beside its neighbours, `python -m bench.constants` tells (docs/figures/constants.md).
SATURATION = 1.2
LENGTH_SHARE = 0.9
EXTRA_WORDS = 20
SUBSTRING_SCORE = 0.1
RRF_K = 60
PROJECT_LIFT = 0.05
LEAST_KEPT = 0.1
KNEE = 0.8
PIECES = 0.125  # what a text's best piece must be better by, for each e-fold of pieces it could choose from; fitted
STRANGE = 0.06  # how much words count in a question whose words are strange to the memory; fitted
FOREIGN = 0.2  # and in another language than English: what the memory knows of it are names and numbers; fitted
HELD_FROM, HELD_WITHIN = 0.53, 0.084  # what the best candidate holds of the question's information; fitted
SHARED_FROM, SHARED_WITHIN = 0.26, 0.108  # the share of memories that hold any of its words; fitted
# The best cosine: where nothing is near in meaning, words count more. Among many memories one is near by chance, so for
# each e-fold of them it must be a little nearer; fitted.
FAR_FROM, FARTHER, FAR_WITHIN = 0.24, 0.02, 0.015
AROUND = {-2: 0.18, -1: 0.13, 1: 0.28, 2: 0.18}  # how much of the words said around a turn are read with it; fitted
LONGER = 0.35  # how much these make it longer; fitted
BY_ITSELF, SESSION = 0.58, 1.0  # what a turn's own words, and its conversation's best turn, count beside that; fitted
SHORT = 60  # words; a turn of no more, after another such, is understood with it
LEANING = 0.5  # how far its meaning leans to that of the one before; fitted
SPEAKER_LIFT = 0.01  # for a turn of somebody whom the question names; fitted
ASSISTANT = (
    0.05  # held against what an assistant said, unless it is asked for: people tell what is so, it explains; fitted
)
OTHER_TIME = 0.4  # the share that a score loses at most outside of the time that the question names; fitted
THEN = 0.5  # the share of the score that is for being of that time, where the question asks for anything of it
DAYS_BEFORE, DAYS_AFTER = 3.0, 7.0  # how soon: people tell of a thing after it happened rather than before; fitted
# How likely a result answers: a logistic fit to the first ten for questions of all sets, where the answer was told and
# where it was not, in memories of four to five thousand.
SURE = {"base": -4.74, "meaning": 4.15, "held": 2.33, "place": 3.0, "memories": -0.28}
LIKELY = 0.2
# How likely the answer was ever told, by the best cosine, the most that any candidate holds of the question, and among
# how many memories: a logistic fit to questions asked where they belong, and to others of the same set and of all sets,
# in memories of thirty to five thousand. For models whose cosines were looked at; how near is near, others must show.
TOLD = {"all-MiniLM-L6-v2/int8": {"base": -4.79, "nearest": 14.13, "held": 1.75, "memories": -0.33}}
DOUBTFUL, UNTOLD = 0.5, 0.12
USED = (1e-7, 1e-6)  # of equals, the one that was of use before: no more, or what is found would be found again
CONFIRMED = (0.05, 0.15)  # for each time, and at most


def word_scores(frequencies: Sequence[int], memories: int, counted: Counted) -> dict[int, float]:
    """BM25 as a share of the most that the question's words could give, those apart that no memory holds.

    A rare word found counts for more than a common one missed, and a weak match stays weak however poor the
    others are. The logarithm's 1 keeps words that occur in most of a small store from counting nothing.
    """
    held = [any(occurrences[word] for occurrences, _ in counted.values()) for word in range(len(frequencies))]
    found = [max(frequency, holds) for frequency, holds in zip(frequencies, held, strict=True)]
    weights = [_rarity(number, memories) if number else 0.0 for number in found]
    most = sum(weights) * (SATURATION + 1)
    average = sum(length for _, length in counted.values()) / len(counted) if counted else 1.0
    scores = {}
    for id, (occurrences, length) in counted.items():
        relative = (length + EXTRA_WORDS) / (average + EXTRA_WORDS)
        drag = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative)
        terms = zip(weights, occurrences, strict=True)
        total = sum(weight * count * (SATURATION + 1) / (count + drag) for weight, count in terms if count)
        scores[id] = total / most if most else 0.0
    return scores


def _rarity(frequency: int, memories: int) -> float:
    return log(1 + (memories - min(frequency, memories) + 0.5) / (frequency + 0.5))


def familiarity(frequencies: Sequence[int], memories: int, counted: Counted, nearest: float, foreign: bool) -> float:
    """How far to go by a question's words.

    Wholly where some memory holds most of what they tell, where many hold some, or where nothing is near in meaning.
    """
    best = most_held(frequencies, memories, counted)
    shared = 1 - prod(1 - min(frequency / max(memories, 1), 1.0) for frequency in frequencies)
    known = (best - HELD_FROM) / HELD_WITHIN + (shared - SHARED_FROM) / SHARED_WITHIN
    far = FAR_FROM + FARTHER * log(max(memories, 1))
    known += max(far - nearest, 0.0) / FAR_WITHIN
    least = FOREIGN if foreign else STRANGE
    return least + (1 - least) / (1 + exp(-known))


def most_held(frequencies: Sequence[int], memories: int, counted: Counted) -> float:
    """The most that any of them holds of what a question's words tell."""
    weights = [_rarity(frequency, memories) for frequency in frequencies]
    return max((_held(weights, occurrences) for occurrences, _ in counted.values()), default=0.0)


def held(frequencies: Sequence[int], memories: int, occurrences: Sequence[float]) -> float:
    """The share of what a question's words tell, unknown ones too, that is told by those which occur."""
    return _held([_rarity(frequency, memories) for frequency in frequencies], occurrences)


def _held(weights: Sequence[float], occurrences: Sequence[float]) -> float:
    return sum(compress(weights, occurrences)) / (sum(weights) or 1.0)


def confidence(meaning: float, held: float, place: int, memories: int) -> float:
    """How likely the result at this place, from 1 on, answers the question; among many, one is near by chance."""
    sure = SURE["base"] + SURE["meaning"] * meaning + SURE["held"] * held + SURE["place"] / place
    return 1 / (1 + exp(-sure - SURE["memories"] * log(max(memories, 1))))


def told(model: str, nearest: float, held: float, memories: int) -> float:
    """How likely the answer to a question was ever told; 1 where that cannot be known."""
    if (fit := TOLD.get(model)) is None:
        return 1.0
    sure = fit["base"] + fit["nearest"] * nearest + fit["held"] * held + fit["memories"] * log(max(memories, 1))
    return 1 / (1 + exp(-sure))


def vector_scores(cosines: Scores, pieces: Mapping[int, int]) -> dict[int, float]:
    """Cosines, less what a long text gains by having many pieces to be best with."""
    return {id: cosine - PIECES * log(pieces.get(id) or 1) for id, cosine in cosines.items()}


def in_context(counted: Counted, beside: Mapping[int, Mapping[int, int]]) -> dict[int, tuple[list[float], float]]:
    """What each turn holds when it is read with those around it, whose words count less."""
    windows = {}
    for id, places in beside.items():
        occurrences, length = counted[id]
        total, words = list(map(float, occurrences)), float(length)
        for place, other in places.items():
            more, longer = counted.get(other, ((), 0))
            words += LONGER * AROUND[place] * longer
            for word, count in enumerate(more):
                total[word] += AROUND[place] * count
        windows[id] = (total, words)
    return windows


def talk_scores(own: Scores, read: Scores, sessions: Mapping[int, str]) -> tuple[Scores, Scores, Scores]:
    """What a turn's words are worth by themselves, with those around it, and for the conversation it belongs to."""
    whole = BY_ITSELF + 1 + SESSION
    best: dict[str, float] = {}
    for id, session in sessions.items():
        best[session] = max(best.get(session, 0.0), BY_ITSELF * own[id] + read[id])
    by_itself = {id: BY_ITSELF * own[id] / whole for id in sessions}
    around = {id: read[id] / whole for id in sessions}
    return by_itself, around, {id: SESSION * best[session] / whole for id, session in sessions.items()}


def leaning(cosines: Scores, before: Mapping[int, int], alike: Scores) -> dict[int, float]:
    """Each turn's cosine, had its vector leant to that of the one before it."""
    return {
        id: (cosines[id] + LEANING * cosines[before[id]]) / sqrt(1 + LEANING**2 + 2 * LEANING * near)
        for id, near in alike.items()
        if id in cosines and before[id] in cosines
    }


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


def near(days_early: float, days_late: float) -> float:
    """How near something is to the time that the question names, from 0 to 1: within it, 1."""
    return exp(-max(days_early, 0.0) / DAYS_BEFORE - max(days_late, 0.0) / DAYS_AFTER)


def timed(why: Mapping[str, float], near: float) -> dict[str, float]:
    """Take from a score what it loses by being of another time than the question names."""
    return {**why, "when": (near - 1.0) * OTHER_TIME * sum(why.values())}


def of_then(why: Mapping[str, float], near: float) -> dict[str, float]:
    """Put first what is of the time that the question names, as it asks for nothing else."""
    return {**why, "when": THEN * (near - sum(why.values()))}


def lifted(parts: Mapping[str, float], traits: RankingFields, same_project: bool, named: bool) -> dict[str, float]:
    """Add what speaks for a memory besides the match itself, and take what speaks against it, within 0 and 1."""
    more: dict[str, float] = {}
    if traits.confirmed_count:
        more["confirmed"] = min(CONFIRMED[0] * traits.confirmed_count, CONFIRMED[1])
    if traits.used_count:
        more["used"] = min(USED[0] * traits.used_count, USED[1])
    if same_project:
        more["project"] = PROJECT_LIFT
    if named:
        more["speaker"] = SPEAKER_LIFT
    whole = sum(parts.values())
    scale = min(1.0, max(1.0 - whole, 0.0) / sum(more.values())) if more else 1.0
    lifts = {name: value * scale for name, value in more.items()}
    if whole and traits.kind == "turn" and traits.speaker == "assistant" and not named:
        lifts["assistant"] = -min(ASSISTANT, whole)
    return {**parts, **lifts}
