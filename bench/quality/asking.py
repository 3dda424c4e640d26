"""Asks the questions of a set, each in its own scope, in every way; all figures are made of these answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import scrubjay
from bench.quality.filling import fill, opened
from bench.quality.metrics import CUT
from bench.quality.parts import PARTS, switched_off
from bench.quality.rivals import Answer, by_bm25, by_minilm
from bench.sets import Question, RetrievalSet
from scrubjay.types import Mode

__all__ = [
    "BM25",
    "FOREIGN",
    "HYBRID",
    "MINILM",
    "MODES",
    "STRANGE",
    "WAYS",
    "Asked",
    "Weights",
    "ask_set",
    "questions_of",
    "session_of",
]

Weights = Mapping[str, float]

MODES: tuple[Mode, ...] = get_args(Mode)
HYBRID, BM25, MINILM = "hybrid", "BM25", "MiniLM"
WAYS = (*MODES, BM25, MINILM)
DEEP = 50  # so that ten sessions can be reached
FOREIGN, STRANGE = "another scope's", "another set's"  # questions that nothing here answers
FOREIGN_QUESTIONS = 20  # asked in each scope
STRANGE_QUESTIONS = 120  # asked of each set


@dataclass(frozen=True, slots=True)
class Found(Answer):
    """What Scrubjay found, and how sure it is of it."""

    confidences: list[float]
    likely: list[str]
    doubtful: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, whether it is in the reported half of its set, and what each way answered."""

    question: Question
    reported: bool
    answers: Mapping[str, Answer]
    deep: Mapping[str, Sequence[str]]  # ids, for ranking sessions; empty where there are none to rank


def ask_set(
    given: RetrievalSet,
    path: Path,
    embedder: Any,
    weights: Weights | None,
    strange: Sequence[Question] = (),
    without: Iterable[str] = PARTS,
) -> list[Asked]:
    """Ask a set's questions, and strange ones: those of other sets; also without each of these parts of the ranking."""
    return [
        asked
        for scope, questions in questions_of(given, strange).items()
        for asked in _ask(given, scope, questions, path, embedder, weights, tuple(without))
    ]


def session_of(given: RetrievalSet) -> dict[str, str]:
    """By document its session, in a set whose scopes have more of them than can all be among the first."""
    by_scope = [{one.id: one.session for one in documents if one.session} for documents in given.documents.values()]
    most = max(len(set(sessions.values())) for sessions in by_scope)
    return {id: session for sessions in by_scope for id, session in sessions.items()} if most > CUT else {}


def _ask(
    given: RetrievalSet,
    scope: str,
    questions: Sequence[Question],
    path: Path,
    embedder: Any,
    weights: Weights | None,
    without: Sequence[str],
) -> Iterator[Asked]:
    documents, texts = given.documents[scope], [question.text for question in questions]
    answers = {BM25: by_bm25(documents, questions), MINILM: by_minilm(embedder, documents, questions)}
    deep = {way: [answer.ids for answer in answers[way]] for way in answers}
    with opened(given, scope, path, embedder) as jay:
        names = fill(jay, documents)
        for part in without:
            with switched_off(part):
                answers[part] = [_found(results, names) for results in jay.search_many(texts, weights=weights)]
        for mode in MODES:
            answers[mode] = [_found(results, names) for results in jay.search_many(texts, mode=mode, weights=weights)]
            if session_of(given):
                deeper = jay.search_many(texts, mode=mode, weights=weights, limit=DEEP)
                deep[mode] = [_found(results, names).ids for results in deeper]
    for number, question in enumerate(questions):
        yield Asked(
            question,
            _is_reported(given, question, number),
            {way: answers[way][number] for way in (*WAYS, *without)},
            {way: deep[way][number] for way in deep},
        )


def _found(results: scrubjay.Results, names: Mapping[int, str]) -> Found:
    return Found(
        [names[hit.memory.id] for hit in results],
        [hit.score for hit in results],
        [hit.confidence for hit in results if hit.confidence is not None],
        [names[hit.memory.id] for hit in results.likely],
        results.doubtful,
    )


def questions_of(given: RetrievalSet, strange: Sequence[Question] = ()) -> dict[str, list[Question]]:
    """By scope its own questions, then some of the next one's in the same half, and of other sets."""
    scopes = list(given.documents)
    asked = {scope: list(given.questions.get(scope, [])) for scope in scopes}
    for scope, other in zip(scopes, scopes[2:] + scopes[:2], strict=True):
        if other != scope:
            asked[scope] += _spread(
                [
                    _unanswered(question, scope, FOREIGN)
                    for question in given.questions.get(other, [])
                    if question.answerable
                ],
                FOREIGN_QUESTIONS,
            )
    some = _spread(strange, STRANGE_QUESTIONS)
    for number, scope in enumerate(scopes):
        asked[scope] += [_unanswered(question, scope, STRANGE) for question in some[number :: len(scopes)]]
    return asked


def _unanswered(question: Question, scope: str, sort: str) -> Question:
    return replace(question, id=f"{scope}|{question.id}", scope=scope, category=sort, relevant={})


def _spread(questions: Sequence[Question], count: int) -> Sequence[Question]:
    """About so many of them, evenly from first to last."""
    return questions[:: max(1, round(len(questions) / count))]


def _is_reported(given: RetrievalSet, question: Question, number: int) -> bool:
    """Every other scope, or of a single one every other question: the half on which nothing was chosen."""
    scopes = list(given.documents)
    return (scopes.index(question.scope) if len(scopes) > 1 else number) % 2 == 1
