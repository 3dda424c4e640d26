"""Where memories are kept: one `Store`, made of parts that are named for what they keep.

A store keeps and finds; it neither judges nor ranks. What it acknowledges is on disk. Each call that writes is one
transaction; any number of threads and processes may use the same store.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.stores.agents.sessions import Sessions
from scrubjay.stores.agents.tasks import Tasks
from scrubjay.stores.agents.tokens import KeptTokens
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.agents.withheld import Withheld
from scrubjay.stores.contract import NEWEST, Deleted, Engine, NewMemory, Revision, State, Stored, Turn, Use, WordCounts
from scrubjay.stores.deletions.trash import Trash
from scrubjay.stores.documents import Documents
from scrubjay.stores.ledger import Ledger
from scrubjay.stores.maintenance import Maintenance
from scrubjay.stores.memories import Memories
from scrubjay.stores.revisions.conflicts import Conflicts
from scrubjay.stores.revisions.undo import Revisions
from scrubjay.stores.search import Search
from scrubjay.stores.vectors import Vectors

__all__ = [
    "NEWEST",
    "Deleted",
    "Documents",
    "KeptTokens",
    "Ledger",
    "NewMemory",
    "Revision",
    "State",
    "Store",
    "Stored",
    "Trash",
    "Turn",
    "Use",
    "Withheld",
    "WordCounts",
    "open_store",
]


class Store:
    """One memory, shared by any number of threads and processes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.uses = Uses(engine)
        self.vectors = Vectors(engine, self.uses)
        self.memories = Memories(engine, self.uses, self.vectors)
        self.search = Search(engine)
        self.revisions = Revisions(engine)
        self.conflicts = Conflicts(engine)
        self.documents = Documents(engine)
        self.trash = Trash(engine, self.uses)
        self.tasks = Tasks(engine)
        self.sessions = Sessions(engine)
        self.ledger = Ledger(engine)
        self.tokens = KeptTokens(engine)
        self.withheld = Withheld(engine)
        self.maintenance = Maintenance(engine, self.uses)

    @property
    def path(self) -> str:
        """The file's path, or `:memory:`."""
        return self._engine.url

    @property
    def read_only(self) -> bool:
        return self._engine.read_only

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that this thread reads in this block be as of one moment, whatever others write meanwhile."""
        with self._engine.reading():
            yield

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Let all that this thread writes in this block be stored, or nothing of it."""
        with self._engine.writing():
            yield

    def lock(self, name: str, wait_seconds: float = -1) -> AbstractContextManager[Any]:
        """Keep other processes from the same work; TimeoutError where they are at it, -1 waits for ever."""
        return self._engine.lock(name, wait_seconds)

    def files(self) -> list[Path]:
        """Every file and folder on disk that belongs to this store."""
        return self._engine.files()

    def close(self) -> None:
        self.uses.flush_without_waiting()
        self._engine.close()


def open_store(url: str) -> Store:
    """Open a file's path, or `:memory:`."""
    scheme, separator, _ = url.partition("://")
    if separator:
        raise Invalid(f"There is no store for {scheme}:// yet; give the path of a file.")
    engine: Engine = import_module("scrubjay.stores.sqlite.engine").SqliteEngine(url)
    return Store(engine)
