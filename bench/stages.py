"""Where the processor time of a search goes: `python -m bench.stages --size 100000`.

The store is one of `python -m bench.variations`; embedding is left out. Each question is asked several times: the first
time, and the best of all. Not part of `make bench`: it wraps functions by their names, for whoever makes them faster.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

from bench import report
from bench.report import Row, Table
from bench.variations import FOLDER, Variations, open_store

# Modules or classes, and functions of them.
STAGES = """
search.pipeline: search_many _results
stores.search.Snapshot: candidates
stores.sqlite.text_index.SqliteTextIndex: candidates _affordable _sums _by_length _first_passing
stores.sqlite.vector_index.SqliteVectorIndex: nearest
stores.sqlite.caches.vector_cache.VectorCache: nearest
stores.search.Snapshot: evidence _word_counts _cosines _background
stores.search: _ranking_fields _turns
search.pipeline: _ranking _folded _hits with_confidence _uses times
"""
WARM_UP, REPEATED = 20, 5
TITLE = "Where the processor time of a search goes, in milliseconds"
NOTE = (
    "Means over all questions: when they are asked for the first time, and the best of five. Functions contain others."
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.stages", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where `python -m bench.variations` has put files")
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--asked", type=int, default=100)
    options = parser.parse_args()
    taken: dict[str, float] = defaultdict(float)
    _wrap_all(taken)
    made = Variations(options.size)
    first: dict[str, list[float]] = defaultdict(list)
    best: dict[str, list[float]] = defaultdict(list)
    with open_store(options.folder, options.size, made) as jay:
        for question in made.questions[:WARM_UP]:
            jay.search(question)
        for question in made.questions[WARM_UP : WARM_UP + options.asked]:
            runs = [_run(jay, question, taken) for _ in range(REPEATED)]
            for name in runs[0]:
                first[name].append(runs[0][name])
                best[name].append(min(run.get(name, 0.0) for run in runs))
    print(report.markdown(Table(TITLE, NOTE, _rows(first, best, options.asked))))


def _run(jay: Any, question: str, taken: dict[str, float]) -> dict[str, float]:
    taken.clear()
    jay.search(question)
    return dict(taken)


def _rows(first: dict[str, list[float]], best: dict[str, list[float]], asked: int) -> list[Row]:
    means = {name: (sum(first[name]) / asked * 1000, sum(best[name]) / asked * 1000) for name in first}
    return [
        {"function": name, "first": once, "best": again}
        for name, (once, again) in sorted(means.items(), key=lambda item: -item[1][0])
    ]


def _wrap_all(taken: dict[str, float]) -> None:
    for line in STAGES.strip().splitlines():
        path, names = line.split(": ")
        owner = _owner(path)
        for name in names.split():
            label = f"{path.rsplit('.', 1)[-1]}.{name}"
            setattr(owner, name, _wrapped(getattr(owner, name), label, taken))


def _owner(path: str) -> Any:
    module, _, last = path.rpartition(".")
    if last[0].isupper():
        return getattr(import_module(f"scrubjay.{module}"), last)
    return import_module(f"scrubjay.{path}")


def _wrapped(function: Any, label: str, taken: dict[str, float]) -> Any:
    @functools.wraps(function)
    def wrapped(*given: Any, **named: Any) -> Any:
        start = time.process_time()
        try:
            return function(*given, **named)
        finally:
            taken[label] += time.process_time() - start

    return wrapped


if __name__ == "__main__":
    main()
