"""How likely each result answers the question, and which are likely enough to tell."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from math import exp, log, sqrt
from typing import NamedTuple

from scrubjay.models.word_likeness import nearest_in_texts
from scrubjay.search import constants
from scrubjay.search.evidence import Judged
from scrubjay.search.scores import score_in_time
from scrubjay.search.signals import rarity
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.text.tokenizer import words_of
from scrubjay.types import Hit, Query, Results

__all__ = ["Traits", "confidence", "with_confidence"]

NAME = r"(?<![.?!:] )(?<!^)\b[A-Z]\w+"  # a capital, but not at the start of a sentence; "I" is too short
NOTHING_LIKELY = "Nothing found seems to answer this; these are the nearest."


class Traits(NamedTuple):
    """What the confidence of one result follows from."""

    ways: str  # hybrid, keyword or vector: whichever answered
    distance: float  # in meaning, in deviations above the background
    covered: float  # the share of the question's information that is in its words, 0..1
    behind: float  # how far its score is below the best one's
    memories: int  # in the spaces that were searched
    unnamed: bool  # the question has names, and it has none of them


def with_confidence(results: Results, judged: Judged, query: Query) -> Results:
    """The results with their confidences; a note where none of both ways is likely to answer; or only the likely."""
    ways = _ways(judged)
    if not results or ways is None:
        return results
    line = likely_from(judged.memories)
    hits = [
        _sure(hit, traits, line) for hit, traits in zip(results, _traits(results, ways, judged, query), strict=True)
    ]
    likely = tuple(hit for hit in hits if hit.likely)
    if query.likely and (left_out := len(hits) - len(likely)):
        is_left_out = f"{singular_or_plural(left_out, 'is', 'are')} left out"
        return replace(
            results, hits=likely, notes=(*results.notes, f"{counted(left_out, 'less likely result')} {is_left_out}.")
        )
    unsure = not likely and ways == "hybrid"  # one way of searching alone was asked for the nearest
    return replace(results, hits=tuple(hits), notes=(*results.notes, NOTHING_LIKELY) if unsure else results.notes)


def confidence(traits: Traits) -> float:
    """The probability that the result answers."""
    fit = constants.CONFIDENCE_FIT[traits.ways]
    logit = fit["base"] + fit["distance"] * traits.distance + fit["covered"] * traits.covered
    logit += fit["behind"] * traits.behind + fit["memories"] * log(max(traits.memories, 1))
    return 1 / (1 + exp(-logit - fit["unnamed"] * traits.unnamed))


def likely_from(memories: int) -> float:
    """The confidence from which a result is likely.

    Among many memories each single one is less likely to be the right one, but one of them still is worth telling.
    """
    return min(constants.LIKELY_OF_FIFTY * sqrt(50 / max(memories, 1)), constants.LIKELY_AT_MOST)


def _ways(judged: Judged) -> str | None:
    """Which ways of searching answered; None where only the text as typed was looked for."""
    if judged.words is None:
        return "vector" if judged.distances is not None else None
    return "keyword" if judged.distances is None else "hybrid"


def _sure(hit: Hit, traits: Traits, line: float) -> Hit:
    """The hit with its confidence; what is of the time that was asked for, and nothing else was, answers."""
    sure = constants.OF_THAT_TIME if hit.why.get("when", 0.0) > 0 else confidence(traits)
    return replace(hit, confidence=sure, likely=sure >= line)


def _traits(results: Results, ways: str, judged: Judged, query: Query) -> Iterator[Traits]:
    held = [{*hit.words, *_words_in_place_of(hit, judged)} for hit in results]
    names = set(results.words) & set(words_of(" ".join(re.findall(NAME, query.text))))
    best = max(score_in_time(hit.why) for hit in results)
    for hit, own, covered in zip(results, held, _covered(results, held, judged), strict=True):
        distance = (judged.distances or {}).get(hit.memory.id, 0.0)
        behind = best - score_in_time(hit.why)
        yield Traits(ways, distance, covered, behind, judged.memories, bool(names) and not names & own)


def _words_in_place_of(hit: Hit, judged: Judged) -> tuple[str, ...]:
    """The words of the replaced memory that the hit answers for."""
    return judged.words.held_by(hit.in_place_of) if judged.words and hit.in_place_of else ()


def _covered(results: Results, held: Sequence[Container[str]], judged: Judged) -> list[float]:
    """How much of the question each hit's words cover, weighed by rarity.

    A word that it lacks counts by the root of how alike the nearest of its own is, if meaning was asked, or of what
    the turns around it are worth. Two words that stand together are there or not.
    """
    counts = judged.words
    if counts is None:
        return [0.0] * len(results)
    rarities = (rarity(frequency, counts.memories) for frequency in counts.frequencies)
    weights = dict(zip(counts.words, rarities, strict=True))
    whole = sum(weights.values()) or 1.0
    single = [word for word in weights if " " not in word]
    texts = [f"{hit.memory.subject or ''} {hit.memory.text}" for hit in results]
    alike = nearest_in_texts(single, texts) if judged.distances is not None else [[]] * len(texts)
    covered = []
    for hit, own, row in zip(results, held, alike, strict=True):
        near = dict(zip(single, row, strict=False))
        for neighbour in hit.neighbours:
            near |= {word: max(near.get(word, 0.0), constants.LIKENESS_AROUND) for word in counts.held_by(neighbour.id)}
        shares = (weight * (word in own or sqrt(near.get(word, 0.0))) for word, weight in weights.items())
        covered.append(sum(shares) / whole)
    return covered
