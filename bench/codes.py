"""The codes of vectors by themselves, beside turbovec in the same run: `python -m bench.codes --sizes 100000,1000000`.

The vectors are those of `bench.variations`: real texts and seeded variations of them, asked with real questions.
"""

from __future__ import annotations

import argparse
import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["RAYON_NUM_THREADS"] = "1"  # as in a search

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from statistics import mean
from typing import Any

import numpy as np
from turbovec import IdMapIndex

from bench import report
from bench.corpus import Matrix
from bench.report import Row, Table
from bench.timing import milliseconds
from bench.variations import DIMENSIONS, NOISE, SPACE, Variations
from scrubjay.stores.sqlite.caches import vector_codes
from scrubjay.types import Filter

EVERYTHING = Filter(spaces=(SPACE,), now=datetime.now(UTC))
WANTED, PROPOSED = 30, 60  # by a search, and asked of the cache for it
NEAREST = 10
DEVIATIONS = (0.0, 1.0, 1.5, 2.0, 2.5, 3.0)
USED = vector_codes.DEVIATIONS  # by a search; the others are tried here
BITS, OF_TURBOVEC = 4, 90  # of turbovec's codes, and asked of it: its scores err more
BATCH = 10_000
COLUMNS = (*[None] * 6, 0, 5, 1.0)  # what a filter could ask of a piece: nothing here
NOTE = (
    "Recall is the share of the truly nearest that is proposed; `read` tells of how many vectors the longer codes are"
    " read, and `ms` is processor time. A search uses {} deviations. That was chosen by the first {asked} questions;"
    " `unseen` are {asked} others."
)

Way = Callable[[Matrix], list[int]]


def main() -> None:
    options = _options()
    tables = [_measured(size, options.asked) for size in options.sizes]
    text = "\n".join(map(report.markdown, tables))
    print(text)
    if options.docs:
        (report.FIGURES / "codes.md").write_text(f"# Codes of vectors\n\n{text}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.codes", description=__doc__)
    parser.add_argument("--sizes", type=lambda text: list(map(int, text.split(","))), default=[100_000])
    parser.add_argument("--asked", type=int, default=60, help="questions of each half")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/codes.md")
    return parser.parse_args()


def _measured(size: int, asked: int) -> Table:
    made, codes = Variations(size), vector_codes.VectorCodes(DIMENSIONS)
    rival = IdMapIndex(dim=DIMENSIONS, bit_width=BITS)
    every = made.embed(made.questions, query=True)
    questions = np.concatenate([every[:asked], every[-asked:]])
    cosines = np.empty((len(questions), size), dtype=np.float32)
    for first, vectors in _batches(made, size):
        numbers = np.arange(first, first + len(vectors), dtype=np.uint64)
        codes.add(vectors, [(number, *COLUMNS) for number in numbers.tolist()])
        rival.add_with_ids(vectors, numbers)
        cosines[:, first : first + len(vectors)] = questions @ vectors.T
    truth = [np.argsort(-own)[:WANTED].tolist() for own in cosines]
    table = Table(f"{size:,} vectors", NOTE.format(USED, asked=asked))
    table.rows.append({"way": f"turbovec, {BITS} bits", **_row(_by_turbovec(rival), questions, truth)})
    for deviations in DEVIATIONS:
        vector_codes.DEVIATIONS = deviations
        row = _row(_by_codes(codes), questions, truth)
        p50, p95 = np.percentile(_read(codes, questions), [50, 95])
        table.rows.append({"way": f"codes, {deviations} deviations", **row, "read p50": int(p50), "read p95": int(p95)})
    return table


def _batches(made: Variations, size: int) -> Iterator[tuple[int, Matrix]]:
    originals, chance = np.stack(list(made.originals.values())), np.random.default_rng(1)
    for first in range(0, size, BATCH):
        numbers = np.arange(first, min(first + BATCH, size))
        noise = chance.standard_normal((len(numbers), DIMENSIONS), dtype=np.float32)
        noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
        vectors = originals[numbers % len(originals)] + noise * (numbers >= len(originals))[:, None]
        yield first, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _by_turbovec(index: Any) -> Way:
    return lambda vector: index.search(vector.reshape(1, -1), OF_TURBOVEC)[1][0].tolist()


def _by_codes(codes: vector_codes.VectorCodes) -> Way:
    some = codes.that_may_pass(EVERYTHING)

    def search(vector: Matrix) -> list[int]:
        _, pieces, _ = vector_codes.nearest(some, vector, PROPOSED)
        return pieces

    return search


def _read(codes: vector_codes.VectorCodes, questions: Matrix) -> list[int]:
    some = codes.that_may_pass(EVERYTHING)
    return [len(vector_codes._that_may_be_nearest(some, question, PROPOSED)[0]) for question in questions]


def _row(way: Way, questions: Matrix, truth: list[list[int]]) -> Row:
    way(questions[0])
    taken, found = [], []
    for question in questions:
        start = time.process_time()
        found.append(way(question))
        taken.append(time.process_time() - start)
    half = len(questions) // 2
    return {
        f"recall@{NEAREST}": _recall(found[:half], truth[:half], NEAREST),
        f"recall@{NEAREST}, unseen": _recall(found[half:], truth[half:], NEAREST),
        f"recall@{WANTED}": _recall(found[:half], truth[:half], WANTED),
        f"recall@{WANTED}, unseen": _recall(found[half:], truth[half:], WANTED),
        "ms p50": round(milliseconds(taken), 2),
        "ms p95": round(milliseconds(taken, 95), 2),
    }


def _recall(found: list[list[int]], truth: list[list[int]], count: int) -> float:
    return round(mean(len({*own} & {*right[:count]}) / count for own, right in zip(found, truth, strict=True)), 4)


if __name__ == "__main__":
    main()
