"""How long a single question takes, with embedding it and without."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from bench.corpus import Matrix
from bench.quality.filling import opened
from bench.report import Row
from bench.sets import RetrievalSet
from bench.timing import Seconds, milliseconds, take_turns

__all__ = ["latency"]

QUESTIONS = 60  # timed for each set, from all its scopes


class _Prepared:
    """An embedder that knows these questions already."""

    def __init__(self, embedder: Any, questions: Sequence[str]) -> None:
        self.model, self.dimensions, self.pieces = embedder.model, embedder.dimensions, embedder.pieces
        self._rows = dict(zip(questions, embedder.embed(questions, query=True), strict=True))

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        return np.stack([self._rows[text] for text in texts])


def latency(given: RetrievalSet, path: Path, embedder: Any) -> Row:
    """The hybrid search of a memory that is full and has been asked before."""
    share = ceil(QUESTIONS / len(given.documents))
    taken: dict[str, Seconds] = {"with": [], "without": []}
    for scope in given.documents:
        questions = [question.text for question in given.questions[scope][:share]]
        prepared = _Prepared(embedder, questions)
        with opened(given, scope, path, embedder) as whole, opened(given, scope, path, prepared) as bare:
            whole.search(questions[0])
            bare.search(questions[0])
            times = take_turns({"with": whole.search, "without": bare.search}, questions)
        taken = {name: taken[name] + times[name] for name in taken}
    return {
        "set": given.name,
        "memories in a scope": round(np.mean([len(documents) for documents in given.documents.values()])),
        "p50, ms": milliseconds(taken["with"]),
        "p95, ms": milliseconds(taken["with"], 95),
        "p50 without embedding": milliseconds(taken["without"]),
        "p95 without embedding": milliseconds(taken["without"], 95),
    }
