"""How long a search takes and how much of the exact answer it finds, beside the rival, in one file of one size."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from bench.corpus import Corpus, Matrix, Memory, Precomputed, questions, sentences, telling
from bench.engines import LIMIT, OURS, RIVAL, RIVAL_TUNED, Engine, Mode, Narrowing, VecEngine
from bench.report import Row
from bench.timing import Seconds, milliseconds, ratio, take_turns

__all__ = [
    "MODES",
    "Paid",
    "ask",
    "narrowings",
    "recall",
    "search_times",
    "searches",
    "sentence_times",
    "timing_row",
    "with_embedding",
]

Engines = Mapping[str, Engine]

WARM_UP = 5
WORDS = (8, 16, 32)
MODES: tuple[Mode, ...] = get_args(Mode)
# No two measurements ask the same questions: what one has warmed up must not help the next.
SEEDS = count(1_000)


class Paid:
    """The precomputed vectors, for the price of the bundled model reading the question."""

    def __init__(self, precomputed: Precomputed, real: Any) -> None:
        self.model, self.dimensions = precomputed.model, precomputed.dimensions
        self._precomputed, self._real = precomputed, real

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        self._real.embed(texts, query=query)
        return self._precomputed.embed(texts, query=query)


def narrowings(corpus: Corpus) -> dict[str, Narrowing]:
    """The situations of a search, each with the share of the file that may answer."""
    situations = {
        "whole space": Narrowing(),
        "small space": Narrowing("small"),
        "filter keeps half": Narrowing(kind="fact"),
        "filter keeps 1 %": Narrowing(subject="rare"),
        "filter keeps 1/8, seldom near": Narrowing(kind="event"),
    }
    return {name: _with_share(narrowing, corpus) for name, narrowing in situations.items()}


def search_times(engines: Engines, corpus: Corpus, embedder: Precomputed, asked: int) -> list[Row]:
    """One row per situation and mode."""
    gc.freeze()  # the corpus itself is nothing a search should pay for
    rows = []
    for situation, narrowing in narrowings(corpus).items():
        for mode in MODES:
            texts = ask(corpus, embedder, asked + WARM_UP)
            taken = take_turns(searches(engines, mode, narrowing), texts)
            rows.append(timing_row(len(corpus), situation, mode, {name: taken[name][WARM_UP:] for name in taken}))
    return rows


def sentence_times(engines: Engines, corpus: Corpus, asked: int) -> list[Row]:
    """Keyword searches of two rare words, and of whole sentences full of common ones."""
    lengths = {"2, both telling": [" ".join(words) for words in telling(corpus, asked, 2, next(SEEDS))]}
    lengths |= {f"{words}, mostly common": sentences(asked, next(SEEDS), (words, words + 1)) for words in WORDS}
    narrowing = narrowings(corpus)["whole space"]
    rows = []
    for words, texts in lengths.items():
        taken = take_turns(searches(engines, "keyword", narrowing), texts)
        rows.append({"memories": len(corpus), "words in the query": words, **_timings(taken)})
    return rows


def with_embedding(engines: Engines, corpus: Corpus, asked: int) -> list[Row]:
    """Hybrid search with the question read by the bundled model; the engines must have been opened with `Paid`."""
    texts = questions(corpus, asked + WARM_UP, next(SEEDS))
    taken = take_turns(searches(engines, "hybrid", narrowings(corpus)["whole space"]), texts)
    warm = {name: taken[name][WARM_UP:] for name in taken}
    return [timing_row(len(corpus), "whole space, embedding included", "hybrid", warm)]


def recall(engines: Engines, corpus: Corpus, embedder: Precomputed, asked: int) -> list[Row]:
    """The share of the ten truly nearest that vector mode finds."""
    vectors = embedder.embed([memory.text for memory in corpus])
    rival = cast("VecEngine", engines[RIVAL])
    rows = []
    for situation, narrowing in narrowings(corpus).items():
        allowed = np.flatnonzero([_passes(memory, narrowing) for memory in corpus])
        texts = ask(corpus, embedder, asked)
        truth = _nearest(vectors[allowed], allowed, embedder.embed(texts, query=True))
        found = {
            "Scrubjay": [engines[OURS].search(text, "vector", narrowing) for text in texts],
            "vec0": [rival.search(text, "vector", narrowing) for text in texts],
            "vec0, k = 30 always": [rival.search_as_is(text, "vector", narrowing, rival.pool) for text in texts],
        }
        shares = {name: _found_share(answers, truth) for name, answers in found.items()}
        rows.append({"memories": len(corpus), "situation": situation, **shares})
    return rows


def ask(corpus: Corpus, embedder: Precomputed, asked: int) -> list[str]:
    texts = questions(corpus, asked, next(SEEDS))
    embedder.prepare(texts)
    return texts


def timing_row(memories: int, situation: str, mode: str, taken: Mapping[str, Seconds]) -> Row:
    return {"memories": memories, "situation": situation, "mode": mode, **_timings(taken)}


def _timings(taken: Mapping[str, Seconds]) -> Row:
    row: Row = {
        "Scrubjay p50": milliseconds(taken[OURS]),
        "p95": milliseconds(taken[OURS], 95),
        "vec0 p50": milliseconds(taken[RIVAL]),
        "vec0 p95": milliseconds(taken[RIVAL], 95),
        "ratio": ratio(taken[RIVAL], taken[OURS]),
    }
    if RIVAL_TUNED in taken:
        row["tuned p50"] = milliseconds(taken[RIVAL_TUNED])
        row["ratio to tuned"] = ratio(taken[RIVAL_TUNED], taken[OURS])
    return row


def searches(engines: Engines, mode: Mode, narrowing: Narrowing) -> dict[str, Callable[[str], object]]:
    def searching(engine: Engine) -> Callable[[str], object]:
        return lambda text: engine.search(text, mode, narrowing)

    return {name: searching(engine) for name, engine in engines.items()}


def _with_share(narrowing: Narrowing, corpus: Corpus) -> Narrowing:
    passing = sum(_passes(memory, narrowing) for memory in corpus)
    return Narrowing(narrowing.space, narrowing.kind, narrowing.subject, passing / len(corpus))


def _passes(memory: Memory, narrowing: Narrowing) -> bool:
    return (
        memory.space == narrowing.space
        and narrowing.kind in (None, memory.kind)
        and narrowing.subject in (None, memory.subject)
    )


def _nearest(vectors: Matrix, places: NDArray[np.intp], asked: Matrix) -> list[set[int]]:
    best = np.argsort(-(asked @ vectors.T), axis=1)[:, :LIMIT]
    return [set(places[row].tolist()) for row in best]


def _found_share(answers: Sequence[Sequence[int]], truth: Sequence[set[int]]) -> float:
    found = sum(len(near.intersection(answer)) for answer, near in zip(answers, truth, strict=True))
    return found / sum(map(len, truth))
