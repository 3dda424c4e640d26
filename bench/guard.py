"""How many secrets the guard catches, how often it errs on ordinary text, what it costs: `python -m bench.guard`."""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sysconfig
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from bench.report import Row, Table, markdown
from bench.secret_families.table import tables as secret_tables
from bench.secrets_made import KINDS, Made, documented, make
from bench.sets import FOLDER
from scrubjay.guard import find_secrets

ROOT = Path(__file__).resolve().parent.parent
SEEDS = (11, 12, 13, 14)
MEGABYTE = 1_000_000
CONVERSATIONS = ("locomo", "beam_100K")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.guard", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="secrets to make in all")
    parser.add_argument(
        "--show", type=int, default=0, help="ordinary paragraphs to show, of those flagged in each source"
    )
    parser.add_argument("--misses", type=int, default=0, help="misses to show of each kind in the open half")
    options = parser.parse_args()
    for table in (_caught(options.count), *secret_tables(options.misses), _flagged(options.show), _worst()):
        print(markdown(table))


def _caught(count: int) -> Table:
    made = [one for seed in SEEDS for one in make(seed, count // len(SEEDS))]
    rows = [_catch_row("made at random", made), _catch_row("as documented by the services", documented())]
    return Table("Secrets caught", f"{len(KINDS)} kinds, seeds {SEEDS}; caught is: covered from end to end.", rows)


def _catch_row(name: str, made: Sequence[Made]) -> Row:
    missed = Counter(f"{one.kind} in {one.carrier}" for one in made if not _is_caught(one))
    caught = len(made) - missed.total()
    return {
        "set": name,
        "texts": len(made),
        "caught": caught,
        "rate": f"{caught / len(made):.4f}",
        "missed": ", ".join(f"{number} {what}" for what, number in missed.most_common(8)) or None,
    }


def _is_caught(made: Made) -> bool:
    start = made.text.index(made.secret)
    return any(found.start <= start and start + len(made.secret) <= found.end for found in find_secrets(made.text))


def _flagged(show: int) -> Table:
    rows, absent = [], []
    for name, read in _sources().items():
        ordinary = list(read())
        if ordinary:
            rows.append(_false_alarm_row(name, ordinary, show))
        else:
            absent.append(name)
    note = f"Not there, so skipped: {', '.join(absent)}." if absent else "Every source was there."
    return Table("Ordinary text flagged", note, rows)


def _false_alarm_row(name: str, ordinary: Sequence[str], show: int) -> Row:
    start = time.perf_counter()
    flagged = [(text, found) for text in ordinary if (found := find_secrets(text))]
    microseconds = (time.perf_counter() - start) / len(ordinary) * 1e6
    for text, found in flagged[:show]:
        print(f"{name}: {found[0].kind}: …{text[max(0, found[0].start - 60) : found[0].end]!r}")
    return {
        "source": name,
        "paragraphs": len(ordinary),
        "characters each": round(sum(map(len, ordinary)) / len(ordinary)),
        "flagged": len(flagged),
        "share": f"{len(flagged) / len(ordinary):.3%}",
        "µs each": microseconds,
    }


def _sources() -> Mapping[str, Callable[[], Iterator[str]]]:
    packages = Path(sysconfig.get_path("purelib"))
    corpora = sorted(FOLDER.glob("chunking/corpora/*.md.gz"))
    return {
        "pages in site-packages": lambda: _pages([*packages.rglob("*.md"), *packages.rglob("*.rst")]),
        "descriptions of packages": lambda: _pages(packages.glob("*.dist-info/METADATA")),
        "the project's pages": lambda: _pages([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]),
        "five long texts": lambda: (
            part for path in corpora for part in _paragraphs(gzip.decompress(path.read_bytes()))
        ),
        **{name: lambda name=name: _messages(name) for name in CONVERSATIONS},  # type: ignore[misc]
    }


def _pages(paths: Iterator[Path] | Sequence[Path]) -> Iterator[str]:
    for path in sorted(paths):
        yield from _paragraphs(path.read_bytes())


def _messages(name: str) -> Iterator[str]:
    path = FOLDER / name / "corpus.jsonl.gz"
    for line in gzip.decompress(path.read_bytes()).splitlines() if path.is_file() else ():
        yield from _paragraphs(json.loads(line)["text"].encode())


def _paragraphs(page: bytes) -> Iterator[str]:
    return (part for part in re.split(r"\n\s*\n", page.decode("utf-8", "replace")) if part.strip())


def _worst() -> Table:
    texts = {
        "a": "a" * MEGABYTE,
        "=": "=" * MEGABYTE,
        "base64 at random": b64encode(Random(1).randbytes(MEGABYTE * 3 // 4)).decode(),
        "password=": ("password=" * MEGABYTE)[:MEGABYTE],
        "4111 1111": ("4111 1111 " * MEGABYTE)[:MEGABYTE],
        "eyJaaaaaaaa-": ("eyJaaaaaaaa-" * MEGABYTE)[:MEGABYTE],
    }
    rows: list[Row] = []
    for name, text in texts.items():
        start = time.perf_counter()
        found = find_secrets(text)
        rows.append({"a megabyte of": f"`{name}`", "seconds": time.perf_counter() - start, "findings": len(found)})
    return Table("The worst cases", "Time grows with the length, whatever the text.", rows)


if __name__ == "__main__":
    main()
