"""Whether the fusion holds on other memories: its numbers are chosen on all sets but one, and judged on that one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import scrubjay
from bench import report
from bench.cache import Cached
from bench.quality.filling import fill, opened
from bench.quality.metrics import judge
from bench.quality.ours import read_ours
from bench.quality.rivals import by_bm25, by_minilm
from bench.report import Row, Table, markdown
from bench.sets import FOLDER, NAMES, Question, RetrievalSet, read_set
from bench.workroom import workroom
from scrubjay.models.embedders import open_embedder
from scrubjay.search import pipeline
from scrubjay.stores.search import Snapshot
from scrubjay.types import WEIGHTS

GAIN = "nDCG@10"
QUESTIONS = 400  # of each set, evenly spread: with 200 a mean moves by a hundredth from sample to sample
KEYWORD_WEIGHTS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
OTHERS = ("words alone", "meaning alone", "BM25", "MiniLM")
ALLOWED = 0.01
SAME = {"xquad_zh2en": "xquad", "xquad_es2en": "xquad"}  # left out together: the same paragraphs
NOTE = """\
nDCG@10 of hybrid search, some {} questions of each set. The weight of words beside meaning, the one number of
the fusion, is that which is best on average over the other sets (*left out*, with that weight); beside it the weight
that the program has (*as it is*), its two legs, plain BM25 and plain MiniLM. Written by
`python -m bench.leave_out --docs`."""

Gains = Mapping[Any, float]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.leave_out", description=__doc__)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=NAMES, help=f"of {', '.join(NAMES)}")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="about how many of each set")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/leave_out.md")
    options = parser.parse_args()
    if not FOLDER.is_dir():
        print("skipped: the public sets are not there (../shared/data beside the project)")
        return
    with workroom() as folder:
        embedder = Cached(open_embedder("local"))
        sets = (read_ours(), *map(read_set, options.sets))
        gains = {given.name: _gains(given, folder / f"{given.name}.db", embedder, options.questions) for given in sets}
    text = markdown(Table("Leaving a set out", NOTE.format(options.questions), list(_rows(gains))))
    print(text)
    if options.docs:
        (report.FIGURES / "leave_out.md").write_text(f"# Leaving a set out\n\n{text}", encoding="utf-8")


def _gains(given: RetrievalSet, path: Path, embedder: Any, wanted: int) -> Gains:
    """By weight of words, and by other way of searching, the mean over the questions."""
    print(f"{given.name}: measuring", file=sys.stderr, flush=True)
    found: dict[Any, list[float]] = {}
    every = max(1, round(sum(len(own) for own in given.questions.values()) / wanted))
    for scope, documents in given.documents.items():
        questions = [one for one in given.questions.get(scope, []) if one.answerable][::every]
        if questions:
            with opened(given, scope, path, embedder) as jay:
                names = fill(jay, documents)
                for way, ids in _answers(jay, names, documents, questions, embedder):
                    judged = zip(ids, questions, strict=True)
                    found.setdefault(way, []).extend(judge(own, one.relevant)[GAIN] for own, one in judged)
    return {way: fmean(own) for way, own in found.items()}


def _answers(
    jay: scrubjay.Scrubjay, names: Mapping[int, str], documents: Any, questions: Sequence[Question], embedder: Any
) -> Iterator[tuple[Any, list[list[str]]]]:
    texts = [question.text for question in questions]
    with _read_once():
        for weight in KEYWORD_WEIGHTS:
            found = jay.search_many(texts, weights={"keyword": weight, "vector": 1 - weight})
            yield weight, [[names[hit.memory.id] for hit in results] for results in found]
    for way, mode in zip(OTHERS, ("keyword", "vector"), strict=False):
        yield way, [[names[hit.memory.id] for hit in results] for results in jay.search_many(texts, mode=mode)]  # type: ignore[arg-type]
    yield "BM25", [answer.ids for answer in by_bm25(documents, questions)]
    yield "MiniLM", [answer.ids for answer in by_minilm(embedder, documents, questions)]


@contextmanager
def _read_once() -> Iterator[None]:
    """What a store knows of a question is the same with every weight: it is read once. Confidence is left out."""
    with (
        patch.object(
            Snapshot, "candidates", _kept(Snapshot.candidates, lambda asked: (asked.limit, *asked.without_kinds))
        ),
        patch.object(Snapshot, "evidence", _kept(Snapshot.evidence, lambda asked: tuple(asked.ids))),
        patch.object(pipeline, "with_confidence", lambda results, judged, query: results),
    ):
        yield


def _kept(read: Callable[[Snapshot, Any], Any], key: Callable[[Any], Any]) -> Callable[[Snapshot, Any], Any]:
    known: dict[Any, Any] = {}

    def again(snapshot: Snapshot, asked: Any) -> Any:
        if (own := (asked.text, key(asked))) not in known:
            known[own] = read(snapshot, asked)
        return known[own]

    return again


def _rows(gains: Mapping[str, Gains]) -> Iterator[Row]:
    own = WEIGHTS["keyword"]
    rows: list[Row] = []
    for name, found in gains.items():
        others = [gains[other] for other in gains if SAME.get(other, other) != SAME.get(name, name)]
        chosen = max(KEYWORD_WEIGHTS, key=lambda weight: fmean(other[weight] for other in others))
        least = max(found[way] for way in OTHERS) - ALLOWED
        beside = {way: found[way] for way in OTHERS}
        rows.append({"set": name, "left out": found[chosen], "as it is": found[own], **beside})
        holds = "yes" if found[chosen] >= least else "**no**"
        yield {**_short(rows[-1]), "weight": f"{chosen:g}", f"within {ALLOWED} of the best": holds}
    mean = {key: fmean(float(row[key]) for row in rows) for key in rows[0] if key != "set"}
    yield _short({"set": "mean", **mean})


def _short(row: Row) -> Row:
    return {key: f"{value:.3f}" if isinstance(value, float) else value for key, value in row.items()}


if __name__ == "__main__":
    main()
