"""How likely each result answers the question, and which are likely enough to tell."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log
from typing import NamedTuple

from scrubjay.search import constants
from scrubjay.search.evidence import Judged
from scrubjay.search.scores import score_in_time
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.types import Hit, Results

__all__ = ["Traits", "confidence", "with_confidence"]

NOTHING_LIKELY = "Nothing found seems to answer this; these are the nearest."


class Traits(NamedTuple):
    """What the confidence of one result follows from."""

    ways: str  # hybrid, keyword or vector: whichever answered
    distance: float  # in meaning, in deviations above the background
    match: float  # of words, 0..1
    behind: float  # how far its score is below the best one's
    memories: int  # in the spaces that were searched


def with_confidence(results: Results, judged: Judged, likely_only: bool) -> Results:
    """The results with their confidences; a note where none of both ways is likely to answer; or only the likely."""
    ways = _ways(judged)
    if not results or ways is None:
        return results
    best = max(score_in_time(hit.why) for hit in results)
    line = likely_from(judged.memories)
    hits = [_sure(hit, _traits(hit, ways, judged, best), line) for hit in results]
    likely = tuple(hit for hit in hits if hit.likely)
    if likely_only and (left_out := len(hits) - len(likely)):
        is_left_out = f"{singular_or_plural(left_out, 'is', 'are')} left out"
        return replace(
            results, hits=likely, notes=(*results.notes, f"{counted(left_out, 'less likely result')} {is_left_out}.")
        )
    unsure = not likely and ways == "hybrid"  # one way of searching alone was asked for the nearest
    return replace(results, hits=tuple(hits), notes=(*results.notes, NOTHING_LIKELY) if unsure else results.notes)


def confidence(traits: Traits) -> float:
    """The probability that the result answers."""
    fit = constants.CONFIDENCE_FIT[traits.ways]
    logit = fit["base"] + fit["distance"] * traits.distance + fit["match"] * traits.match
    logit += fit["behind"] * traits.behind + fit["memories"] * log(max(traits.memories, 1))
    return 1 / (1 + exp(-logit))


def likely_from(memories: int) -> float:
    """The confidence from which a result is likely.

    Among many memories each single one is less likely to be the right one, but one of them still is worth telling.
    """
    share: float = (50 / max(memories, 1)) ** constants.LIKELY_POWER
    return min(constants.LIKELY_OF_FIFTY * share, constants.LIKELY_AT_MOST)


def _ways(judged: Judged) -> str | None:
    """Which ways of searching answered; None where only the text as typed was looked for."""
    if judged.word_matches is None:
        return "vector" if judged.distances is not None else None
    return "keyword" if judged.distances is None else "hybrid"


def _sure(hit: Hit, traits: Traits, line: float) -> Hit:
    """The hit with its confidence; what is of the time that was asked for, and nothing else was, answers."""
    sure = constants.OF_THAT_TIME if hit.why.get("when", 0.0) > 0 else confidence(traits)
    return replace(hit, confidence=sure, likely=sure >= line)


def _traits(hit: Hit, ways: str, judged: Judged, best: float) -> Traits:
    distance = (judged.distances or {}).get(hit.memory.id, 0.0)
    match = (judged.word_matches or {}).get(hit.memory.id, 0.0)
    return Traits(ways, distance, match, best - score_in_time(hit.why), judged.memories)
