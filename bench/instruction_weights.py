"""The weights of the signs of instructions, fitted and judged on sets left out: `python -m bench.instruction_weights`.

A logistic regression over the signs and the vectors of sentences that were labelled by hand, as deterministic as its
data. Each set of sessions is judged by weights that were fitted without it.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench import report
from bench.hooks import (
    LABELS,
    OTHERS,
    SESSIONS,
    Session,
    is_whenever,
    judge_sessions,
    read_json,
    said_by_others,
    user_turns,
)
from bench.report import Row, Table
from bench.sets import FOLDER
from scrubjay.upkeep.instructions import Weights, features, sentences, vector, weights

PAGE = report.FIGURES / "instructions.md"
WRITTEN = Path(weights.__file__)
PENALTY, ROUNDS = 1.0, 20
SHARE_OF_OTHERS = 0.1  # these are many, and labelled by the form of their words only
MESSAGES = "messages"
LEARNT, FROM_ATTACKS = "learnt, left out", "from attacks, left out"
PRECISION, RECALL = ("precision, left out", LEARNT), ("recall, left out", "instructions")  # a share, and of what
INTRODUCTION = "# Instructions\n\nWritten by `python -m bench.instruction_weights --docs`.\n"
NOTE = """Sessions of users with coding agents: standing instructions, requests for the moment, and pasted attacks. A
memory is right if it was learnt from a message with an instruction and has the words that tell it. *Left out*: with
weights that were fitted to all other sets; *as it is*: with weights fitted to all sets, which the program has. *From
attacks*: learnt in a session in which something is pasted, from whichever message. The signs themselves were chosen
while looking at the misses of the sets down to `later`, not of those below it, except that a sentence which breaks off
is no longer learnt, as was seen in `professions`; the authors of all from `blind` on had seen neither rules nor other
sets. An instruction that is told in two sentences counts as two. How much is enough was chosen by the columns *left
out*, so expect a little less on other sessions. The aims are a precision of 0.9 and a recall of 0.5."""


class Labelled(NamedTuple):
    """A sentence, as numbers, and whether it is an instruction."""

    set: str
    features: dict[str, float]
    vector: tuple[float, ...]
    is_instruction: bool


def main() -> None:
    options = _options()
    if not FOLDER.is_dir():
        print(f"{FOLDER} is not there: nothing to fit.")
        return
    labelled = [*_of_messages(), *_of_others(), *(one for name in SESSIONS for one in _of_sessions(name))]
    chosen = fit(labelled)
    rows = [_row(name, fit([one for one in labelled if one.set != name]), chosen) for name in SESSIONS]
    text = report.markdown(Table("Leaving a set out", NOTE, [*rows, _together(rows)]))
    print(text)
    if options.docs:
        PAGE.write_text(f"{INTRODUCTION}\n{text}", encoding="utf-8")
    if options.write:
        _write(chosen)


def fit(labelled: Sequence[Labelled]) -> Weights:
    """The weights, by Newton's method with a penalty on all but the start; one digit is enough."""
    names = list(labelled[0].features)
    inputs = np.array([[*one.features.values(), *one.vector] for one in labelled])
    wanted = np.array([one.is_instruction for one in labelled], dtype=float)
    penalty = np.array([0.0 if name == "start" else PENALTY for name in names] + [PENALTY] * len(labelled[0].vector))
    counts = np.array([SHARE_OF_OTHERS if one.set == OTHERS else 1.0 for one in labelled])
    found = np.zeros(len(penalty))
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-inputs @ found))
        gradient = inputs.T @ (counts * (likely - wanted)) + penalty * found
        curvature = (inputs * (counts * likely * (1 - likely))[:, None]).T @ inputs + np.diag(penalty + 1e-9)
        found -= np.linalg.solve(curvature, gradient)
    rounded = [round(float(weight), 1) + 0.0 for weight in found]
    return Weights(dict(zip(names, rounded, strict=False)), rounded[len(names) :])


def _row(name: str, left_out: Weights, chosen: Weights) -> Row:
    sessions: list[Session] = read_json(SESSIONS[name])
    judged, as_it_is = judge_sessions(sessions, left_out), judge_sessions(sessions, chosen)
    return {
        "set": name, "sessions": len(sessions), "instructions": judged.there, LEARNT: judged.learnt,
        PRECISION[0]: judged.precision, RECALL[0]: judged.recall,
        "precision, as it is": as_it_is.precision, "recall, as it is": as_it_is.recall,
        FROM_ATTACKS: judged.from_attacks,
    }  # fmt: skip


def _together(rows: Sequence[Row]) -> Row:
    """The sets whose authors had seen neither rules nor other sets, as if they were one."""
    blind = rows[list(SESSIONS).index("blind") :]
    added = {name: sum(row[name] for row in blind) for name in ("sessions", "instructions", LEARNT, FROM_ATTACKS)}
    right, recalled = (sum(row[name] * row[of] for row in blind) for name, of in (PRECISION, RECALL))
    return {"set": "all from `blind` on", **added, PRECISION[0]: right / added[LEARNT],
            RECALL[0]: recalled / added["instructions"]}  # fmt: skip


def _labelled(name: str, sentence: str, opens: bool, is_instruction: bool) -> Labelled:
    return Labelled(name, features(sentence, opens), vector(sentence), is_instruction)


def _of_messages() -> list[Labelled]:
    """Messages of one sentence: of longer ones it is not known which sentence tells the instruction."""
    labelled = []
    for message in read_json(LABELS)["messages"]:
        weighed = sentences(message["text"])
        if len(weighed) == 1 or not message["is_instruction"]:
            labelled += [_labelled(MESSAGES, own, False, message["is_instruction"]) for own, _ in weighed]
    return labelled


def _of_others() -> list[Labelled]:
    weighed = [own for text in said_by_others() for own, _ in sentences(text)]
    return [_labelled(OTHERS, own, False, is_whenever(own)) for own in weighed]


def _of_sessions(name: str) -> list[Labelled]:
    labelled = []
    for session in read_json(SESSIONS[name]):
        for place, opens, text in user_turns(session):
            words = [
                word.casefold() for one in session["instructions"] if one["turn"] == place for word in one["about"]
            ]
            for own, typed in sentences(text):
                told = any(word in typed.casefold() for word in words)
                labelled.append(_labelled(name, own, opens, told))
    return labelled


def _write(found: Weights) -> None:
    lines = "".join(f'    "{name}": {weight},\n' for name, weight in found.signs.items())
    numbers = textwrap.indent(textwrap.fill(", ".join(map(str, found.meaning)) + ",", 116), "    ")
    start = WRITTEN.read_text(encoding="utf-8").split("WEIGHTS:")[0]
    made = f"WEIGHTS: dict[str, float] = {{\n{lines}}}\nMEANING = (\n{numbers}\n)  # fmt: skip\n"
    WRITTEN.write_text(start + made, encoding="utf-8")


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write the weights into {WRITTEN.name}")
    parser.add_argument("--docs", action="store_true", help=f"write {PAGE.name} into docs/figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
