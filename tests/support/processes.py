"""Several processes on one memory, and waiting for what they do."""

from __future__ import annotations

import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = [
    "CONTEXT",
    "PATIENCE_SECONDS",
    "PAUSE_SECONDS",
    "SCRUBJAY",
    "WRITES_UNTIL_KILLED",
    "draft_of_a_killed_process",
    "soon",
    "together",
    "until",
    "watching",
    "written_until_killed",
]

CONTEXT = multiprocessing.get_context("spawn")
PATIENCE_SECONDS = 120
WRITES_UNTIL_KILLED = """
import sys, scrubjay
path, round = sys.argv[1:]
with scrubjay.open(path, embedder="hashing") as jay:
    for number in range(10_000):
        word = f"round{round}number{number}"
        ids = [jay.add(f"{word} alone").memory.id]
        ids += [added.memory.id for added in jay.add_many([{"text": f"{word} of three, {one}"} for one in "abc"])]
        jay.search(word)
        print(word, *ids, flush=True)
"""


def draft_of_a_killed_process(path: Path) -> Path:
    """The name under which a process that has ended wrote a file."""
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    return path.with_name(f".{path.name}.{killed.pid}.1.tmp")


def _report(answers: Any, work: Callable[..., Any], number: int, *shared: Any) -> None:
    try:
        answers.put((number, work(number, *shared), None))
    except BaseException:
        answers.put((number, None, traceback.format_exc()))


def _answer(answers: Any) -> tuple[int, Any]:
    """The next one. What went wrong in a process is told at once: the others may wait for it."""
    number, value, problem = answers.get(timeout=PATIENCE_SECONDS)
    assert problem is None, problem
    return number, value


def together(work: Callable[..., Any], count: int, *shared: Any) -> list[Any]:
    """Let that many processes do the same work at once; what each returns, in order."""
    answers: Any = CONTEXT.Queue()
    children = [CONTEXT.Process(target=_report, args=(answers, work, number, *shared)) for number in range(count)]
    try:
        for child in children:
            child.start()
        found = [_answer(answers) for _ in children]
    finally:
        for child in children:
            child.join(timeout=5)
            child.kill()
    return [value for _, value in sorted(found, key=lambda answer: answer[0])]


def written_until_killed(path: Path, round: int, chance: random.Random) -> dict[str, list[int]]:
    """What a process acknowledged before it was killed in the middle of its work."""
    command = [sys.executable, "-c", WRITES_UNTIL_KILLED, str(path), str(round)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        lines = [child.stdout.readline() for _ in range(chance.randint(1, 10))]
        time.sleep(chance.uniform(0, 0.02))
        child.kill()
        lines += child.stdout.readlines()
    words = [line.split() for line in lines if line.endswith("\n")]
    return {word: [int(id) for id in ids] for word, *ids in words}


def soon(work: Callable[[], Any]) -> Any:
    """What it returns; fails if it is stuck. Nothing here may wait for the lock that is held."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    thread.join(PATIENCE_SECONDS / 2)
    assert found, "It waits for the process that writes."
    return found[0]


PAUSE_SECONDS = 0.02
SCRUBJAY = [sys.executable, "-c", "from scrubjay.interfaces.cli import program; program()"]


def until(holds: Callable[[], Any]) -> None:
    """Wait until something is so; fails if it never is."""
    for _ in range(int(PATIENCE_SECONDS / PAUSE_SECONDS)):
        if holds():
            return
        time.sleep(PAUSE_SECONDS)
    raise AssertionError("It never came to be.")


@contextmanager
def watching(path: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A real process that watches; it has said that it does."""
    environment = os.environ | {"SCRUBJAY_EMBEDDER": "hashing", "SCRUBJAY_STORE": str(path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*SCRUBJAY, "watch", *options], stdout=pipe, stderr=pipe, text=True, env=environment
    ) as child:
        try:
            yield child
        finally:
            child.kill()
