"""The weights of the signs by which the guard knows a secret in a sentence: `python -m bench.guard_weights`.

A logistic regression over what `text/secret_scan/access` says of each value, as deterministic as its data: the texts
by other authors, texts that were made for this, and the halves of ordinary text that rules may be adjusted to. The
texts of each author are judged by weights that were fitted without them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.ordinary_text import HALVES, SOURCES, ordinary_texts
from bench.report import Row, Table, markdown
from bench.secret_families.by_others import AUTHORS, is_caught, texts_of
from bench.secret_families.fresh.ordinary import fresh_texts
from scrubjay.text.secret_scan.access import signs_of_candidates, weighed, weights

MADE = Path(__file__).parent / "secret_families" / "talk.json"
WRITTEN = Path(weights.__file__)
STARTS = ("start", "number: start")
PENALTY, PENALTY_OF_STARTS, ROUNDS = 5.0, 0.01, 30
COUNTS = {True: 10.0, False: 5.0}  # of a secret and of another value in the sets: a value of ordinary text counts 1
SURE = 0.6  # above what is as likely as not, with these counts
HALVES_TO_TUNE = ("tuning", "seen")
NOTE = """Texts in prose and dialogue with a secret, and ordinary texts that are hard. *Left out*: with weights that
were fitted without the author's texts. The texts that were made for this are by the one who chose the signs and had
seen what was missed in all sets, so the column *without both* is fitted without them as well.
*Flagged*: by this rule alone."""

Weights = dict[str, float]


class Valued(NamedTuple):
    """A value in a text, as its signs."""

    text: int
    signs: Sequence[str]
    is_secret: bool


class Set(NamedTuple):
    """The texts of one author, with the values that stand in them."""

    secrets: Sequence[Mapping[str, str]]
    ordinary: Sequence[str]
    values: Sequence[Valued]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write the weights into {WRITTEN.name}")
    options = parser.parse_args()
    sets = {**{author: _set(map(texts_of, names)) for author, names in AUTHORS.items()}, "made": _set([_made()])}
    ordinary = {half: list(_values(texts)) for half, texts in _ordinary().items()}
    others = [value for half in HALVES_TO_TUNE for value in ordinary[half]]
    chosen = fit([one for own in sets.values() for one in own.values], others)
    rows = [_row(author, sets, others, chosen) for author in AUTHORS]
    print(markdown(Table("Leaving an author out", NOTE, rows)))
    print(markdown(Table("Ordinary text", "Texts flagged by this rule alone.", [_flagged(ordinary, chosen)])))
    if options.write:
        _write(chosen)


def fit(values: Sequence[Valued], others: Sequence[Valued]) -> Weights:
    """By Newton's method with a penalty; one digit is enough."""
    every = [*values, *others]
    names = sorted({sign for one in every for sign in one.signs})
    inputs = _inputs(every, names)
    wanted = np.array([one.is_secret for one in every], dtype=float)
    counts = np.array([*(COUNTS[one.is_secret] for one in values), *(1.0 for _ in others)])
    penalty = np.array([PENALTY_OF_STARTS if name in STARTS else PENALTY for name in names])
    found = np.zeros(len(names))
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        gradient = inputs.T @ (counts * (likely - wanted)) + penalty * found
        curvature = (inputs * (counts * likely * (1 - likely))[:, None]).T @ inputs + np.diag(penalty)
        found -= np.linalg.solve(curvature, gradient)
    exact = {name: float(weight) - SURE * (name in STARTS) for name, weight in zip(names, found, strict=True)}
    return {name: rounded for name, weight in exact.items() if (rounded := round(weight, 1))}


def _inputs(values: Sequence[Valued], names: Sequence[str]) -> npt.NDArray[np.float64]:
    places = {name: place for place, name in enumerate(names)}
    inputs = np.zeros((len(values), len(names)))
    for row, one in zip(inputs, values, strict=True):
        row[[places[sign] for sign in one.signs]] = 1
    return inputs


def _row(author: str, sets: Mapping[str, Set], others: Sequence[Valued], chosen: Weights) -> Row:
    judged = sets[author]
    left_out = fit([one for name, own in sets.items() if name != author for one in own.values], others)
    without_both = fit([one for name in AUTHORS if name != author for one in sets[name].values], others)
    row: Row = {"author": author, "texts": len(judged.secrets), "by the other rules": _caught(judged, {})}
    for name, tried in (("without both", without_both), ("left out", left_out), ("as it is", chosen)):
        row[name] = _caught(judged, tried)
        row[f"flagged, {name}"] = len(_found_in(judged.values, tried, of_ordinary=len(judged.secrets)))
    return row


def _caught(judged: Set, tried: Weights) -> int:
    """With these weights; with none, the rule finds nothing."""
    kept = dict(weights.WEIGHTS)
    weights.WEIGHTS.clear()
    weights.WEIGHTS.update(tried or dict.fromkeys(STARTS, -1000.0))
    caught = sum(is_caught(one["text"], one["secret"]) for one in judged.secrets)
    weights.WEIGHTS.clear()
    weights.WEIGHTS.update(kept)
    return caught


def _found_in(values: Iterable[Valued], tried: Weights, of_ordinary: int = 0) -> set[int]:
    """The texts, from the first ordinary one on, in which the rule finds something."""
    return {one.text for one in values if one.text >= of_ordinary and weighed(one.signs, tried) >= 0}


def _flagged(ordinary: Mapping[str, Sequence[Valued]], tried: Weights) -> Row:
    return {half: len(_found_in(values, tried)) for half, values in ordinary.items()}


def _set(texts: Iterable[Mapping[str, Any]]) -> Set:
    every = list(texts)
    secrets = [one for some in every for one in some["secrets"] if one.get("form") != "structured"]
    ordinary = [text for some in every for text in some["ordinary"]]
    values = [value for number, one in enumerate(secrets) for value in _values_beside(number, one)]
    return Set(secrets, ordinary, [*values, *_values(ordinary, len(secrets))])


def _values_beside(number: int, one: Mapping[str, str]) -> Iterator[Valued]:
    """Of a text with a secret: the secret, and what does not touch it."""
    start = one["text"].index(one["secret"])
    end = start + len(one["secret"])
    for value, signs in signs_of_candidates(one["text"], one["text"].lower()):
        if value.start <= start and end <= value.end:
            yield Valued(number, signs, True)
        elif value.end <= start or end <= value.start:
            yield Valued(number, signs, False)


def _values(texts: Iterable[str], first: int = 0) -> Iterator[Valued]:
    for number, text in enumerate(texts, first):
        for _, signs in signs_of_candidates(text, text.replace("İ", "I").lower()):
            yield Valued(number, signs, False)


def _ordinary() -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {half: [] for half in (*HALVES, "seen", "unseen")}
    for name in SOURCES:
        for half, some in ordinary_texts(name).items():
            texts[half] += some
    for _, unseen, text in fresh_texts():
        texts["unseen" if unseen else "seen"].append(text)
    return texts


def _made() -> Mapping[str, Any]:
    made: Mapping[str, Any] = json.loads(MADE.read_text(encoding="utf-8"))
    return made


def _write(found: Weights) -> None:
    lines = "".join(f'    "{name}": {weight},\n' for name, weight in sorted(found.items(), key=lambda one: -one[1]))
    start = WRITTEN.read_text(encoding="utf-8").split("WEIGHTS:")[0]
    WRITTEN.write_text(f"{start}WEIGHTS: dict[str, float] = {{\n{lines}}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
