"""Writers in processes of their own, each of which notes what was acknowledged, and goes on whatever happens."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg

import scrubjay

__all__ = ["Load", "check_nothing_is_lost_or_doubled", "load", "wait_until"]

PROCESSES, THREADS = 8, 2
WAIT_SECONDS = 240


class Load:
    """Sixteen writers in eight processes, and what they were acknowledged."""

    def __init__(self, folder: Path, url: str) -> None:
        self._notes = [folder / f"acknowledged-{n}.txt" for n in range(PROCESSES)]
        words = [sys.executable, "-m", "prove.postgres_writers", url]
        self._processes = [
            subprocess.Popen([*words, str(note), str(number)], stdin=subprocess.PIPE)
            for number, note in enumerate(self._notes)
        ]

    def acknowledged(self) -> list[tuple[float, str]]:
        """When, and what."""
        lines = [line for note in self._notes if note.exists() for line in note.read_text().splitlines(keepends=True)]
        whole = [line.split(" ", 1) for line in lines if line.endswith("\n")]
        return sorted((float(at), text.rstrip("\n")) for at, text in whole)

    def wait_for(self, more: int) -> None:
        """Until so many more were acknowledged."""
        wanted = len(self.acknowledged()) + more
        wait_until(lambda: len(self.acknowledged()) >= wanted)

    def stop(self) -> None:
        for process in self._processes:
            if process.stdin:
                process.stdin.close()
        for process in self._processes:
            assert process.wait(WAIT_SECONDS) == 0

    def outage(self, since: float) -> float:
        """Seconds from a moment to the first acknowledgement of something that was begun after it."""
        return next(at for at, _ in self.acknowledged() if at > since + 0.5) - since


@contextmanager
def load(folder: Path, url: str) -> Iterator[Load]:
    writers = Load(folder, url)
    try:
        yield writers
    finally:
        writers.stop()


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.1)


def check_nothing_is_lost_or_doubled(url: str, writers: Load) -> int:
    """How many were acknowledged; each of them must be there, and nothing twice."""
    acknowledged = {text for _, text in writers.acknowledged()}
    with psycopg.connect(url) as db:
        stored = [text for (text,) in db.execute("select text from scrubjay.memories").fetchall()]
    with scrubjay.open(url, embedder="hashing") as jay:
        assert jay.check(deep=True).problems == []
    assert acknowledged - set(stored) == set(), "lost"
    assert len(stored) == len(set(stored)), "doubled"
    return len(acknowledged)


def write(url: str, note: Path, process: int, thread: int, stopped: threading.Event) -> None:
    """Half of the writers share a space, the others have their own."""
    space = "team" if thread == 0 else f"own-{process}"
    with scrubjay.open(url, embedder="hashing", space=space) as jay, note.open("a") as notes:
        number = 0
        while not stopped.is_set():
            text = f"Writer {process} {thread} has written number {number}"
            try:
                jay.add(text, kind="event")
            except scrubjay.errors.StoreError:
                continue  # the same again: nothing may be stored twice
            notes.write(f"{time.time()} {text}\n")
            notes.flush()
            number += 1


def main() -> None:
    url, note, process = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    stopped = threading.Event()
    with ThreadPoolExecutor(THREADS) as threads:
        writers = [threads.submit(write, url, note, process, number, stopped) for number in range(THREADS)]
        sys.stdin.read()  # until it is closed
        stopped.set()
    for writer in writers:
        writer.result()


if __name__ == "__main__":
    main()
