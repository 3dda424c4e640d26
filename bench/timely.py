"""What it is worth that search minds the time a question names: `python -m bench.timely`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench import report
from bench.cache import Cached
from bench.quality.filling import fill, opened
from bench.quality.metrics import judge
from bench.report import Row, Table, markdown
from bench.sets import FOLDER, Question, RetrievalSet, read_set
from bench.workroom import workroom
from scrubjay.dates.questions import Times, times
from scrubjay.dates.timestamps import now
from scrubjay.models.embedders import open_embedder
from scrubjay.search import pipeline, time

SETS = ("locomo", "beam_100K")
NO_TIMES = Times((), time_only=False)
WHOLE = "as it is"
NOTE = """\
R@10 · nDCG@10 of the answerable questions that name a time, by half: as it is, without, and without the time that a
memory's own text names. Written by `python -m bench.timely --docs`."""

Judged = dict[tuple[str, str], list[dict[str, float]]]  # by half and way


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.timely", description=__doc__)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=SETS, help=f"of {', '.join(SETS)}")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/timely.md")
    options = parser.parse_args()
    if not FOLDER.is_dir():
        print("skipped: the public sets are not there (../shared/data beside the project)")
        return
    with workroom() as folder:
        embedder = Cached(open_embedder("local"))
        rows = [row for name in options.sets for row in _rows(read_set(name), folder, embedder)]
    text = markdown(Table("Questions that name a time", NOTE, rows))
    print(text)
    if options.docs:
        (report.FIGURES / "timely.md").write_text(f"# Times\n\n{text}", encoding="utf-8")


def _rows(given: RetrievalSet, folder: Path, embedder: Any) -> Iterator[Row]:
    judged = _judged(given, folder / f"{given.name}.db", embedder)
    for half in dict.fromkeys(half for half, _ in judged):
        ways = {way: own for (other, way), own in judged.items() if other == half}
        yield {
            "set": given.name,
            "half": half,
            "questions": len(ways[WHOLE]),
            **{way: f"{_mean(own, 'R@10')} · {_mean(own, 'nDCG@10')}" for way, own in ways.items()},
        }


def _names_a_time(text: str) -> bool:
    return bool(times(text, now()).spans)


def _judged(given: RetrievalSet, path: Path, embedder: Any) -> Judged:
    judged: Judged = {}
    for number, (scope, documents) in enumerate(given.documents.items()):
        asked = [one for one in given.questions.get(scope, []) if one.answerable and _names_a_time(one.text)]
        if not asked:
            continue
        half = "reported" if number % 2 else "chosen"
        with opened(given, scope, path, embedder) as jay:
            names = fill(jay, documents)
            for way, switches in _ways().items():
                with ExitStack() as stack:
                    for switch in switches:
                        stack.enter_context(switch)
                    found = jay.search_many([question.text for question in asked])
                judged.setdefault((half, way), []).extend(_judge(asked, found, names))
    return judged


def _ways() -> dict[str, list[AbstractContextManager[Any]]]:
    """What is switched off in each way."""
    return {
        WHOLE: [],
        "without": [patch.object(pipeline, "times", lambda text, at: NO_TIMES)],
        "without texts' own times": [patch.object(time, "times", lambda text, at: NO_TIMES)],
    }


def _judge(asked: Sequence[Question], found: Sequence[Any], names: Mapping[int, str]) -> Iterator[dict[str, float]]:
    for question, results in zip(asked, found, strict=True):
        yield judge([names[hit.memory.id] for hit in results], question.relevant)


def _mean(judged: Sequence[Mapping[str, float]], measure: str) -> str:
    return f"{sum(one[measure] for one in judged) / len(judged):.3f}"


if __name__ == "__main__":
    main()
