"""What the rules draw from conversations, and how much of it is right: `python -m bench.extract`.

The labels beside this file were given by reading: ids and verdicts only, the texts stay where they are.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import report
from bench.report import Row, Table
from bench.sets import FOLDER, Document, read_set
from scrubjay.upkeep.extract_prompt import NOT_A_PERSON
from scrubjay.upkeep.extract_rules import Statement, statements

LABELS = Path(__file__).with_name("extract_labels.json")
PAGE = report.FIGURES / "extract.md"
SEED, SAMPLED = 7, 80
STATED = "prefeval_explicit"
TALKS = ("beam_100K", "locomo")

INTRODUCTION = """# Extraction by rules, measured

`extract` without a language model takes plain statements of preference, identity, decision and plan from what people
say. Written by `python -m bench.extract --docs`.
"""
FOUND_NOTE = "Each text of this set is one stated preference; how many of them the rules find."
RIGHT_NOTE = f"""A sample of {SAMPLED} drawn statements of each set (seed {SEED}), read one by one. Right: what was
drawn holds of that person beyond the moment, has the right kind, and can be understood without the talk around it.
One reader; the rules were chosen while looking at samples of these sets, and the one for plans was narrowed after this
reading, so expect somewhat less elsewhere."""
KINDS_NOTE = "The same by kind, both sets together."


@dataclass(frozen=True, slots=True)
class Drawn:
    """A statement, and where it was drawn from."""

    id: str
    statement: Statement


def main() -> None:
    options = _options()
    if not FOLDER.is_dir():
        print(f"{FOLDER} is not there: nothing to measure.")
        return
    drawn = {name: drawn_from(name) for name in TALKS}
    if options.sample:
        for each in (each for found in drawn.values() for each in sample(found)):
            print(f"{each.id}\t{each.statement.kind}\t{each.statement.text}")
        return
    labels: dict[str, int] = json.loads(LABELS.read_text(encoding="utf-8"))
    tables = [found_table(), right_table(drawn, labels), kinds_table(drawn, labels)]
    text = "\n".join(map(report.markdown, tables))
    print(text)
    if options.docs:
        PAGE.write_text(f"{INTRODUCTION}\n{text}", encoding="utf-8")


def found_table() -> Table:
    texts = [document.text for document in _documents(STATED)]
    found = sum(bool(statements(text)) for text in texts)
    row: Row = {"set": STATED, "statements": len(texts), "found": found, "percent": _percent(found, len(texts))}
    return Table("Statements that are found", FOUND_NOTE, [row])


def right_table(drawn: dict[str, list[Drawn]], labels: dict[str, int]) -> Table:
    rows: list[Row] = []
    for name, found in drawn.items():
        judged = [labels[each.id] for each in found if each.id in labels]
        row: Row = {"set": name, "turns": len(list(_documents(name))), "drawn": len(found), "read": len(judged)}
        rows.append(row | {"right": sum(judged), "precision %": _percent(sum(judged), len(judged))})
    return Table("What is drawn", RIGHT_NOTE, rows)


def kinds_table(drawn: dict[str, list[Drawn]], labels: dict[str, int]) -> Table:
    read = [each for own in drawn.values() for each in own if each.id in labels]
    rows: list[Row] = []
    for kind in sorted({each.statement.kind for each in read}):
        judged = [labels[each.id] for each in read if each.statement.kind == kind]
        rows.append(
            {"kind": kind, "read": len(judged), "right": sum(judged), "precision %": _percent(sum(judged), len(judged))}
        )
    return Table("What is drawn, by kind", KINDS_NOTE, rows)


def sample(found: Sequence[Drawn]) -> list[Drawn]:
    return random.Random(SEED).sample(found, min(SAMPLED, len(found)))


def drawn_from(name: str) -> list[Drawn]:
    """What the rules draw from what people say, in order."""
    drawn = []
    for document in _documents(name):
        speaker = document.speaker or "user"
        said = document.text.removeprefix(f"{speaker}: ")
        found = statements(said, "User" if speaker == "user" else speaker)
        drawn += [Drawn(f"{document.id}#{number}", statement) for number, statement in enumerate(found)]
    return drawn


def _documents(name: str) -> Iterator[Document]:
    scopes: Sequence[list[Document]] = list(read_set(name).documents.values())
    for document in (document for scope in scopes for document in scope):
        if (document.speaker or "user").lower() not in NOT_A_PERSON:
            yield document


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", action="store_true", help="print the sample, for reading")
    parser.add_argument("--docs", action="store_true", help=f"write {PAGE.name} into docs/figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
