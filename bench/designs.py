"""Which results to call likely: five designs, each judged on precision sets left out of its fit."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench import precision, report
from bench.cache import Cached
from bench.fit import Judged, fitted, recorded, sigmoid
from bench.precision import NAMES, Question
from bench.report import Row, Table, markdown
from bench.workroom import workroom
from scrubjay import Hit
from scrubjay.models.embedders import open_embedder
from scrubjay.search.confidence import Traits

RECALLS = (0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
ASKS_TIME = r"\bwhen\b|\bwhat (?:day|date|time)\b|\bhow (?:long|often)\b"
ASKS_NUMBER = r"\bhow (?:much|many|old|tall|big)\b|\bcosts?\b|\bprice\b"
ASKS_SEVERAL = r"\b(?:all|every|everything|list|each|any)\b|\b(?:which|what|the|my|our) (?:\w+ )?\w{3,}[^s\W]s\b"
NUMBER = r"\d|day\b|\bdaily\b|\bevery\b"
PROGRAM = ("one", "distance", "covered", "behind", "memories", "unnamed")
DESIGNS: Mapping[str, tuple[str, ...]] = {
    "a line on the score": ("one", "score"),
    "distance, words that it has, behind the best, memories": ("one", "distance", "held", "behind", "memories"),
    "the same, with words like those asked for, and names": PROGRAM,
    "the same, where several are asked for with another weight behind the best": (*PROGRAM, "behind_of_several"),
    "the third, with margins, agreement, what is asked for, and lengths": (
        *PROGRAM,
        *("distance_margin", "covered_margin", "first_by_both", "best_distance", "best_covered"),
        *("lacks_time", "lacks_number", "length_of_question", "length_of_text"),
    ),
}
NOTE = """\
A logistic function of each design's features is fitted to all precision sets but one, and judged on that one; its
results are put together. By the share that is told of what must be told: *precision · results for a question that
nothing answers*. The aim was 0.8 · 0.3 at 0.9. The program has the third design. What the fourth gains is little, by
a list of English words; what the fifth gains comes from the length of the question, which the authors of these sets
chose, and is lost on the public sets. Written by `python -m bench.designs --docs`."""


class Result(NamedTuple):
    """A result: which question it is for, and what the designs may know of it."""

    question: Question
    features: Mapping[str, float]
    answers: bool


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.designs", description=__doc__)
    parser.add_argument("--docs", action="store_true", help="write docs/figures/designs.md")
    options = parser.parse_args()
    with workroom() as folder:
        embedder = Cached(open_embedder("local"), folder / "vectors.db")
        sets = {name: list(_results(name, folder, embedder)) for name in NAMES}
    text = markdown(Table("Which results are likely: five designs", NOTE, list(_rows(sets))))
    print(text)
    if options.docs:
        (report.FIGURES / "designs.md").write_text(f"# Designs\n\n{text}", encoding="utf-8")


def _results(name: str, folder: Path, embedder: Any) -> Iterator[Result]:
    beliefs, questions = precision.read(name)
    for scope in dict.fromkeys(question.scope for question in questions):
        with precision.filled(beliefs, scope, folder / f"{name}-{scope}.db", embedder) as (jay, names):
            for question in (one for one in questions if one.scope == scope):
                with recorded() as traits:
                    found = jay.search(question.text)
                for hit, own in zip(found, traits, strict=False):  # none where a time alone is asked for
                    if (id := names[hit.memory.id]) not in question.may:
                        held = len(hit.words) / (len(found.words) or 1)
                        yield Result(question, _features(question, hit, held, own, traits), id in question.must)


def _features(question: Question, hit: Hit, held: float, own: Traits, every: Sequence[Traits]) -> dict[str, float]:
    nearest, most = max(one.distance for one in every), max(one.covered for one in every)
    told = f"{hit.memory.text} {hit.memory.subject or ''}"
    asks = question.text.lower()
    return {
        "one": 1.0,
        "score": hit.score,
        "distance": own.distance,
        "held": held,
        "covered": own.covered,
        "behind": own.behind,
        "memories": log(own.memories),
        "unnamed": float(own.unnamed),
        "behind_of_several": own.behind * bool(re.search(ASKS_SEVERAL, asks)),
        "distance_margin": nearest - own.distance,
        "covered_margin": most - own.covered,
        "first_by_both": float(own.distance == nearest and own.covered == most),
        "best_distance": nearest,
        "best_covered": most,
        "lacks_time": float(bool(re.search(ASKS_TIME, asks)) and not re.search(NUMBER, told)),
        "lacks_number": float(bool(re.search(ASKS_NUMBER, asks)) and not re.search(r"\d", told)),
        "length_of_question": log(len(asks.split())),
        "length_of_text": log(len(told.split())),
    }


def _rows(sets: Mapping[str, Sequence[Result]]) -> Iterator[Row]:
    for design, names in DESIGNS.items():
        judged = {name: _judged(own, names) for name, own in sets.items()}
        sure: list[tuple[float, Result]] = []
        for name, results in sets.items():
            logits = judged[name].traits @ fitted(judged, name)
            sure += zip(sigmoid(logits).tolist(), results, strict=True)
        best_first = [result for _, result in sorted(sure, key=lambda one: -one[0])]
        yield {"design": design, **_frontier(best_first)}


def _judged(results: Sequence[Result], names: Sequence[str]) -> Judged:
    features = np.array([[result.features[name] for name in names] for result in results])
    return Judged(features, np.array([float(result.answers) for result in results]))


def _frontier(results: Sequence[Result]) -> Row:
    questions = [one for name in NAMES for one in precision.read(name)[1]]
    must, unanswered = sum(len(one.must) for one in questions), sum(not one.must for one in questions)
    found: Row = {f"{recall:g}": "–" for recall in RECALLS}
    right = of_nothing = 0
    for told, result in enumerate(results, start=1):
        right, of_nothing = right + result.answers, of_nothing + (not result.question.must)
        for recall in RECALLS:
            if right >= recall * must and found[f"{recall:g}"] == "–":
                found[f"{recall:g}"] = f"{right / told:.2f} · {of_nothing / unanswered:.2f}"
    return found


if __name__ == "__main__":
    main()
