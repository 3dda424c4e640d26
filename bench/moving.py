"""What export and import cost beside a plain copy of the same rows: `python -m bench.moving`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import uuid4

import apsw
import numpy as np

import scrubjay
from bench import report
from bench.corpus import notes
from bench.report import Row, Table
from bench.workroom import workroom
from scrubjay.memory.view import View
from scrubjay.models.embedding import RECIPE
from scrubjay.stores import NewMemory, Store
from scrubjay.types import Model, first_words

MEMORIES = (10_000, 30_000, 100_000)
AT_ONCE = 1_000
MODEL = Model("none", "bench", 384, RECIPE)
MOVING = Table(
    "Moving memories, with their vectors",
    "Each in a process of its own: seconds of processor time, so that other work on the machine does not count, beside"
    " a plain copy of the same rows: every row read and inserted into a new file with the same tables and indexes, in"
    " one transaction. *Memory* is the largest resident size above that of the process before the work; *SQLite's* is"
    " the most that SQLite had of it at once, nearly all of it pages of the file, of which each connection keeps up to"
    " 64 MiB. *The rest* is what Scrubjay itself holds.",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, nargs="*", default=MEMORIES)
    parser.add_argument("--docs", action="store_true", help="write docs/figures/moving.md")
    options = parser.parse_args()
    for count in options.memories:
        with workroom() as folder:
            MOVING.rows.extend(times(folder, count))
        print(MOVING.rows[-3:], file=sys.stderr)  # the larger ones take long
    page = report.markdown(MOVING)
    print(page)
    if options.docs:
        (report.FIGURES / "moving.md").write_text(page, encoding="utf-8")


def times(folder: Path, count: int) -> list[Row]:
    fill(folder / "full.db", count)
    ways: dict[str, Callable[[Path], None]] = {"plain copy": copy_rows, "export": export, "import": import_}
    taken = {name: measured(way, folder) for name, way in ways.items()}
    plain = taken["plain copy"][0]
    return [
        {
            "memories": f"{count:,}",
            "what": name,
            "seconds": seconds,
            "/ plain copy": seconds / plain,
            "memory, MB": peak,
            "SQLite's, MB": pages,
            "the rest, MB": peak - pages,
        }
        for name, (seconds, peak, pages) in taken.items()
    ]


def fill(path: Path, count: int) -> None:
    chance, texts = np.random.default_rng(1), notes(count, seed=9)
    with scrubjay.open(path, embedder="none") as jay:
        for start in range(0, count, AT_ONCE):
            part = texts[start : start + AT_ONCE]
            vectors = chance.standard_normal((len(part), MODEL.dimensions), dtype=np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            put(jay.view, jay.view.store, part, vectors)


def put(view: View, store: Store, texts: list[str], vectors: Any) -> None:
    pattern = view.new_memory("a text", {"kind": "fact"})
    new = [
        NewMemory(replace(pattern, uid=uuid4().hex, text=said, title=first_words(said)), vector[None])
        for number, (text, vector) in enumerate(zip(texts, vectors, strict=True))
        if (said := f"{text} ({number})")
    ]
    store.memories.put(new, MODEL)


def copy_rows(folder: Path) -> None:
    with scrubjay.open(folder / "plain.db", embedder="none"):
        pass
    old, new = apsw.Connection(str(folder / "full.db")), apsw.Connection(str(folder / "plain.db"))
    new.execute("begin immediate")
    for table in ("models", "memories", "pieces"):
        columns = [row[1] for row in old.execute(f"pragma table_info({table})")]
        marks = ", ".join("?" * len(columns))
        new.executemany(f"insert into {table} values ({marks})", old.execute(f"select * from {table}"))
    new.execute("commit")


def export(folder: Path) -> None:
    with scrubjay.open(folder / "full.db", embedder="none") as jay:
        jay.export(folder / "full.jsonl", vectors=True)


def import_(folder: Path) -> None:
    with scrubjay.open(folder / "new.db", embedder="none") as jay:
        report = jay.import_file(folder / "full.jsonl")
        assert report.trusted and not report.left_out


def measured(way: Callable[[Path], None], folder: Path) -> tuple[float, float, float]:
    """Seconds of processor time; megabytes of memory, and those of them that SQLite had."""
    context = get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_run, (way, folder))


def _run(way: Callable[[Path], None], folder: Path) -> tuple[float, float, float]:
    before, began = _resident(), time.process_time()
    way(folder)
    _, most_of_sqlite = apsw.status(apsw.SQLITE_STATUS_MEMORY_USED)
    return time.process_time() - began, _resident() - before, most_of_sqlite / 1e6


def _resident() -> float:
    """The largest resident size so far, of this process alone."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1e3


if __name__ == "__main__":
    main()
