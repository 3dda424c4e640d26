"""What is given where nothing answers: how precise the results are, and whether the best score tells the two apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean

from bench.quality.abilities import CHOSEN, REPORTED, WHOLE
from bench.quality.asking import BM25, HYBRID, MINILM, WAYS, Asked, Found
from bench.quality.metrics import CUT, separation
from bench.report import Row
from bench.sets import ADVERSARIAL

__all__ = ["CONFIDENCE", "calibration", "precision", "separations", "withheld"]

CONFIDENCE = "confidence"
BINS = 5


def precision(name: str, asked: Sequence[Asked]) -> list[Row]:
    """Of the results for questions that something answers: the share that is relevant, in the first so many."""
    return [
        {
            "set": name,
            "part": part,
            "questions": len(some),
            "results a question": fmean(len(_found(one).ids) for one in some),
            "P@1": _relevant_share(some, 1),
            "P@3": _relevant_share(some, 3),
            "P of all": _relevant_share(some, None),
            "likely a question": fmean(len(_found(one).likely) for one in some),
            "P of the likely": _share(id in one.question.relevant for one in some for id in _found(one).likely),
            "relevant of the ten that are likely": _share(
                id in _found(one).likely for one in some for id in _found(one).ids[:CUT] if id in one.question.relevant
            ),
            "P of BM25": _share(id in one.question.relevant for one in some for id in one.answers[BM25].ids[:CUT]),
            "P of MiniLM": _share(id in one.question.relevant for one in some for id in one.answers[MINILM].ids[:CUT]),
            "withheld": _withheld_share(some),
        }
        for part, some in _halves([one for one in asked if one.question.answerable])
    ]


def withheld(name: str, asked: Sequence[Asked]) -> list[Row]:
    """Of the questions that nothing answers, by their sort: how many results they get, and how many are withheld."""
    return [
        {
            "set": name,
            "part": part,
            "sort": sort,
            "questions": len(some),
            "withheld": _withheld_share(some),
            "likely a question": fmean(len(_found(one).likely) for one in some),
        }
        for sort, own in _unanswerable(asked)
        for part, some in _halves(own)
    ]


def separations(name: str, asked: Sequence[Asked]) -> list[Row]:
    """How well the best score of each way tells what is answered from what is not."""
    measures: dict[str, Callable[[Asked], float]] = {way: _best_score(way) for way in WAYS}
    measures[CONFIDENCE] = lambda one: max(_found(one).confidences, default=0.0)
    rows: list[Row] = []
    for sort, own in _unanswerable(asked):
        halves = zip(_halves([one for one in asked if one.question.answerable]), _halves(own), strict=True)
        for (part, answered), (_, unanswered) in halves:
            aucs = {
                measure: separation([best(one) for one in answered], [best(one) for one in unanswered])
                for measure, best in measures.items()
            }
            rows.append({"set": name, "part": part, "sort": sort, "questions": len(unanswered), **aucs})
    return rows


def calibration(name: str, asked: Sequence[Asked]) -> list[Row]:
    """By confidence, how many of the results are relevant."""
    judged = [
        (confidence, id in one.question.relevant)
        for one in asked
        if one.reported and one.question.category != ADVERSARIAL
        for id, confidence in zip(_found(one).ids, _found(one).confidences, strict=True)
    ]
    rows: list[Row] = []
    for number in range(BINS):
        own = [pair for pair in judged if min(int(pair[0] * BINS), BINS - 1) == number]
        if own:
            said, true = fmean(pair[0] for pair in own), fmean(pair[1] for pair in own)
            rows.append({"set": name, "from": number / BINS, "results": len(own), "said": said, "relevant": true})
    return rows


def _unanswerable(asked: Sequence[Asked]) -> Iterator[tuple[str, list[Asked]]]:
    unanswered = [one for one in asked if not one.question.answerable]
    for sort in dict.fromkeys(one.question.category for one in unanswered):
        yield sort, [one for one in unanswered if one.question.category == sort]


def _halves(asked: Sequence[Asked]) -> Iterator[tuple[str, list[Asked]]]:
    yield WHOLE, list(asked)
    yield CHOSEN, [one for one in asked if not one.reported]
    yield REPORTED, [one for one in asked if one.reported]


def _found(one: Asked) -> Found:
    found = one.answers[HYBRID]
    assert isinstance(found, Found)
    return found


def _relevant_share(asked: Sequence[Asked], first: int | None) -> float:
    return _share(id in one.question.relevant for one in asked for id in _found(one).ids[:first])


def _share(true: Iterable[bool]) -> float:
    every = list(true)
    return fmean(every) if every else 0.0


def _withheld_share(asked: Sequence[Asked]) -> float:
    return fmean(not _found(one).ids or _found(one).doubtful for one in asked)


def _best_score(way: str) -> Callable[[Asked], float]:
    return lambda one: max(one.answers[way].scores, default=0.0)
