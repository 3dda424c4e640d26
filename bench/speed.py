"""How fast Scrubjay is beside the engine the systems before it use: `python -m bench.speed`, or `make bench`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench import report
from bench.adding import add_times
from bench.corpus import Corpus, Precomputed, make_corpus
from bench.engines import OURS, RIVAL, RIVAL_TUNED, Embedder, Engine, open_engine
from bench.report import Row, Table
from bench.searching import MODES, Paid, recall, search_times, sentence_times, with_embedding
from bench.starting import command_times, costs
from bench.targets import targets
from bench.timing import seconds
from bench.workroom import workroom
from bench.writers import search_times_while_written
from scrubjay.models.embedders import open_embedder

SIZES = "1000,10000,100000"
QUICK_SIZES = "1000"
BATCH = 10_000
TICKS = (0.1, 1, 10, 100)
COLOURS = {"vec0 p50": ("sqlite-vec + FTS5", "#d9822b"), "Scrubjay p50": ("Scrubjay", "#2f81f7")}
PARTS = ("search", "adds", "start")

# The tables in their order, each with its title and what there is to know to read it.
TABLES = {
    "search": (
        "Search, in milliseconds",
        "The same memories, questions and vectors for all; embedding the question is left out unless said. `vec0` is"
        " sqlite-vec with FTS5, asked as the earlier systems do, but for as many neighbours as a filter needs. `tuned`"
        " is the same at its best, as none of them has it: filters inside vec0, a memory-mapped file.",
    ),
    "written": (
        "Search while another process writes, in milliseconds",
        "The other process adds memories one at a time, as fast as it can; for each engine its own, in turns.",
    ),
    "recall": (
        "Recall@10 of vector search",
        "The share of the ten truly nearest that is found, against an exact scan of what may answer.",
    ),
    "sentences": (
        "Keyword search by the length of the query, in milliseconds",
        "Whole sentences full of common words must not cost more than a few rare words.",
    ),
    "adds": ("Adding, with the bundled model", "Short texts, and the embedding of the same texts alone."),
    "build": ("Building a file, embedding left out", f"At most {BATCH:,} memories in a transaction."),
    "costs": ("A new process: first answer, memory, disk", "Imports included; pages of a mapped file count."),
    "commands": ("Commands from a cold start", "Medians of runs in turn with what they are measured beside."),
}


@dataclass(frozen=True, slots=True)
class Effort:
    """How much to measure."""

    asked: int = 40
    runs: int = 9
    added: int = 2_000
    rounds: int = 5
    command_store: int = 10_000


QUICK = Effort(asked=10, runs=3, added=200, rounds=2, command_store=300)


def main() -> None:
    options = _options()
    effort = QUICK if options.quick else Effort()
    sizes = [int(size) for size in (options.sizes or (QUICK_SIZES if options.quick else SIZES)).split(",")]
    tables = {name: Table(title, note) for name, (title, note) in TABLES.items()}
    with workroom() as folder:
        if "search" in options.only:
            for size in sizes:
                _collect(tables, _measure_size(size, folder / str(size), effort))
        if "adds" in options.only:
            _collect(tables, {"adds": add_times(folder, effort.added, effort.rounds)})
        if "start" in options.only:
            _collect(tables, {"commands": command_times(folder, effort.command_store, effort.runs)})
    by = f"By the largest file of this run ({max(sizes):,} memories); {_machine()}."
    tables["targets"] = Table("Targets", by, targets(tables))
    text = "\n".join(report.markdown(table) for table in tables.values())
    print(text)
    if options.json:
        report.write_json(options.json, {name: table.rows for name, table in tables.items()})
    if options.docs:
        _write_docs(tables, text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.add_argument("--sizes", help=f"memories in the file, with commas (default {SIZES})")
    parser.add_argument("--quick", action="store_true", help="a small file and few repetitions: does it run at all?")
    parser.add_argument("--only", type=lambda text: text.split(","), default=PARTS, help=f"of {', '.join(PARTS)}")
    parser.add_argument("--json", type=Path, help="write the record there")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/speed.svg and speed.md")
    return parser.parse_args()


def _measure_size(size: int, folder: Path, effort: Effort) -> dict[str, list[Row]]:
    folder.mkdir()
    corpus, embedder = make_corpus(size), Precomputed()
    paths = {name: folder / f"{name}.db" for name in (OURS, RIVAL, RIVAL_TUNED)}
    _say(f"{size:,}: building")
    rows = {"build": [_build(corpus, paths, embedder)]}
    with _opened(paths, embedder) as engines:
        both = {name: engines[name] for name in (OURS, RIVAL)}
        _say(f"{size:,}: searching")
        rows["search"] = search_times(engines, corpus, embedder, effort.asked)
        rows["sentences"] = sentence_times(both, corpus, effort.asked)
        _say(f"{size:,}: recall")
        rows["recall"] = recall(both, corpus, embedder, effort.asked)
    duel = {name: paths[name] for name in (OURS, RIVAL)}
    rows["costs"] = costs(duel, size, effort.runs)
    with _opened(duel, Paid(embedder, open_embedder("local"))) as engines:
        rows["search"] += with_embedding(engines, corpus, effort.asked)
    with _opened(duel, embedder) as engines:
        _say(f"{size:,}: searching while written to")
        rows["written"] = search_times_while_written(engines, duel, corpus, embedder, effort.asked)
    return rows


def _build(corpus: Corpus, paths: Mapping[str, Path], embedder: Embedder) -> Row:
    row: Row = {"memories": len(corpus)}
    for name, path in paths.items():
        engine = open_engine(name, path, embedder)
        row[f"{name} adds/s"] = len(corpus) / seconds(partial(_fill, engine, corpus))
        engine.close()
    return row


def _fill(engine: Engine, corpus: Corpus) -> None:
    for start in range(0, len(corpus), BATCH):
        engine.add(corpus[start : start + BATCH])


@contextmanager
def _opened(paths: Mapping[str, Path], embedder: Embedder) -> Iterator[dict[str, Engine]]:
    with ExitStack() as stack:
        engines: dict[str, Engine] = {name: open_engine(name, path, embedder) for name, path in paths.items()}
        for engine in engines.values():
            stack.callback(engine.close)
        yield engines


def _collect(tables: Mapping[str, Table], measured: Mapping[str, list[Row]]) -> None:
    for name, rows in measured.items():
        tables[name].rows.extend(rows)


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _machine() -> str:
    python = platform.python_version()
    return f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}, Python {python}"


def _write_docs(tables: Mapping[str, Table], text: str) -> None:
    _draw(tables["search"].rows)
    (report.FIGURES / "speed.md").write_text(f"# Speed\n\n![](speed.svg)\n\n{text}", encoding="utf-8")


def _draw(rows: list[Row]) -> None:
    """Milliseconds by the size of the file, both axes logarithmic, one plot per way of searching."""
    whole = [row for row in rows if row["situation"] == "whole space"]
    highest = max(max(row[column] for column in COLOURS) for row in whole) * 3
    picture, plots = report.new_picture(len(MODES), 10, 3.6)
    for plot, mode in zip(plots, MODES, strict=True):
        shown = [row for row in whole if row["mode"] == mode]
        sizes = [row["memories"] for row in shown]
        for column, (label, colour) in COLOURS.items():
            plot.plot(sizes, [row[column] for row in shown], "o-", color=colour, label=label, linewidth=2)
        for row in shown:
            higher = (row["memories"], max(row[column] for column in COLOURS))
            plot.annotate(f"{row['ratio']:.2g}×", higher, (0, 8), textcoords="offset points", ha="center")
        plot.set(xscale="log", yscale="log", title=mode, xlabel="memories")
        plot.margins(x=0.15)
        plot.set_xticks(sizes, [f"{size:,}" for size in sizes], minor=False)
        plot.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
        plot.set_ylim(TICKS[0], highest)
        plot.minorticks_off()
    plots[0].set_ylabel("milliseconds a search (median)")
    plots[0].legend(frameon=False, loc="upper left")
    report.save_picture(picture, report.FIGURES / "speed.svg")


if __name__ == "__main__":
    main()
