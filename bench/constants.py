"""What each constant of the ranking is worth beside its neighbours, on the half it was chosen on."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import scrubjay
from bench import report
from bench.cache import Cached
from bench.quality.filling import fill, opened
from bench.quality.metrics import judge
from bench.report import Row, Table, markdown
from bench.sets import FOLDER, NAMES, Question, RetrievalSet, read_set
from bench.workroom import workroom
from scrubjay.models.embedders import open_embedder
from scrubjay.search import constants

GAIN = "nDCG@10"
QUESTIONS = 100  # of each set
FACTORS = (0.8, 1.0, 1.25)
CONSTANTS = (
    *("BM25_K1", "BM25_B", "BM25_EXTRA_WORDS", "LONG_TEXT_PENALTY", "DISTANCE_SCALE"),
    *("NEIGHBOUR_WEIGHT", "CONVERSATION_SHARE", "PREVIOUS_TURN_WEIGHT"),
    *("SPEAKER_LIFT", "ASSISTANT_PENALTY", "OTHER_TIME_PENALTY", "DAYS_BEFORE", "DAYS_AFTER"),
)
NOTE = f"""\
Mean nDCG@10 over the public sets, some {QUESTIONS} questions of the chosen half of each, if one constant of
`search/constants.py` is four fifths of what it is, as it is, and five fourths of it. *most*: the set that
gains most by a change, and *least*: the one that loses most. Written by `python -m bench.constants --docs`."""


class Asked(NamedTuple):
    """A memory, its questions, and what its documents are called."""

    name: str
    jay: scrubjay.Scrubjay
    names: Mapping[int, str]
    questions: Sequence[Question]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.constants", description=__doc__)
    parser.add_argument("--docs", action="store_true", help="write docs/figures/constants.md")
    options = parser.parse_args()
    if not FOLDER.is_dir():
        print("skipped: the public sets are not there (../shared/data beside the project)")
        return
    with workroom() as folder, ExitStack() as stack:
        embedder = Cached(open_embedder("local"))
        memories = [memory for name in NAMES for memory in _memories(read_set(name), folder, embedder, stack)]
        text = markdown(Table("Constants of the ranking", NOTE, list(_rows(memories))))
    print(text)
    if options.docs:
        (report.FIGURES / "constants.md").write_text(f"# Constants\n\n{text}", encoding="utf-8")


def _memories(given: RetrievalSet, folder: Path, embedder: Any, stack: ExitStack) -> Iterator[Asked]:
    """The scopes of the chosen half, filled; of a single scope, every other question."""
    scopes = list(given.documents)[::2]
    chosen = {scope: _chosen(given, scope) for scope in scopes}
    every = max(1, round(sum(map(len, chosen.values())) / QUESTIONS))
    for scope in scopes:
        jay = stack.enter_context(opened(given, scope, folder / f"{given.name}.db", embedder))
        yield Asked(given.name, jay, fill(jay, given.documents[scope]), chosen[scope][::every])


def _chosen(given: RetrievalSet, scope: str) -> list[Question]:
    questions = given.questions.get(scope, [])
    chosen = questions if len(given.documents) > 1 else questions[::2]
    return [question for question in chosen if question.answerable]


def _rows(memories: Sequence[Asked]) -> Iterator[Row]:
    now = _gains(memories)
    for name in CONSTANTS:
        print(f"{name}: measuring", file=sys.stderr, flush=True)
        value = getattr(constants, name)
        gains = {1.0: now}
        for factor in FACTORS:
            if factor not in gains:
                with patch.object(constants, name, value * factor):
                    gains[factor] = _gains(memories)
        changes = {(own, factor): gains[factor][own] - now[own] for factor in FACTORS for own in now}
        yield {
            "constant": name,
            "value": value,
            **{f"× {factor:g}": f"{_mean(gains[factor]):.4f}" for factor in FACTORS},
            "most": _described(max(changes, key=changes.__getitem__), changes),
            "least": _described(min(changes, key=changes.__getitem__), changes),
        }


def _gains(memories: Sequence[Asked]) -> dict[str, float]:
    """By set the mean over its questions."""
    judged: dict[str, list[float]] = {}
    for memory in memories:
        found = memory.jay.search_many([question.text for question in memory.questions])
        for question, results in zip(memory.questions, found, strict=True):
            ids = [memory.names[hit.memory.id] for hit in results]
            judged.setdefault(memory.name, []).append(judge(ids, question.relevant)[GAIN])
    return {name: sum(own) / len(own) for name, own in judged.items()}


def _mean(gains: Mapping[str, float]) -> float:
    return sum(gains.values()) / len(gains)


def _described(change: tuple[str, float], changes: Mapping[tuple[str, float], float]) -> str:
    name, factor = change
    return f"{name} {changes[change]:+.4f} at × {factor:g}"


if __name__ == "__main__":
    main()
