"""What it costs to say whether citations are fresh, beside the same recall without: `python -m bench.citations`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import scrubjay
from bench import report
from bench.report import Row, Table
from bench.timing import milliseconds, ratio, take_turns
from bench.workroom import workroom

MEMORIES, FILES, HITS, QUESTIONS = 2_000, 100, 10, 400
PAGE = report.FIGURES / "citations.md"
INTRODUCTION = "# Citations, measured\n\nWritten by `python -m bench.citations --docs`.\n"
NOTE = f"""Recall of {HITS} hits of {MEMORIES:,} memories, without citations and with one each of 31 lines in
{FILES} files; {QUESTIONS} questions in turns, embedded by hashing, so that nothing hides what is compared. *changed
since*: each of the files is read once, and then known. The aim is 1.2 times as long."""


def main() -> None:
    options = _options()
    text = report.markdown(measured())
    print(text)
    if options.docs:
        PAGE.write_text(f"{INTRODUCTION}\n{text}", encoding="utf-8")


def measured() -> Table:
    with workroom() as folder:
        _write_files(folder, "", 10_000)
        ways = {name: _search(folder, name, cites=name == "with") for name in ("without", "with")}
        rows = [_row("as they were", ways)]
        _write_files(folder, "new\n", 20_000)
        rows.append(_row("changed since", ways))
    return Table("Recall with citations", NOTE, rows)


def _row(files: str, ways: dict[str, Callable[[str], object]]) -> Row:
    taken = take_turns(ways, [f"heron in tree {number % 37}" for number in range(QUESTIONS)])
    row: Row = {"files": files} | {f"{name}, ms": milliseconds(seconds) for name, seconds in taken.items()}
    return row | {"times as long": ratio(taken["with"], taken["without"])}


def _search(folder: Path, name: str, cites: bool) -> Callable[[str], object]:
    jay = scrubjay.open(folder / f"{name}.db", embedder="hashing", folder=folder)
    jay.add_many(
        [
            {"text": f"Heron {number} nests in tree {number % 37} by the river"}
            | ({"cites": [f"file_{number % FILES}.py:{10 + number % 200}-{40 + number % 200}"]} if cites else {})
            for number in range(MEMORIES)
        ]
    )
    return lambda question: jay.search(question, limit=HITS)


def _write_files(folder: Path, first: str, changed_at: int) -> None:
    for number in range(FILES):
        file = folder / f"file_{number}.py"
        file.write_text(first + "".join(f"line {line} of file {number}\n" for line in range(300)))
        os.utime(file, (0, changed_at + number))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", action="store_true", help=f"write {PAGE.name} into docs/figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
