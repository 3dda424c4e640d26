"""What a search costs while the provider is away: `python -m bench.outage`."""

from __future__ import annotations

import argparse
from typing import Any

from tests.support.model_server import running

import scrubjay
from bench import report
from bench.report import Row, Table
from bench.timing import milliseconds, ratio, take_turns
from bench.workroom import workroom

MEMORIES, QUESTIONS = 5_000, 300
PAGE = report.FIGURES / "outage.md"
INTRODUCTION = "# When the provider is away, measured\n\nWritten by `python -m bench.outage --docs`.\n"
NOTE = f"""{MEMORIES:,} memories with vectors of a server that has died; {QUESTIONS} questions, asked by words only and
as usual in turns. After a few failures nobody asks the server any more, so that words answer at once."""


def main() -> None:
    options = _options()
    text = report.markdown(measured())
    print(text)
    if options.docs:
        PAGE.write_text(f"{INTRODUCTION}\n{text}", encoding="utf-8")


def measured() -> Table:
    with workroom() as folder:
        with running() as server:
            jay = scrubjay.open(folder / "outage.db", embedder=f"openai-compatible:{server.url}/v1#all-minilm")
            jay.add_many([{"text": f"memory {number} about topic {number % 97}"} for number in range(MEMORIES)])
        with jay:
            return Table("A search during an outage", NOTE, [_row(jay)])


def _row(jay: scrubjay.Scrubjay) -> Row:
    def ask(mode: Any) -> Any:
        return lambda question: jay.search(question, mode=mode)

    questions = [f"which memory is about topic {number % 97} and {number}?" for number in range(QUESTIONS)]
    for question in questions[:10]:
        jay.search(question)  # the failures, and everything that is read for the first time
    taken = take_turns({"by words": ask("keyword"), "during the outage": ask("hybrid")}, questions)
    row: Row = {f"{name}, ms": milliseconds(seconds) for name, seconds in taken.items()}
    return row | {"times as long": ratio(taken["during the outage"], taken["by words"])}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", action="store_true", help=f"write {PAGE.name} into docs/figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
