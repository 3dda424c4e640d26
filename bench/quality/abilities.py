"""The figures of each way: over a whole set, over its two halves, and over each ability that its questions test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from bench.quality.asking import FOREIGN, STRANGE, WAYS, Asked, session_of
from bench.quality.metrics import judge, judge_sessions
from bench.report import Row
from bench.sets import RetrievalSet

__all__ = ["CHOSEN", "REPORTED", "WHOLE", "figures"]

WHOLE, CHOSEN, REPORTED = "whole set", "chosen half", "reported half"


def figures(given: RetrievalSet, asked: Sequence[Asked]) -> list[Row]:
    """A record for each part of the set and each way; questions that nothing answers have no part in them."""
    known = [one for one in asked if one.question.relevant]
    sessions = session_of(given)
    return [
        {"set": given.name, "part": part, "way": way, "questions": len(some), **_means(some, way, sessions)}
        for part, some in _parts(known)
        for way in WAYS
    ]


def _parts(asked: Sequence[Asked]) -> Iterator[tuple[str, list[Asked]]]:
    yield WHOLE, list(asked)
    yield CHOSEN, [one for one in asked if not one.reported]
    yield REPORTED, [one for one in asked if one.reported]
    for ability in dict.fromkeys(one.question.category for one in asked):
        if ability not in ("", FOREIGN, STRANGE):
            yield ability, [one for one in asked if one.question.category == ability]


def _means(asked: Sequence[Asked], way: str, sessions: Mapping[str, str]) -> dict[str, float]:
    judged = [judge(one.answers[way].ids, one.question.relevant) for one in asked]
    told = [one for one in asked if all(id in sessions for id in one.question.relevant)]
    by_session = [judge_sessions(one.deep[way], one.question.relevant, sessions) for one in told]
    return {**_mean(judged), **_mean(by_session)}


def _mean(judged: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: fmean(one[name] for one in judged) for name in judged[0]} if judged else {}
