"""Proves that a change of the code's structure changes no answer.

`python -m bench.same record FOLDER`, with the code before the change, fills one store for each public set beside the
project (a part of it, where embedding all would take long), one for the repository's own set, and one as a user has
it after months (`old.db`: every kind of memory, corrections, tasks, sessions, conflicts, synced files, a trash,
tokens). It asks each store a fixed sample of questions and calls the reading methods, and keeps the store files and,
in a `.jsonl` beside each, every call with its answer. This takes some ten minutes, nearly all of it for embedding.

`python -m bench.same compare FOLDER`, with the code after the change, opens copies of the same files and makes the
same calls at the same recorded time. It needs neither the sets nor the code that filled the stores, and takes about
four minutes of CPU. Per set and group of calls it prints how many answers have other ids or another order, the
largest difference of a number (scores, confidences, the parts of a score in `why`), how many have other values, and how
many other sentences. It exits with 1 if ids, their order or a value differ, or a number by more than 0.000001. Reworded
sentences, and fields that only one side has, are printed but are no failure. With `--show N` the first N differences of
each group and sort are printed in full.

`python -m bench.same renew FOLDER` makes the same calls of the same files and records the answers anew: after a change
that is meant to answer differently.

To run it with the code of another checkout: `PYTHONPATH=OTHER/src python -m bench.same compare FOLDER`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import scrubjay
from bench.report import Row, Table, markdown
from bench.same.asking import Call, ask
from bench.same.comparing import Tally, differences
from bench.workroom import workroom

NOTE = "Answers of the code at hand beside the recorded ones, on copies of the same store files."
SHOWN_CHARACTERS = 300


def main() -> int:
    options = _options()
    print(f"code: {Path(scrubjay.__file__).parent}", file=sys.stderr)
    with workroom():
        if options.what == "record":
            return _record(options.folder.absolute(), options.sets)
        if options.what == "renew":
            return _renew(options.folder.absolute(), options.sets)
        return _compare(options.folder.absolute(), options.sets, options.show)


def _record(folder: Path, names: Sequence[str]) -> int:
    from bench.same.recording import NAMES, make  # here, since a comparison must not need what filled the stores

    folder.mkdir(parents=True, exist_ok=True)
    for name in names or NAMES:
        made = make(name, folder)
        if made is None:
            print(f"{name}: skipped, its data is not there (../shared/data beside the project)")
        else:
            _write(made.store, made.now, made.calls)
    return 0


def _renew(folder: Path, names: Sequence[str]) -> int:
    for path in _recorded(folder, names):
        now, calls, _ = _read(path)
        _write(path.with_suffix(".db"), now, calls)
    return 0


def _compare(folder: Path, names: Sequence[str], shown: int) -> int:
    rows: list[Row] = []
    failed = False
    for path in _recorded(folder, names):
        for group, tally in _tallies(path, shown).items():
            rows.append({"set": path.stem, "group": group, **tally.row()})
            failed = failed or tally.failed
        print(f"{path.stem}: compared", file=sys.stderr, flush=True)
    if not rows:
        print(f"nothing is recorded in {folder}")
        return 1
    print(markdown(Table("The same answers?", NOTE, rows)))
    print("DIFFERENT" if failed else "the same")
    return int(failed)


def _tallies(path: Path, shown: int) -> dict[str, Tally]:
    now, calls, answers = _read(path)
    tallies: dict[str, Tally] = {}
    printed: Counter[tuple[str, str]] = Counter()
    for before, (call, after) in zip(answers, ask(path.with_suffix(".db"), now, calls), strict=True):
        found = differences(call.method, before, json.loads(json.dumps(after)))
        tallies.setdefault(call.group, Tally()).add(found)
        for one in found:
            printed[call.group, one.sort] += 1
            if printed[call.group, one.sort] > shown:
                continue
            print(f"{path.stem}, {call.group}: {call.method} {call.positional} {call.arguments}")
            print(f"  {one.sort} {one.path}: {_short(one.before)} -> {_short(one.after)}")
    return tallies


def _recorded(folder: Path, names: Sequence[str]) -> list[Path]:
    return [path for path in sorted(folder.glob("*.jsonl")) if not names or path.stem in names]


def _read(path: Path) -> tuple[datetime, list[Call], list[Any]]:
    """When a store was asked, the calls, and their answers."""
    first, *records = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    calls = [Call.read(record["call"]) for record in records]
    return datetime.fromisoformat(first["now"]), calls, [record["answer"] for record in records]


def _write(store: Path, now: datetime, calls: Sequence[Call]) -> None:
    answered = [{"call": call.record(), "answer": answer} for call, answer in ask(store, now, calls)]
    lines = [json.dumps(one, ensure_ascii=False) for one in ({"now": now.isoformat()}, *answered)]
    store.with_suffix(".jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{store.stem}: {len(calls)} calls recorded", flush=True)


def _short(value: Any) -> str:
    return repr(value)[:SHOWN_CHARACTERS]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.same", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("record", "compare", "renew"))
    parser.add_argument("folder", type=Path, help="where stores and answers are kept")
    parser.add_argument("--sets", nargs="+", default=(), help="only these of the sets")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N differences of each group and sort")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
