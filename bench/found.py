"""What a large store of `bench.variations` finds, and what a new process pays for its first answer."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import apsw
import numpy as np

import scrubjay
from bench.corpus import Matrix
from bench.probe import peak_bytes
from bench.report import Row
from bench.sets import read_set
from bench.variations import CHARACTERS, SPACE, Variations, store_path
from bench.variations import open_store as open_variations
from scrubjay.stores import open_store
from scrubjay.stores.contract import CandidateRequest
from scrubjay.text.tokenizer import terms_of
from scrubjay.types import Filter

__all__ = ["found"]

BEST = 30
CANDIDATES_PER_RESULT = 3  # as a search asks for them
NEAREST = 10
STARTS = 5
EVIDENCE_SET, EVIDENCE_ASKED, MOST_ASKED = "locomo", 200, 300
ROWS_AT_ONCE = 20_000
BEST_OF_FTS5 = "select rowid from words where words match ? order by rank limit ?"
VECTORS = """
    select p.memory, p.vector from pieces p join memories m on m.id = p.memory
    where length(p.vector) = ? and m.superseded_at is null
"""


def found(folder: Path, size: int, made: Variations, asked: int) -> Row:
    path, questions = store_path(folder, size), made.questions[:asked]
    starts = [_new_process(path) for _ in range(STARTS)]
    by_word, by_meaning = _recalls(path, questions, made.embed(questions, query=True))
    return {
        "memories": size,
        "of FTS5's best 30, by word": by_word,
        "recall@10, by meaning": by_meaning,
        f"R@10 of {EVIDENCE_SET}, words only": _evidence_found(folder, size, made),
        "open to first answer, ms": median(start["first"] for start in starts) * 1000,
        "cpu, ms": median(start["cpu"] for start in starts) * 1000,
        "peak memory, MiB": median(start["peak"] for start in starts) / 2**20,
    }


def _recalls(path: Path, questions: Sequence[str], vectors: Matrix) -> tuple[float, float]:
    """The share of FTS5's own best for all words, and of the truly nearest, that is among a search's candidates."""
    store, db = open_store(str(path)), apsw.Connection(str(path))
    filter = Filter(spaces=(SPACE,), now=datetime.now(UTC))
    shares = []
    for question, vector, nearest in zip(questions, vectors, _nearest(db, vectors), strict=True):
        words = " OR ".join(f'"{term.match}"' for term in terms_of(question))
        best = {id for (id,) in db.execute(BEST_OF_FTS5, (f"- space : ({words})", BEST))}
        request = CandidateRequest(filter, BEST * CANDIDATES_PER_RESULT, question, vector)
        with store.search.snapshot() as snapshot:
            by_word, by_meaning, *_ = snapshot.candidates(request)
        first = sorted(by_meaning or {}, key=(by_meaning or {}).__getitem__, reverse=True)[:NEAREST]
        shares.append((len(best.intersection(by_word)) / max(len(best), 1), len(nearest.intersection(first)) / NEAREST))
    store.close()
    means = np.mean(shares, axis=0)
    return float(means[0]), float(means[1])


def _evidence_found(folder: Path, size: int, made: Variations) -> float | None:
    """Of the turns that answer a question of a set, the share among its ten results. All were added to the store last.

    Variations of the set's own turns, which say nearly the same, are left out of the results.
    """
    if size < len(made.originals):
        return None
    texts = {document.text[:CHARACTERS] for own in read_set(EVIDENCE_SET).documents.values() for document in own}
    of_set, shares = {number for number, text in enumerate(made.originals) if text in texts}, []
    with open_variations(folder, size, made) as jay:
        for question, turns in _questions_with_evidence():
            every = [hit.memory for hit in jay.search(question, limit=MOST_ASKED, mode="keyword")]
            kept = [one for one in every if one.text in texts or one.metadata.get("original") not in of_set]
            shares.append(len(turns.intersection(one.text for one in kept[:NEAREST])) / len(turns))
    return float(np.mean(shares))


def _questions_with_evidence() -> list[tuple[str, set[str]]]:
    """Some questions of a set, each with the texts that answer it as the store has them."""
    given = read_set(EVIDENCE_SET)
    texts = {document.id: document.text[:CHARACTERS] for own in given.documents.values() for document in own}
    questions = [question for own in given.questions.values() for question in own if question.answerable]
    random.Random(1).shuffle(questions)
    return [(one.text, {texts[id] for id in one.relevant}) for one in questions[:EVIDENCE_ASKED]]


def _nearest(db: apsw.Connection, asked: Matrix) -> list[set[int]]:
    rows = db.execute(VECTORS, (asked.shape[1] * 4,))
    scores, ids = np.full((len(asked), 0), -2.0), np.zeros((len(asked), 0), dtype=np.int64)
    while batch := list(islice(rows, ROWS_AT_ONCE)):
        own = np.frombuffer(b"".join([row[1] for row in batch]), dtype="<f4").reshape(len(batch), -1)
        scores = np.concatenate([scores, asked @ own.T], axis=1)
        ids = np.concatenate([ids, np.tile([row[0] for row in batch], (len(asked), 1))], axis=1)
        best = np.argsort(-scores, axis=1)[:, :NEAREST]
        scores, ids = np.take_along_axis(scores, best, 1), np.take_along_axis(ids, best, 1)
    return [set(own) for own in ids.tolist()]


def _new_process(path: Path) -> Any:
    line = [sys.executable, "-m", "bench.found", str(path)]
    return json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)


class Fixed:
    """An embedder that gives one vector for any text: the price of embedding is left out."""

    model, dimensions = Variations.model, Variations.dimensions

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        return np.full((len(texts), self.dimensions), self.dimensions**-0.5, dtype=np.float32)


def main(path: str) -> None:
    """Ask a few times in this new process, so that its caches are read, and print what that took."""
    start = time.perf_counter(), time.process_time()
    with scrubjay.open(path, space=SPACE, embedder=Fixed()) as jay:
        jay.search("what did we say about the garden meeting")
        first, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
        for word in ("coffee", "price", "river"):
            jay.search(f"what did we say about the {word}")
        print(json.dumps({"first": first, "cpu": cpu, "peak": peak_bytes()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
