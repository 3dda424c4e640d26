"""How each class of work grows with the store: `python -m bench.growth --sizes 10000,100000,1000000`.

The stores are those of `python -m bench.variations`, kept outside of the repository. Embedding is left out.
Processor time stands beside the time on the clock: a busy machine disturbs it less.
"""

from __future__ import annotations

import argparse
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command line does: a second thread only waits

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any

import numpy as np

import scrubjay
from bench import report
from bench.corpus import Memory
from bench.engines import RIVAL, Engine, Narrowing, open_engine
from bench.found import found
from bench.report import Row, Table
from bench.variations import FOLDER, SPACE, SUBJECTS, TAGS, Variations, open_store, rival_path

WARM_UP = 15
FIRST_NEW = 50_000_000  # with what a store has, the first number of a memory that is not in it yet
TIMES = ("last month", "in March 2026", "last week", "in 2025", "yesterday", "in May", "two weeks ago")
PLAIN, ADD = "plain question", "add"
RUNS = 5
RIVAL_SHARE = 1 / 4  # of the repetitions: it is slow
COMMON = 400  # words of the originals that are common
TITLE = "How work grows with the store, in milliseconds"
NOTE = (
    "Real questions over real sentences and seeded variations of them; embedding is left out. Medians of five runs of"
    " each, which take turns. `cpu` is processor time, by which all is compared: other programs disturb it least."
    " `times plain` is the 95th percentile beside that of plain questions at the same size; `vec0` is sqlite-vec with"
    " FTS5, and `vec0 /` how many times as long it takes, by the median and by the 95th percentile; `vec0 p50` is its"
    " median on the clock."
)
PICTURE = "growth.svg"
FOUND_TITLE = "What is found, and the first answer of a new process"
FOUND_NOTE = (
    "By word: the share of the 30 that FTS5 ranks highest for all words of a question that is among the candidates of a"
    " search for 30. By meaning: the share of the ten truly nearest. Of locomo: the share of the turns that answer 200"
    " of its questions, all added to the store last, among the ten results of a search by words, variations of its own"
    " turns left out. Then the time from opening the store to the first answer in a new process, imports left out, and"
    " the most memory that it had after four questions."
)

Action = Callable[[], object]
Clocked = list[tuple[float, float]]  # of one run: seconds of the processor, and on the clock


def main() -> None:
    options = _options()
    table, what = Table(TITLE, NOTE), Table(FOUND_TITLE, FOUND_NOTE)
    for size in options.sizes:
        made = Variations(size)
        table.rows.extend(_measure(options.folder, size, made, options.asked, options.only))
        if not options.only:
            what.rows.append(found(options.folder, size, made, options.asked))
    text = "\n".join(report.markdown(each) for each in (table, what) if each.rows)
    print(text)
    if options.docs:
        _draw(table.rows)
        (report.FIGURES / "growth.md").write_text(f"# Growth\n\n![]({PICTURE})\n\n{text}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where `python -m bench.variations` has put files")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[10_000, 100_000])
    parser.add_argument("--asked", type=int, default=60, help="repetitions of each, in a run")
    parser.add_argument("--only", nargs="+", default=(), help="names of classes")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/growth.md")
    return parser.parse_args()


def _measure(folder: Path, size: int, made: Variations, asked: int, only: Sequence[str]) -> list[Row]:
    rival = open_engine(RIVAL, rival_path(folder, size), made) if rival_path(folder, size).exists() else None
    with open_store(folder, size, made) as jay:
        new = count(FIRST_NEW + jay.stats().memories)
        classes = {name: action for name, action in _classes(jay, made, new).items() if not only or name in only}
        taken = _times({name: action for name, action in classes.items() if name != ADD}, rival, made, asked, new)
        taken |= _times({name: action for name, action in classes.items() if name == ADD}, rival, made, asked, new)
    rows = [{"memories": size, "what": name, **_row(taken[name], taken.get(name + RIVAL, []))} for name in classes]
    plain = next((row["cpu p95"] for row in rows if row["what"] == PLAIN), None)
    for row in rows:
        row["times plain"] = row["cpu p95"] / plain if plain and "question" in row["what"] else None
    return rows


