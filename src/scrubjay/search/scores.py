"""Step three: one score for each candidate. Signals are combined, bonuses are added, then named time and age count."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Mapping
from datetime import timedelta
from typing import NamedTuple

from scrubjay.search import constants
from scrubjay.search.evidence import KEYWORD, Judged
from scrubjay.search.signals import Scores
from scrubjay.text.words import WORD
from scrubjay.types import WEIGHTS, Query, RankingFields

__all__ = ["Parts", "Ranked", "fused", "match_of", "ranked", "score_in_time", "score_of"]

DAY = timedelta(days=1)
SMALLEST_LEAD = 1e-9
DIGITS = 12  # of scores that are compared: by more of them, processors differ in what is equal
TAKEN_BY_TIME = ("decay", "when", "near_when")
SAID = "said|told|suggested|recommended|mentioned|gave|advised|wrote|listed|explained|proposed|provided|showed|helped"
ASKED_OF_YOU = (
    rf"\bdid you\b|\byou (?:{SAID})\b|\byour (?:advice|suggestion|recommendation|answer|explanation|list)s?\b"
)

Parts = Mapping[str, float]  # what each signal contributes to a score, or takes from it
InTime = Callable[[Mapping[int, Parts]], Mapping[int, Parts]]


class Ranked(NamedTuple):
    """The parts of each candidate's score, the best first, of equals the newer; and of which kind each is."""

    why: Mapping[int, Parts]
    kinds: Mapping[int, str]


def ranked(query: Query, judged: Judged, in_time: InTime) -> Ranked:
    """`in_time` adds what a candidate gains or loses by its time, where the question names one."""
    people = _people(query.text)
    parts = fused(query, judged)
    why = {id: _lifted(own, judged.fields[id], query, people) for id, own in parts.items() if id in judged.fields}
    faded = {id: _faded(own, judged.fields[id], query) for id, own in in_time(why).items()}
    rated = _rated(faded, judged.fields)
    kinds = {id: fields.kind for id, fields in judged.fields.items()}
    best_first = sorted(rated.items(), key=lambda each: (-round(sum(each[1].values()), DIGITS), -each[0]))
    return Ranked(dict(best_first), kinds)


def fused(query: Query, judged: Judged) -> dict[int, dict[str, float]]:
    """What each signal contributes to each score, with the weights of the query."""
    fuse = weighted_mean if query.fusion == "sum" else rank_fusion
    return fuse(judged.signals, _weights(judged.signals, query.weights))


def score_of(parts: Parts) -> float:
    return min(max(0.0, sum(parts.values())), 1.0)


def match_of(parts: Parts) -> float:
    """The score without what time takes: what has faded, or is of another time, ranks lower but is not hidden."""
    return score_of({name: part for name, part in parts.items() if name not in TAKEN_BY_TIME})


def score_in_time(parts: Parts) -> float:
    """The score before the memory's age took its part."""
    return score_of({name: part for name, part in parts.items() if name != "decay"})


def weighted_mean(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[int, dict[str, float]]:
    """What each way of searching gives, by its weight among those that were used."""
    whole = sum(weights[name] for name in signals if name in WEIGHTS) or 1.0
    parts: dict[int, dict[str, float]] = {id: {} for scores in signals.values() for id in scores}
    for name, scores in signals.items():
        for id, score in scores.items():
            if score > 0 and weights[name] > 0:
                parts[id][name] = weights[name] / whole * min(score, 1.0)
    return parts


def rank_fusion(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[int, dict[str, float]]:
    """Reciprocal rank fusion: position counts, so that signals need no common scale."""
    whole = sum(weights[name] for name in signals) / (constants.RRF_K + 1) or 1.0
    parts: dict[int, dict[str, float]] = {id: {} for scores in signals.values() for id in scores}
    for name, scores in signals.items():
        found = sorted((id for id in scores if scores[id] > 0), key=lambda id: (-round(scores[id], DIGITS), -id))
        for rank, id in enumerate(found, start=1):
            parts[id][name] = weights[name] / (constants.RRF_K + rank) / whole
    return parts


def _weights(names: Iterable[str], own: Mapping[str, float]) -> dict[str, float]:
    """By default or as the question has them; what words say in a conversation counts as words do."""
    known = {**WEIGHTS, **own}
    return {name: known.get(name, known[KEYWORD]) for name in names}


def _people(text: str) -> set[str]:
    """Whom a question may name: any of its words, and the assistant if it asks what "you" said."""
    lower = text.casefold()
    return {*WORD.findall(lower), *(("assistant",) if re.search(ASKED_OF_YOU, lower) else ())}


def _lifted(parts: Parts, fields: RankingFields, query: Query, people: Container[str]) -> Parts:
    """Add what speaks for a memory besides the match itself, and take what speaks against it, within 0 and 1."""
    named = fields.speaker is not None and fields.speaker.casefold() in people
    more: dict[str, float] = {}
    if fields.confirmed_count:
        each, most = constants.CONFIRMED_LIFT
        more["confirmed"] = min(each * fields.confirmed_count, most)
    if query.project is not None and fields.project == query.project:
        more["project"] = constants.PROJECT_LIFT
    if named:
        more["speaker"] = constants.SPEAKER_LIFT
    by_assistant = fields.kind == "turn" and fields.speaker == "assistant" and not named
    if not more and not by_assistant:
        return parts
    whole = sum(parts.values())
    scale = min(1.0, max(1.0 - whole, 0.0) / (sum(more.values()) or 1.0))
    lifts = {name: value * scale for name, value in more.items()}
    if whole and by_assistant:
        lifts["assistant"] = -min(constants.ASSISTANT_PENALTY, whole)
    return {**parts, **lifts}


def _rated(every: Mapping[int, Parts], fields: Mapping[int, RankingFields]) -> Mapping[int, Parts]:
    """Add what ratings speak for a memory, or take what they speak against it.

    What the user has told keeps its place before what anybody else has: no rating lifts another memory above it.
    """
    rated = {id: lift for id in every if (lift := _rating(fields[id]))}
    if not rated:
        return every
    scores = {id: sum(parts.values()) for id, parts in every.items()}
    told = sorted(score for id, score in scores.items() if fields[id].trust == "user")
    for id, lift in rated.items():
        above = bisect_left(told, scores[id])
        if fields[id].trust != "user" and lift > 0 and above < len(told):
            rated[id] = max(min(lift, told[above] - scores[id] - SMALLEST_LEAD), 0.0)
    return {id: {**parts, "rated": rated[id]} if id in rated else parts for id, parts in every.items()}


def _rating(fields: RankingFields) -> float:
    if fields.helpful_count == fields.unhelpful_count:
        return 0.0
    each, most = constants.RATED_LIFT
    return max(min(each * (fields.helpful_count - fields.unhelpful_count), most), -most)


def _faded(parts: Parts, fields: RankingFields, query: Query) -> Parts:
    """Lower a score by the age of its memory: by half of all that it may lose for each half-life.

    So an old match comes after a new one that is about as good, and never after one that is half as good.
    """
    half_life_days = query.half_lives.get(fields.kind, 0.0)
    if not half_life_days or query.filter.as_of is not None:
        return parts
    age_days = max((query.filter.now - fields.happened_at) / DAY, 0.0)
    lost = (1.0 - constants.MIN_FADED_SHARE) * (1.0 - 0.5 ** (age_days / half_life_days))
    return {**parts, "decay": -lost * sum(parts.values())}
