"""A server under load, beside the same search called in Python, and its page: `python -m bench.load`.

Nothing that was acknowledged may be lost, not even when one of the server's processes is killed in the middle.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Thread
from unittest.mock import patch

import scrubjay
from bench import report
from bench.corpus import Precomputed, notes
from bench.first_content import PAGES, first_content
from bench.report import Row, Table
from bench.timing import Seconds, milliseconds
from bench.workroom import workroom
from scrubjay.models.embedders.bundled import Local

AT_ONCE = 5_000
ADDS_ONE_IN = 20
WARM_UP = 20
IN_PYTHON = 300
PROGRAM = "from scrubjay.interfaces.cli import program; program()"
LOAD = (
    "{memories:,} memories, {clients} clients at once for {seconds} s; each sends its next request when the last was"
    " answered. One request in {one_in} adds a memory, the others search (limit 5). Questions and added memories are"
    " embedded by the bundled model; the vectors of the memories before are made up, which costs the search the same."
    " Server and clients share the machine, which had a load of {load:.1f} at the start. Where it says so, one of the"
    " processes was killed (`kill -9`) at half time; its clients connected again. Afterwards every memory whose add was"
    " acknowledged was looked for."
)
CONTENT = (
    "From the request to the first text in a Chromium on the same machine, median of {times} loads each, on the same"
    " {memories:,} memories."
)


@dataclass
class Use:
    """What the clients of one run saw."""

    searched: Seconds = field(default_factory=list)
    kept: dict[int, str] = field(default_factory=dict)  # the text of each memory whose add was acknowledged
    cut_off: int = 0


def main() -> None:
    options = _options()
    load = os.getloadavg()[0]
    with workroom() as folder:
        store = folder / "memory.db"
        asked = _fill(store, options.memories)
        in_python = _in_python(store, asked[:IN_PYTHON])
        rows = [_row("Python, one thread", Use(in_python), sum(in_python), lost=0)]
        for workers in map(int, options.workers.split(",")):
            for kills in (False, True)[: 1 + (workers > 1)]:
                rows.append(_loaded(store, asked, workers, kills, options.clients, options.seconds))
        content = _content(store, options.times)
    about = LOAD.format(**vars(options), one_in=ADDS_ONE_IN, load=load)
    tables = [
        Table("A server under load", about, rows),
        Table("First content of the page", CONTENT.format(**vars(options)), content),
    ]
    text = "\n".join(map(report.markdown, tables))
    print(text)
    if options.docs:
        machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        about = f"Measured by `python -m bench.load --docs` on {machine}."
        (report.FIGURES / "load.md").write_text(f"# The server under load\n\n{about}\n\n{text}", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", action="store_true", help="write docs/figures/load.md")
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--workers", default="1,2", help="how many processes, with commas")
    parser.add_argument("--times", type=int, default=5, help="how often each page is loaded")
    return parser.parse_args()


def _fill(store: Path, size: int) -> list[str]:
    """Fill a store; questions of words that its texts have. To embed all of them would take an hour."""
    texts = notes(size, seed=7)
    with patch.object(Local, "embed", Precomputed().embed), scrubjay.open(store, embedder="local") as jay:
        for start in range(0, size, AT_ONCE):
            jay.add_many([{"text": text, "kind": "fact"} for text in texts[start : start + AT_ONCE]])
    chosen = random.Random(7)
    return [" ".join(chosen.sample(text.split(), 4)) for text in chosen.sample(texts, 2_000)]


def _in_python(store: Path, asked: Sequence[str]) -> Seconds:
    taken: Seconds = []
    with scrubjay.open(store) as jay:
        for query in asked:
            began = time.perf_counter()
            jay.search(query, limit=5)
            taken.append(time.perf_counter() - began)
    return taken[WARM_UP:]


def _loaded(store: Path, asked: Sequence[str], workers: int, kills: bool, clients: int, seconds: int) -> Row:
    with _serving(store, workers) as (port, process):
        with scrubjay.open(store) as jay:
            secret = jay.tokens.create(f"load-{workers}-{kills}")[1]
        uses = [Use() for _ in range(clients)]
        began = time.monotonic()
        threads = [
            Thread(target=_use, args=(port, secret, random.Random(number), asked, began + seconds, use))
            for number, use in enumerate(uses)
        ]
        for thread in threads:
            thread.start()
        if kills:
            time.sleep(seconds / 2)
            os.kill(_a_worker(process.pid), signal.SIGKILL)
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
    use = _together(uses)
    lost = _lost(store, use.kept)
    if lost or len(use.kept) < clients // ADDS_ONE_IN:
        raise RuntimeError(f"{lost} of {len(use.kept)} acknowledged memories were lost")
    killed = ", one killed" if kills else ""
    return _row(f"scrubjay serve --workers {workers}{killed}", use, took, lost)


def _together(uses: Sequence[Use]) -> Use:
    kept = {id: text for use in uses for id, text in use.kept.items()}
    return Use([taken for use in uses for taken in use.searched], kept, sum(use.cut_off for use in uses))


def _lost(store: Path, kept: dict[int, str]) -> int:
    with scrubjay.open(store) as jay:
        found = {memory.id: memory.text for memory in jay.get_many(list(kept)) if memory}
    return len(kept.items() - found.items())


def _use(port: int, secret: str, chosen: random.Random, asked: Sequence[str], until: float, use: Use) -> None:
    """One client, with a connection of its own; if that breaks, it makes another."""
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    while time.monotonic() < until:
        text = f"Kept under load: {chosen.random()}" if chosen.randrange(ADDS_ONE_IN) == 0 else ""
        body = {"text": text} if text else {"query": chosen.choice(asked), "limit": 5}
        began = time.perf_counter()
        try:
            connection.request("POST", f"/api/v1/{'memories' if text else 'search'}", json.dumps(body), headers)
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, HTTPException):
            use.cut_off += 1
            connection.close()
            continue
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {data[:300]!r}")
        if text:
            use.kept[json.loads(data)["id"]] = text
        else:
            use.searched.append(time.perf_counter() - began)
    connection.close()


def _content(store: Path, times: int) -> list[Row]:
    with _serving(store, 1) as (port, _):
        with scrubjay.open(store) as jay:
            secret = jay.tokens.create("looks", scopes=["read", "write", "admin"], all_spaces=True)[1]
        taken = first_content(f"http://127.0.0.1:{port}", secret, times)
    return [{"page": page, "first content, ms": milliseconds(taken[page])} for page in PAGES]


@contextmanager
def _serving(store: Path, workers: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    words = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--store", str(store), "--workers", str(workers)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().rsplit(":", 1)[1].split("/")[0])
        _until_ready(port)
        yield port, process
    finally:
        process.terminate()
        process.wait(60)


def _a_worker(parent: int) -> int:
    """One of the processes that answer."""
    listed = subprocess.run(["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)], capture_output=True, text=True)
    return next(int(line.split()[0]) for line in listed.stdout.splitlines() if "spawn_main" in line)


def _until_ready(port: int) -> None:
    while True:
        try:
            connection = HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.2)


def _row(name: str, use: Use, took: float, lost: int) -> Row:
    return {
        "search by": name,
        "requests a second": round((len(use.searched) + len(use.kept)) / took, 1),
        "median, ms": milliseconds(use.searched),
        "p99, ms": milliseconds(use.searched, 99),
        "adds acknowledged": len(use.kept),
        "cut off": use.cut_off,
        "lost": lost,
    }


if __name__ == "__main__":
    main()
