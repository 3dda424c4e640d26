"""Whether `confidence` holds: by set, by the size of the memory, and for turns, notes and passages."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench import corpus, precision
from bench.quality.asking import questions_of
from bench.quality.elsewhere import memories
from bench.quality.filling import fill, opened
from bench.report import Row, Table
from bench.sets import IN_ENGLISH, Question, RetrievalSet
from scrubjay import Scrubjay

__all__ = ["expected_error", "reliability"]

QUESTIONS = 150  # of each memory, about, and as many that nothing answers where there are
STRANGE = 50  # of them from other sets
GROWN = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
BATCH = 2_000
BINS = 10
PASSAGES = ("xquad", "chunking")
NOTE = """\
Of the first ten results of hybrid search: the mean `confidence` (*said*), the share that answers (*true*), and the
expected calibration error (*ECE*); of those that answer, the share among the likely (*kept*); how many are likely
for a question that something answers (*told*), and for one that nothing answers (*of nothing*). The judgements of the
public sets are incomplete: more answers than they say. Written by `python -m bench.fit --docs`."""
GROWN_NOTE = """\
The same questions about the same fifty beliefs of the first precision set, among more and more short made-up notes."""


class Result(NamedTuple):
    confidence: float
    likely: bool
    answers: bool


class Asked(NamedTuple):
    """Whether anything answers a question, and the first ten results."""

    answerable: bool
    results: list[Result]


def reliability(sets: Mapping[str, RetrievalSet], folder: Path, embedder: Any) -> Iterator[Table]:
    folder.mkdir(exist_ok=True)
    yield Table("By set", NOTE, list(_by_set(sets, folder, embedder)))
    yield Table("By the size of the memory", GROWN_NOTE, list(_by_size(folder, embedder)))


def expected_error(said: Sequence[float], true: Sequence[bool]) -> float:
    """How far what was said lies from what was true, on average over the results."""
    sure, right = np.array(said), np.array(true, dtype=float)
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    apart = [abs(sure[bins == one].mean() - right[bins == one].mean()) * (bins == one).mean() for one in set(bins)]
    return float(sum(apart))


def _by_set(sets: Mapping[str, RetrievalSet], folder: Path, embedder: Any) -> Iterator[Row]:
    for name in precision.NAMES:
        yield _row(name, "notes", *_asked_of_precision(name, folder, embedder))
    for number, (name, given) in enumerate((*sets.items(), *memories(sets))):
        print(f"{name}: measuring", file=sys.stderr, flush=True)
        strange = [one for other in IN_ENGLISH if not name.startswith(other) for one in _answerable(sets, other)]
        yield _row(name, _sort(name, given), *_asked_of_set(given, strange, folder / f"{number}.db", embedder))


def _answerable(sets: Mapping[str, RetrievalSet], name: str) -> Iterator[Question]:
    questions = sets[name].questions if name in sets else {}
    return (one for own in questions.values() for one in own if one.answerable)


def _sort(name: str, given: RetrievalSet) -> str:
    if any(document.session for own in given.documents.values() for document in own):
        return "turns"
    return "passages" if name.startswith(PASSAGES) else "notes"


def _asked_of_precision(name: str, folder: Path, embedder: Any) -> tuple[float, list[Asked]]:
    beliefs, questions = precision.read(name)
    scopes = list(dict.fromkeys(question.scope for question in questions))
    asked: list[Asked] = []
    for scope in scopes:
        with precision.filled(beliefs, scope, folder / f"{name}-{scope}.db", embedder) as (jay, names):
            asked += [_ask(jay, names, one.text, one.must, one.may) for one in questions if one.scope == scope]
    return len(beliefs) / len(scopes), asked


def _asked_of_set(
    given: RetrievalSet, strange: Sequence[Question], path: Path, embedder: Any
) -> tuple[float, list[Asked]]:
    questions = questions_of(given, strange[:: max(1, len(strange) // STRANGE)])
    every = max(1, round(sum(one.answerable for own in questions.values() for one in own) / QUESTIONS))
    asked: list[Asked] = []
    for scope, own in questions.items():
        some = [one for answerable in (True, False) for one in own if one.answerable is answerable][::every]
        if some:
            with opened(given, scope, path, embedder) as jay:
                names = fill(jay, given.documents[scope])
                asked += [_ask(jay, names, one.text, one.relevant if one.answerable else (), ()) for one in some]
    return sum(map(len, given.documents.values())) / len(given.documents), asked


def _by_size(folder: Path, embedder: Any) -> Iterator[Row]:
    beliefs, questions = precision.read(precision.NAMES[0])
    scope = questions[0].scope
    own = [one for one in questions if one.scope == scope]
    notes = corpus.notes(GROWN[-1], seed=5)
    with precision.filled(beliefs, scope, folder / "grown.db", embedder) as (jay, names):
        added = 0
        for wanted in (len(names), *GROWN):
            print(f"{wanted}: measuring", file=sys.stderr, flush=True)
            while len(names) + added < wanted:
                some = notes[added : added + min(BATCH, wanted - len(names) - added)]
                added += len(jay.add_many([{"text": text} for text in some], redact=True))
            asked = [_ask(jay, names, one.text, one.must, one.may) for one in own]
            yield _row("beliefs among notes", "notes", wanted, asked)


def _ask(jay: Scrubjay, names: Mapping[int, str], text: str, must: Collection[str], may: Collection[str]) -> Asked:
    """What may be told, but need not, is not judged."""
    found = [(hit, names.get(hit.memory.id, "")) for hit in jay.search(text)]
    results = [Result(hit.confidence or 0.0, hit.likely, name in must) for hit, name in found if name not in may]
    return Asked(bool(must), results)


def _row(name: str, sort: str, size: float, asked: Sequence[Asked]) -> Row:
    results = [result for one in asked for result in one.results]
    said, true = [one.confidence for one in results], [one.answers for one in results]
    return {
        "memory": name,
        "of": sort,
        "memories": round(size),
        "questions": len(asked),
        "said": _short(said),
        "true": _short(true),
        "ECE": f"{expected_error(said, true):.3f}",
        "kept": _short([one.likely for one in results if one.answers]),
        "told": _short([sum(result.likely for result in one.results) for one in asked if one.answerable]),
        "of nothing": _short([sum(result.likely for result in one.results) for one in asked if not one.answerable]),
    }


def _short(values: Sequence[float]) -> str:
    return f"{np.mean(values):.2f}" if values else "–"
