"""The same work in two checkouts, in turn: `python -m bench.before ../old/.venv/bin/python`.

The argument is the Python of an environment in which the other checkout is installed. CPU time, as other programs then
disturb less; the embedder is `hashing`, so that the model is left out, but for the cold start of the command.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from bench.corpus import notes
from bench.report import Row, Table, markdown
from bench.workroom import workroom

__all__ = ["main"]

MEMORIES = 10_000
ROUNDS = 7
SEARCHES = 60
ADDS = 40
COLD_STARTS = 9
QUESTION = "when is the budget meeting with Ann"
MODES = ("hybrid", "keyword", "vector")

# Runs in either environment, so it uses the public surface only. It reads one line for each round.
WORK = """
import json, sys, time
import scrubjay
path, texts, questions = json.loads(sys.stdin.readline())
def timed(work, count):
    begun = time.process_time()
    for place in range(count):
        work(place)
    return (time.process_time() - begun) / count * 1000
with scrubjay.open(path, embedder="hashing") as jay:
    size, adds = len(texts) - %(reserve)d, %(adds)d
    jay.add_many([{"text": text, "kind": "fact"} for text in texts[:size]], redact=True)
    jay.search(questions[0])
    for line in sys.stdin:
        done = {}
        for mode in %(modes)r:
            done[mode] = timed(lambda place: jay.search(questions[place], mode=mode), len(questions))
        new = iter(texts[size + int(line) * adds:])
        done["add"] = timed(lambda place: jay.add(next(new), kind="fact", redact=True), adds)
        print(json.dumps(done), flush=True)
"""
COLD = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, capture_output=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print((used.ru_utime + used.ru_stime) * 1000)
"""


class Checkout:
    """A process that does the work in one environment, a round at a time."""

    def __init__(self, python: str, folder: Path) -> None:
        folder.mkdir()
        self._command = str(Path(python).with_name("scrubjay"))
        self._small = ["--store", str(folder / "small.db")]
        work = WORK % {"reserve": ROUNDS * ADDS, "adds": ADDS, "modes": MODES}
        self._process = subprocess.Popen([python, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        texts = notes(MEMORIES + ROUNDS * ADDS, seed=7)
        self._tell([str(folder / "memory.db"), texts, notes(SEARCHES, seed=8)])
        subprocess.run([self._command, "add", texts[0], *self._small], check=True, capture_output=True)

    def round(self, number: int) -> dict[str, float]:
        self._tell(number)
        assert self._process.stdout is not None
        done: dict[str, float] = json.loads(self._process.stdout.readline())
        return done

    def cold_start(self) -> float:
        search = [self._command, "search", QUESTION, *self._small]
        told = subprocess.run([sys.executable, "-c", COLD, *search], check=True, capture_output=True, text=True)
        return float(told.stdout)

    def close(self) -> None:
        self._process.communicate()

    def _tell(self, message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def main(before: str) -> None:
    with workroom() as folder:
        checkouts = {"before": Checkout(before, folder / "before"), "after": Checkout(sys.executable, folder / "after")}
        taken: dict[str, list[dict[str, float]]] = {name: [] for name in checkouts}
        for number in range(ROUNDS):
            for name, checkout in checkouts.items():
                taken[name].append(checkout.round(number))
        for checkout in checkouts.values():
            checkout.close()
        cold: dict[str, list[float]] = {name: [] for name in checkouts}
        for _ in range(COLD_STARTS):
            for name, checkout in checkouts.items():
                cold[name].append(checkout.cold_start())
    note = f"CPU milliseconds at {MEMORIES:,} memories, medians of {ROUNDS} rounds in turn; {COLD_STARTS} cold starts."
    rows = [_row(work, {name: [done[work] for done in taken[name]] for name in taken}) for work in (*MODES, "add")]
    print(markdown(Table("Before and after", note, [*rows, _row("cold `scrubjay search`", cold)])))


def _row(work: str, taken: Mapping[str, list[float]]) -> Row:
    before, after = median(taken["before"]), median(taken["after"])
    return {"work": work, "before, ms": before, "after, ms": after, "ratio": after / before}


if __name__ == "__main__":
    main(sys.argv[1])
