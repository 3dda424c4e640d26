"""How precise the likely results are: sets in which each question names what must come back, and nothing else."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import scrubjay
from bench import report
from bench.cache import Cached
from bench.report import Row, Table, markdown
from bench.workroom import workroom
from scrubjay.models.embedders import open_embedder
from scrubjay.search import constants

__all__ = ["HALVES", "NAMES", "OTHER_NAMES", "WAYS", "Asked", "Question", "asked", "figures", "filled", "read"]

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "data" / "precision"
NAMES = ("home_and_work", "research", "clinic", "tiny")
OTHER_NAMES = "names"  # asks by aliases, by abbreviations, and about what was replaced
HALVES = ("open", "held")
NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)
NOTE = """\
Of what is told by default (the likely results of a search, and the context for a message): the share that must be
told (*P*), the share told of what must be (*R*), how much is told for a question, and how much for one that nothing
answers (*of nothing*). What may be told counts neither way. The sets were written by people who had not seen the
ranking; the line between likely and not was chosen on the open half of the first. Written by
`python -m bench.precision --docs`."""
LINES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
LINES_NOTE = """\
If the confidence from which a result is likely were so many times what it is, over all sets: the aims were a precision
of 0.8 at a recall of 0.9, and 0.3 results for a question that nothing answers."""
TYPES_NOTE = """\
The same for the likely results of the first set, by what the questions ask for. Here *alias* asks by a word that no
memory has as a name: EV, ISP, k8s."""
OTHER_NAMES_NOTE = """\
A set of its own, in which memories have aliases and define abbreviations, and successors do not name what they
replaced. *alias* asks by an alias, *abbreviation* by one that some memory defines, *replaced* about a thing that was
replaced."""

Told = Callable[[scrubjay.Scrubjay, str], list[int]]


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    scope: str
    type: str
    half: str
    must: frozenset[str]
    may: frozenset[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the names of what was told."""

    question: Question
    told: tuple[str, ...]


def read(name: str) -> tuple[list[dict[str, Any]], list[Question]]:
    """The beliefs and the questions of a set."""
    given = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    questions = [
        Question(
            one["id"],
            one["text"],
            one["scope"],
            one["type"],
            one["half"],
            frozenset(one["must"]),
            frozenset(one["may"]),
        )
        for one in given["questions"]
    ]
    return given["beliefs"], questions


@contextmanager
def filled(
    beliefs: Iterable[Mapping[str, Any]], scope: str, path: Path, embedder: Any
) -> Iterator[tuple[scrubjay.Scrubjay, dict[int, str]]]:
    """The memory of a scope, in which what was replaced is replaced; and what its memories are called."""
    own = [one for one in beliefs if one["scope"] == scope]
    with scrubjay.open(path, space=scope, embedder=embedder, clock=lambda: NOW) as jay:
        added = jay.add_many([_fields(one) for one in own])
        ids = {one["id"]: result.memory.id for one, result in zip(own, added, strict=True)}
        for one in own:
            if one["replaced_by"]:
                jay.supersede(ids[one["id"]], by=ids[one["replaced_by"]])
        yield jay, {id: name for name, id in ids.items()}


def _fields(belief: Mapping[str, Any]) -> dict[str, Any]:
    happened_at = datetime.fromisoformat(belief["happened_on"]).replace(hour=12, tzinfo=UTC)
    given = {name: belief[name] for name in ("text", "kind", "subject")} | {"happened_at": happened_at}
    return {**given, "aliases": belief["aliases"]} if "aliases" in belief else given


def _likely(jay: scrubjay.Scrubjay, text: str) -> list[int]:
    return [hit.memory.id for hit in jay.search(text).likely]


def _context(jay: scrubjay.Scrubjay, text: str) -> list[int]:
    return [memory.id for memory in jay.context(text).memories]


WAYS: Mapping[str, Told] = {"search": _likely, "context": _context}


def asked(name: str, folder: Path, embedder: Any, tell: Told) -> list[Asked]:
    beliefs, questions = read(name)
    found: list[Asked] = []
    for scope in dict.fromkeys(question.scope for question in questions):
        with filled(beliefs, scope, folder / f"{name}-{scope}.db", embedder) as (jay, names):
            for question in (one for one in questions if one.scope == scope):
                found.append(Asked(question, tuple(names[id] for id in tell(jay, question.text))))
    return found


def figures(some: Sequence[Asked]) -> dict[str, float]:
    """Over all questions together; the share of nothing is 1."""
    told = [[name for name in one.told if name not in one.question.may] for one in some]
    right = sum(len(one.question.must.intersection(own)) for one, own in zip(some, told, strict=True))
    must = sum(len(one.question.must) for one in some)
    of_nothing = [len(own) for one, own in zip(some, told, strict=True) if not one.question.must]
    return {
        "P": right / (sum(map(len, told)) or 1),
        "R": right / must if must else 1.0,
        "told": fmean(map(len, told)),
        "of nothing": fmean(of_nothing) if of_nothing else 0.0,
    }


def _rows(folder: Path, embedder: Any) -> Iterator[Row]:
    for name in NAMES:
        for way, tell in WAYS.items():
            (folder / way).mkdir(exist_ok=True)
            every = asked(name, folder / way, embedder, tell)
            for half in HALVES:
                some = [one for one in every if one.question.half == half]
                yield {"set": name, "by": way, "half": half, "questions": len(some), **_short(figures(some))}


def _by_type(name: str, folder: Path, embedder: Any) -> Iterator[Row]:
    every = asked(name, folder, embedder, _likely)
    for type in dict.fromkeys(one.question.type for one in every):
        some = [one for one in every if one.question.type == type]
        yield {"asks": type.replace("_", " "), "questions": len(some), **_short(figures(some))}


def _by_line(folder: Path, embedder: Any) -> Iterator[Row]:
    """What would be told if the line between likely and not were elsewhere."""
    found: dict[float, list[Asked]] = {}
    for factor in LINES:
        for name in NAMES:
            place = folder / f"{factor:g}"
            place.mkdir(exist_ok=True)
            with patch.object(constants, "LIKELY_OF_FIFTY", constants.LIKELY_OF_FIFTY * factor):
                found.setdefault(factor, []).extend(asked(name, place, embedder, _likely))
    for factor, every in found.items():
        for half in HALVES:
            some = [one for one in every if one.question.half == half]
            yield {"line": f"× {factor:g}", "half": half, **_short(figures(some))}


def _short(row: Mapping[str, float]) -> Row:
    return {key: f"{value:.2f}" for key, value in row.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.precision", description=__doc__)
    parser.add_argument("--docs", action="store_true", help="write docs/figures/precision.md")
    options = parser.parse_args()
    with workroom() as folder:
        embedder = Cached(open_embedder("local"), folder / "vectors.db")
        tables = [
            Table("Only what answers", NOTE, list(_rows(folder, embedder))),
            Table("Where the line is drawn", LINES_NOTE, list(_by_line(folder, embedder))),
            Table("By what is asked", TYPES_NOTE, list(_by_type(NAMES[0], folder, embedder))),
            Table("By other names", OTHER_NAMES_NOTE, list(_by_type(OTHER_NAMES, folder, embedder))),
        ]
    text = "\n".join(map(markdown, tables))
    print(text)
    if options.docs:
        (report.FIGURES / "precision.md").write_text(f"# Precision\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
