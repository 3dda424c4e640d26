"""Notes in a folder, synced: writing them, and reading what became of them."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock

from scrubjay import Scrubjay
from scrubjay.errors import EmbedderUnavailable
from scrubjay.models.embedders.hashing import Hashing
from scrubjay.types import Memory
from scrubjay.types.documents import Synced
from scrubjay.types.vectors import Matrix
from tests.support.processes import PATIENCE_SECONDS

__all__ = [
    "LONG_AGO",
    "TOKEN",
    "Counting",
    "ids",
    "lock_held",
    "names",
    "passages",
    "reasons",
    "section",
    "state",
    "synced",
    "texts",
    "write",
    "written",
]

LONG_AGO = 1_700_000_000
TOKEN = "ghp_" + "a1B2c3D4e5" * 4
written = iter(range(1, 10**9))


def write(path: Path, text: str | bytes) -> Path:
    """Write a file whose time tells that it has changed, and lies long enough back to be relied upon."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    at = LONG_AGO + next(written) + 0.25
    os.utime(path, (at, at))
    return path


def section(number: int, word: str = "plain") -> str:
    """Too long to share a passage with another, and of one line."""
    return f"## Part {number}\n\n" + f"Of part {number} it tells in {word} words what happened there. " * 20 + "\n\n"


def passages(jay: Scrubjay, document: str | None = None) -> list[Memory]:
    """In the order of their documents."""
    found = [memory for memory in jay.list(kinds=["passage"]) if document in (None, memory.document)]
    return sorted(found, key=lambda memory: (memory.document or "", memory.position or 0))


def texts(memories: Sequence[Memory]) -> list[str]:
    return [memory.text for memory in memories]


def ids(memories: Sequence[Memory]) -> list[int]:
    return [memory.id for memory in memories]


class Counting(Hashing):
    """Remembers what it was asked to embed, and can be switched off."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.left = 10**9  # texts, before it is unavailable

    def embed(self, texts: Sequence[str], query: bool = False) -> Matrix:
        if not query:
            self.left -= len(texts)
            if self.left < 0:
                raise EmbedderUnavailable("It is switched off.")
            self.asked += texts
        return super().embed(texts, query)


def synced(jay: Scrubjay, notes: Path) -> Synced:
    jay.sources.add(notes)
    return jay.sync()


def _hold(path: str, held: Any, release: Any) -> None:
    with FileLock(path):
        held.set()
        release.wait(PATIENCE_SECONDS)


@contextmanager
def lock_held(path: str) -> Iterator[None]:
    """Another process holds a lock."""
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    child = context.Process(target=_hold, args=(path, held, release))
    child.start()
    try:
        assert held.wait(PATIENCE_SECONDS)
        yield
    finally:
        release.set()
        child.join(PATIENCE_SECONDS)
        child.kill()


def state(jay: Scrubjay) -> list[tuple[Any, ...]]:
    """All that a sync decides, without ids and times of its own."""
    return sorted(
        (m.document or "", m.position or 0, m.lines or (), m.title, m.text, m.source, m.session or "", m.kind)
        for m in jay.list()
    )


def names(jay: Scrubjay) -> list[str]:
    return [passage.document or "" for passage in passages(jay)]


def reasons(done: Synced) -> dict[str, str]:
    return {Path(skipped.path).name: skipped.reason for skipped in done.skipped}