def _classes(jay: scrubjay.Scrubjay, made: Variations, new: Iterator[int]) -> dict[str, Action]:
    questions, words = cycle(made.questions), _common_words(made)
    tags, subjects, times = cycle(TAGS[:30]), cycle(SUBJECTS), cycle(TIMES)

    def ask(**options: Any) -> object:
        return jay.search(next(questions), limit=10, **options)

    return {
        PLAIN: ask,
        "question that names a time": lambda: jay.search(f"{next(questions)} {next(times)}", limit=10),
        "question, one tag": lambda: ask(tags=[next(tags)]),
        "question, one subject": lambda: ask(subject=next(subjects)),
        "question, one kind": lambda: ask(kinds=["decision"]),
        "question, one project": lambda: ask(project="project 3"),
        "question, importance ≥ 8": lambda: ask(min_importance=8),
        "question, words only": lambda: ask(mode="keyword"),
        "question, common words only": lambda: jay.search(next(words), limit=10, mode="keyword"),
        "question, meaning only": lambda: ask(mode="vector"),
        "list": lambda: jay.list(limit=20),
        "list, two kinds": lambda: jay.list(kinds=["fact", "note"], limit=20),
        "context at a start": jay.context,
        "timeline": lambda: jay.timeline(1_000),
        "stats": jay.stats,
        ADD: partial(_add, jay, made, new),
    }


def _common_words(made: Variations) -> Any:
    """Queries of four words each, of those that most texts hold."""
    words, counts = np.unique(np.char.lower(made.words), return_counts=True)
    common = words[np.argsort(-counts)[:COMMON]]
    random = np.random.default_rng(11)
    return (" ".join(random.choice(common, 4)) for _ in count())


def _add(jay: scrubjay.Scrubjay, made: Variations, new: Iterator[int]) -> object:
    (one,) = made.batch(next(new), 1)
    return jay.add(one.text, redact=True, **one.fields)


def _rival_action(name: str, rival: Engine | None, made: Variations, new: Iterator[int]) -> Action | None:
    if rival is None:
        return None
    questions = cycle(made.questions)
    if name == PLAIN:
        return lambda: rival.search(next(questions), "hybrid", Narrowing())
    if name == ADD:

        def add() -> None:
            (one,) = made.batch(next(new), 1)
            rival.add([Memory(one.text, SPACE, one.fields["kind"], one.fields["subject"])])

        return add
    return None


def _times(
    actions: Mapping[str, Action], rival: Engine | None, made: Variations, asked: int, new: Iterator[int]
) -> dict[str, list[Clocked]]:
    """What each took in each run; the runs take turns, so that a busy machine disturbs all alike."""
    taken: dict[str, list[Clocked]] = defaultdict(list)
    beside = {name: action for name in actions if (action := _rival_action(name, rival, made, new))}
    for action in actions.values():
        for _ in range(WARM_UP):
            action()
    for _ in range(RUNS):
        for name, action in actions.items():
            taken[name].append([_clocked(action) for _ in range(asked)])
            if name in beside:
                taken[name + RIVAL].append([_clocked(beside[name]) for _ in range(round(asked * RIVAL_SHARE))])
    return taken


def _row(ours: Sequence[Clocked], theirs: Sequence[Clocked]) -> Row:
    """Milliseconds, and how many times as long the rival takes."""
    row: Row = {"cpu p50": _percentile(ours, 0, 50), "cpu p95": _percentile(ours, 0, 95)}
    row |= {"p50": _percentile(ours, 1, 50), "p95": _percentile(ours, 1, 95)}
    for percent in (50, 95):
        own = _percentile(theirs, 0, percent) if theirs else None
        row |= {f"vec0 cpu p{percent}": own, f"vec0 / p{percent}": own and own / row[f"cpu p{percent}"]}
    return row | {"vec0 p50": _percentile(theirs, 1, 50) if theirs else None}


def _draw(rows: Sequence[Row]) -> None:
    """The median of each class of work by the size of the store."""
    picture, plots = report.new_picture(2, 10, 4.2)
    for plot, asks in zip(plots, (True, False), strict=True):
        for name in dict.fromkeys(row["what"] for row in rows if ("question" in row["what"]) == asks):
            own = [row for row in rows if row["what"] == name]
            sizes, medians = [row["memories"] for row in own], [row["cpu p50"] for row in own]
            plot.plot(sizes, medians, marker="o", label=name)
        plot.set(xscale="log", yscale="log", xlabel="memories", ylabel="processor time, ms")
        plot.legend(frameon=False, fontsize=7)
    report.save_picture(picture, report.FIGURES / PICTURE)


def _clocked(action: Action) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    action()
    return time.process_time() - cpu, time.perf_counter() - wall


def _percentile(runs: Sequence[Clocked], which: int, percent: int) -> float:
    """The median over the runs, in milliseconds."""
    return float(np.median([np.percentile([one[which] for one in run], percent) for run in runs])) * 1000


if __name__ == "__main__":
    main()
