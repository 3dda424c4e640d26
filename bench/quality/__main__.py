"""How well Scrubjay finds, beside its own two legs and two plain ways."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench import report
from bench.cache import Cached
from bench.quality.abilities import figures
from bench.quality.abstention import calibration, precision, separations, withheld
from bench.quality.asking import HYBRID, Weights, ask_set
from bench.quality.elsewhere import elsewhere
from bench.quality.latency import latency
from bench.quality.ours import OURS, read_ours
from bench.quality.parts import worth
from bench.quality.picture import draw
from bench.quality.tables import Record, tables
from bench.report import Row
from bench.sets import FOLDER, IN_ENGLISH, NAMES, Question, RetrievalSet, read_set
from bench.workroom import workroom
from scrubjay.models.embedders import open_embedder

EVERY = (*NAMES, OURS)


def main() -> None:
    options = _options()
    names = [name for name in options.sets if name == OURS or FOLDER.is_dir()]
    if set(names) < set(options.sets):
        print("skipped: the public sets are not there (../shared/data beside the project)")
    if not names:
        return
    record = _measure(names, options.weights, options.cache, options.questions)
    text = "\n".join(report.markdown(table) for table in tables(record))
    if options.questions:
        text = f"Measured with some {options.questions} questions of each set, evenly spread.\n\n{text}"
    print(text)
    if options.json:
        _write(options.json, record)
    if options.docs:
        pictures = "\n\n".join(f"![]({name})" for name in draw(record))
        (report.FIGURES / "quality.md").write_text(f"# Quality\n\n{pictures}\n\n{text}", encoding="utf-8")
        _write(report.FIGURES / "quality.json", record)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=EVERY, help=f"of {', '.join(EVERY)}")
    parser.add_argument("--weights", type=_weights, help="of keyword and vector in hybrid search, e.g. 0.5,0.5")
    parser.add_argument("--cache", action="store_true", help="keep vectors in the temporary folder for the next run")
    parser.add_argument("--questions", type=int, help="ask about so many of each set only")
    parser.add_argument("--json", type=Path, help="write the record there")
    parser.add_argument("--docs", action="store_true", help="write docs/figures/quality.md, .json and the pictures")
    return parser.parse_args()


def _weights(text: str) -> Weights:
    keyword, vector = map(float, text.split(","))
    return {"keyword": keyword, "vector": vector}


def _measure(names: Sequence[str], weights: Weights | None, cache: bool, questions: int | None) -> Record:
    local = open_embedder("local")
    embedder: Any = Cached(local) if cache else local
    record: dict[str, list[Row]] = {
        key: [] for key in ("figures", "parts", "precision", "withheld", "separations", "calibration", "latency")
    }
    sets = {name: _some_of(read_ours() if name == OURS else read_set(name), questions) for name in names}
    with workroom() as folder:
        for name in names:
            print(f"{name}: measuring", file=sys.stderr, flush=True)
            given, path = sets[name], folder / f"{name}.db"
            asked = ask_set(given, path, embedder, weights, _strange(sets, name))
            record["figures"] += figures(given, asked)
            record["parts"].append(worth(name, asked, HYBRID))
            record["precision"] += precision(name, asked)
            record["withheld"] += withheld(name, asked)
            record["separations"] += separations(name, asked)
            record["calibration"] += calibration(name, asked)
            record["latency"].append(latency(given, path, local))
        print("other memories: measuring", file=sys.stderr, flush=True)
        record["elsewhere"] = list(elsewhere(sets, folder, embedder))
    return record


def _some_of(given: RetrievalSet, questions: int | None) -> RetrievalSet:
    every = round(sum(map(len, given.questions.values())) / questions) if questions else 1
    return replace(given, questions={scope: own[:: max(1, every)] for scope, own in given.questions.items()})


def _strange(sets: Mapping[str, RetrievalSet], name: str) -> list[Question]:
    """The English questions of the other sets, which have nothing to do with this one."""
    others = [given for other, given in sets.items() if other != name and other in IN_ENGLISH]
    return [question for given in others for own in given.questions.values() for question in own if question.answerable]


def _write(path: Path, record: Record) -> None:
    """One line for each row."""
    parts = [f'"{name}": [\n' + ",\n".join(map(_line, rows)) + "\n]" for name, rows in record.items()]
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _line(row: Row) -> str:
    short = {key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()}
    return json.dumps(short, ensure_ascii=False)


if __name__ == "__main__":
    main()
