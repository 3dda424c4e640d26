"""Backups while eight processes write, and forgetting at ten thousand memories while others write and read."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import apsw

import scrubjay

CONTEXT = get_context("spawn")
WRITERS = 8
ROUNDS = 30
MEMORIES = 10_000
CANARIES = 60


def write(path: str, acknowledged: Any, number: int, stop: Event) -> None:
    """Add memories, and say so only when each is acknowledged."""
    with scrubjay.open(path, embedder="none") as jay:
        count = 0
        while not stop.is_set():
            jay.add(f"Writer {number} has written line {count} of its own")
            count += 1
            acknowledged[number] = count


def read(path: str, stop: Event) -> None:
    with scrubjay.open(path, embedder="none") as jay:
        while not stop.is_set():
            jay.search("line of a writer", limit=5)


def beside(workers: list[tuple[Callable[..., None], tuple[Any, ...]]], work: Callable[[], None]) -> None:
    """Do some work while others are at it."""
    stop = CONTEXT.Event()
    running = [CONTEXT.Process(target=target, args=(*given, stop)) for target, given in workers]
    for process in running:
        process.start()
    try:
        work()
    finally:
        stop.set()
        for process in running:
            process.join(60)
            assert process.exitcode == 0


def test_every_backup_under_eight_writers_opens_clean_and_holds_what_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    acknowledged: Any = CONTEXT.Array("i", WRITERS)

    def back_up() -> None:
        with scrubjay.open(path, embedder="none") as jay:
            while not all(acknowledged):
                time.sleep(0.1)
            for number in range(ROUNDS):
                before = list(acknowledged)
                jay.backup(tmp_path / f"copy-{number}.db")
                with scrubjay.open(tmp_path / f"copy-{number}.db", embedder="none") as copy:
                    assert copy.check(deep=number % 10 == 0).problems == []
                db = apsw.Connection(str(tmp_path / f"copy-{number}.db"))
                for writer, count in enumerate(before):
                    said = f"Writer {writer} has written line %"
                    assert db.execute("select count(*) from memories where text like ?", (said,)).get >= count
                db.close()

    with scrubjay.open(path, embedder="none"):
        pass
    beside([(write, (str(path), acknowledged, number)) for number in range(WRITERS)], back_up)


def test_nothing_is_left_of_what_was_forgotten_among_ten_thousand(tmp_path: Path) -> None:
    path, chance = tmp_path / "memory.db", random.Random(5)
    words = ["".join(chance.choice("bdfgklmnprst") + chance.choice("aeiou") for _ in range(9)) for _ in range(CANARIES)]
    acknowledged: Any = CONTEXT.Array("i", WRITERS)

    def forget() -> None:
        with scrubjay.open(path, embedder="hashing") as jay:
            done = jay.forget(subject="canary", derived=True)
            assert done.certificate is not None and len(done.memories) == CANARIES + 20

    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many(
            [{"text": f"The heron number {number} stands by pond {number % 97}"} for number in range(MEMORIES)]
        )
        added = jay.add_many([{"text": f"Ann met {word}", "subject": "canary", "tags": [word]} for word in words])
        for one in added[:20]:
            jay.supersede(one.memory.id, f"Ann did not meet {one.memory.text.split()[-1]}")
        for one in added[20:30]:
            jay.delete(one.memory.id)
        for word in words[:10]:
            jay.search(word)
    workers: list[tuple[Callable[..., None], tuple[Any, ...]]] = [(read, (str(path),)), (read, (str(path),))]
    beside([*workers, *((write, (str(path), acknowledged, number)) for number in range(3))], forget)
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.trash.empty()  # finishes what readers held up
        jay.backfill()  # what was written meanwhile has no vectors
        assert jay.check(deep=True).problems == []
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert [file.name for file in files for word in words if word.encode() in file.read_bytes().lower()] == []
