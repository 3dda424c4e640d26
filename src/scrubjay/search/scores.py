"""Step three: one score for each candidate. Signals are fused, then lifted, set in time, and faded."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from datetime import timedelta
from math import exp
from typing import NamedTuple

from scrubjay.search import constants
from scrubjay.search.evidence import KEYWORD, Judged
from scrubjay.search.signals import Scores
from scrubjay.text.words import WORD
from scrubjay.types import WEIGHTS, Query, RankingFields

__all__ = ["Parts", "Ranked", "fused", "match_of", "ranked", "score_in_time", "score_of"]

DAY = timedelta(days=1)
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
    kinds = {id: fields.kind for id, fields in judged.fields.items()}
    return Ranked(dict(sorted(faded.items(), key=lambda item: (-sum(item[1].values()), -item[0]))), kinds)


def fused(query: Query, judged: Judged) -> dict[int, dict[str, float]]:
    """What each signal contributes to each score, with the weights of the query."""
    fuse = weighted_sum if query.fusion == "sum" else rank_fusion
    return fuse(judged.signals, _weights(judged.signals, query.weights))


def score_of(parts: Parts) -> float:
    return min(max(0.0, sum(parts.values())), 1.0)


def match_of(parts: Parts) -> float:
    """The score without what time takes: what has faded, or is of another time, ranks lower but is not hidden."""
    return score_of({name: part for name, part in parts.items() if name not in TAKEN_BY_TIME})


def score_in_time(parts: Parts) -> float:
    """The score before the memory's age took its part."""
    return score_of({name: part for name, part in parts.items() if name != "decay"})


def weighted_sum(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[int, dict[str, float]]:
    """One signal alone may reach 1 on its own scale; where several agree, the sum bends towards 1 and stays below."""
    whole = max((weights[name] for name in signals), default=1.0) or 1.0
    parts: dict[int, dict[str, float]] = {id: {} for scores in signals.values() for id in scores}
    for name, scores in signals.items():
        for id, score in scores.items():
            if score > 0 and weights[name] > 0:
                parts[id][name] = weights[name] / whole * min(score, 1.0)
    return {id: _bent(own) if len(own) > 1 else own for id, own in parts.items()}


def _bent(parts: Parts) -> dict[str, float]:
    """Keep a sum below 1 without making equals of the best."""
    total, start = sum(parts.values()), constants.SATURATION_START
    if total <= start:
        return dict(parts)
    bent = start + (1 - start) * (1 - exp((start - total) / (1 - start)))
    return {name: share * bent / total for name, share in parts.items()}


def rank_fusion(signals: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[int, dict[str, float]]:
    """Reciprocal rank fusion: position counts, so that signals need no common scale."""
    whole = sum(weights[name] for name in signals) / (constants.RRF_K + 1) or 1.0
    parts: dict[int, dict[str, float]] = {id: {} for scores in signals.values() for id in scores}
    for name, scores in signals.items():
        found = sorted((id for id in scores if scores[id] > 0), key=lambda id: (-scores[id], -id))
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


def _lifted(parts: Parts, fields: RankingFields, query: Query, people: Container[str]) -> dict[str, float]:
    same_project = query.project is not None and fields.project == query.project
    named = fields.speaker is not None and fields.speaker.casefold() in people
    return lifted(parts, fields, same_project, named)


def lifted(parts: Parts, fields: RankingFields, same_project: bool, named: bool) -> dict[str, float]:
    """Add what speaks for a memory besides the match itself, and take what speaks against it, within 0 and 1."""
    more: dict[str, float] = {}
    if fields.confirmed_count:
        more["confirmed"] = _up_to(fields.confirmed_count, *constants.CONFIRMED_LIFT)
    if fields.used_count:
        more["used"] = _up_to(fields.used_count, *constants.USED_LIFT)
    if same_project:
        more["project"] = constants.PROJECT_LIFT
    if named:
        more["speaker"] = constants.SPEAKER_LIFT
    whole = sum(parts.values())
    scale = min(1.0, max(1.0 - whole, 0.0) / sum(more.values())) if more else 1.0
    lifts = {name: value * scale for name, value in more.items()}
    if whole and fields.kind == "turn" and fields.speaker == "assistant" and not named:
        lifts["assistant"] = -min(constants.ASSISTANT_PENALTY, whole)
    return {**parts, **lifts}


def _up_to(times: int, each: float, most: float) -> float:
    return min(each * times, most)


def _faded(parts: Parts, fields: RankingFields, query: Query) -> Parts:
    half_life = query.half_lives.get(fields.kind, 0.0)
    if not half_life or query.filter.as_of is not None:
        return parts
    return faded(parts, (query.filter.now - fields.happened_at) / DAY, half_life)


def faded(parts: Parts, age_days: float, half_life_days: float) -> dict[str, float]:
    """Take from a score what time took from the memory: half of all that it may take for each half-life.

    So an old match comes after a new one that is about as good, and never after one that is half as good.
    """
    most = 1.0 - constants.MIN_FADED_SHARE
    lost = most * (1.0 - 0.5 ** (max(age_days, 0.0) / half_life_days))
    return {**parts, "decay": -lost * sum(parts.values())}
