"""Fits how likely a result answers (`CONFIDENCE_FIT` in search/constants.py), leaving whole sets out to judge it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import log
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from bench import precision, report
from bench.cache import Cached
from bench.quality.asking import MODES, questions_of
from bench.quality.filling import fill, opened
from bench.quality.ours import read_ours
from bench.reliability import expected_error, reliability
from bench.report import Row, Table, markdown
from bench.sets import FOLDER, NAMES, RetrievalSet, read_set
from bench.workroom import workroom
from scrubjay.models.embedders import open_embedder
from scrubjay.search import confidence, constants
from scrubjay.search.confidence import Traits
from scrubjay.types import Mode

__all__ = ["Judged", "Vector", "fitted", "recorded", "sigmoid"]

QUESTIONS = 400  # of each set, about, with those that nothing answers
COMPLETE = 4  # a set in which every memory was judged counts for so many others
SAME = {"xquad_zh2en": "xquad", "xquad_es2en": "xquad"}  # left out together: the same paragraphs
STEPS = 60
RIDGE = 1e-5
NAMES_OF_WEIGHTS = ("base", "distance", "covered", "behind", "memories", "unnamed")
NOTE = """\
The expected calibration error of `confidence` on each set, from weights that were fitted to the *other* sets, and with
the weights that the program has. Written by `python -m bench.fit --docs`."""

Vector = np.ndarray[Any, np.dtype[np.float64]]
Rows = dict[Mode, list[tuple[Traits, bool]]]  # results, and whether each answers


class Judged(NamedTuple):
    """The traits of results, a row each, and whether each result answers."""

    traits: Vector
    answers: Vector


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.fit", description=__doc__)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=NAMES, help=f"of {', '.join(NAMES)}")
    parser.add_argument(
        "--docs", action="store_true", help="write docs/figures/confidence.md, with the tables by set and by size"
    )
    options = parser.parse_args()
    if not FOLDER.is_dir():
        print("skipped: the public sets are not there (../shared/data beside the project)")
        return
    with workroom() as folder:
        embedder = Cached(open_embedder("local"))
        given = {one.name: one for one in (read_ours(), *map(read_set, options.sets))}
        sets = dict(_judged_sets(folder, embedder, given.values()))
        tables = list(reliability(given, folder / "reliability", embedder)) if options.docs else []
    for mode in MODES:
        own = {name: judged[mode] for name, judged in sets.items()}
        print(mode, dict(zip(NAMES_OF_WEIGHTS, fitted(own).round(2).tolist(), strict=True)), flush=True)
        tables.append(Table(f"Calibration, {mode}", NOTE, list(_rows(own, mode))))
    text = "\n".join(map(markdown, tables))
    print(text)
    if options.docs:
        (report.FIGURES / "confidence.md").write_text(f"# Confidence\n\n{text}", encoding="utf-8")


def _judged_sets(folder: Path, embedder: Any, sets: Iterable[RetrievalSet]) -> Iterator[tuple[str, dict[Mode, Judged]]]:
    for name in precision.NAMES:
        yield name, _of_precision(name, folder, embedder)
    for given in sets:
        print(f"{given.name}: measuring", file=sys.stderr, flush=True)
        yield given.name, _of_retrieval(given, folder / f"{given.name}.db", embedder)


def _of_precision(name: str, folder: Path, embedder: Any) -> dict[Mode, Judged]:
    beliefs, questions = precision.read(name)
    rows: Rows = {mode: [] for mode in MODES}
    for scope in dict.fromkeys(question.scope for question in questions):
        with precision.filled(beliefs, scope, folder / f"{name}-{scope}.db", embedder) as (jay, names):
            for question in (one for one in questions if one.scope == scope):
                _ask(rows, jay, names, question.text, question.must, question.may)
    return _as_judged(rows)


def _of_retrieval(given: RetrievalSet, path: Path, embedder: Any) -> dict[Mode, Judged]:
    rows: Rows = {mode: [] for mode in MODES}
    every = max(1, round(sum(map(len, given.questions.values())) / QUESTIONS))
    for scope, questions in questions_of(given).items():
        with opened(given, scope, path, embedder) as jay:
            names = fill(jay, given.documents[scope])
            for question in questions[::every]:
                _ask(rows, jay, names, question.text, question.relevant, ())
    return _as_judged(rows)


def _ask(rows: Rows, jay: Any, names: Mapping[int, str], text: str, must: Container[str], may: Container[str]) -> None:
    """Ask in each way; what may be told, but need not, is not judged."""
    for mode in MODES:
        with recorded() as traits:
            found = [names[hit.memory.id] for hit in jay.search(text, mode=mode)]
        if len(traits) == len(found):  # a question about a time alone is answered by the time
            rows[mode] += [(one, id in must) for one, id in zip(traits, found, strict=True) if id not in may]


@contextmanager
def recorded() -> Iterator[list[Traits]]:
    """The traits of each result of the searches inside the block, in their order."""
    traits: list[Traits] = []
    original = confidence.confidence

    def noted(one: Traits) -> float:
        traits.append(one)
        return original(one)

    with patch.object(confidence, "confidence", noted):
        yield traits


def _as_judged(rows: Rows) -> dict[Mode, Judged]:
    return {
        mode: Judged(np.array([_numbers(traits) for traits, _ in own]), np.array([float(right) for _, right in own]))
        for mode, own in rows.items()
    }


def _numbers(traits: Traits) -> list[float]:
    size = log(max(traits.memories, 1))
    return [1.0, traits.distance, traits.covered, traits.behind, size, float(traits.unnamed)]


def fitted(sets: Mapping[str, Judged], without: str | None = None) -> Vector:
    """Logistic regression by Newton's method; every set counts the same, those judged in full for several."""
    kept = [name for name in sets if without is None or SAME.get(name, name) != SAME.get(without, without)]
    counts = {name: COMPLETE if name in precision.NAMES else 1 for name in kept}
    weights = np.zeros(sets[kept[0]].traits.shape[1])
    for _ in range(STEPS):
        gradient, curvature = RIDGE * weights, RIDGE * np.eye(len(weights))
        for name, count in counts.items():
            traits, answers = sets[name]
            sure = sigmoid(traits @ weights)
            share = count / len(answers)
            gradient += share * (traits.T @ (sure - answers))
            curvature += share * (traits.T * (sure * (1 - sure))) @ traits
        weights -= np.linalg.solve(curvature, gradient)
    return weights


def _rows(sets: Mapping[str, Judged], mode: str) -> Iterator[Row]:
    own = np.array([constants.CONFIDENCE_FIT[mode][name] for name in NAMES_OF_WEIGHTS])
    for name, judged in sets.items():
        yield {
            "set": name,
            "results": len(judged.answers),
            "left out": f"{_error(judged, fitted(sets, name)):.3f}",
            "as it is": f"{_error(judged, own):.3f}",
        }


def _error(judged: Judged, weights: Vector) -> float:
    return expected_error(sigmoid(judged.traits @ weights).tolist(), judged.answers.tolist())


def sigmoid(logits: Vector) -> Vector:
    return np.asarray(1 / (1 + np.exp(-logits)))


if __name__ == "__main__":
    main()
