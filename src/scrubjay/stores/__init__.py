"""Where memories are kept: one `Store`, made of parts that are named for what they keep.

A store keeps and finds; it neither judges nor ranks. What it acknowledges is on disk. Each call that writes is one
transaction; any number of threads and processes may use the same store.
"""

from __future__ import annotations

from pathlib import Path

from scrubjay.errors import Invalid
from scrubjay.stores.agents.sessions import Sessions
from scrubjay.stores.agents.tasks import Tasks
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.contract import NEWEST, Deleted, Nearest, Revision, State, Turn, Use, WordCounts
from scrubjay.stores.deletions.trash import Trash
from scrubjay.stores.documents import Documents
from scrubjay.stores.ledger import Ledger
from scrubjay.stores.maintenance import Maintenance
from scrubjay.stores.memories import Memories
from scrubjay.stores.revisions.conflicts import Conflicts
from scrubjay.stores.revisions.undo import Revisions
from scrubjay.stores.search import Search
from scrubjay.stores.sqlite.engine import MEMORY, Connections
from scrubjay.stores.sqlite.migrations import migrate
from scrubjay.stores.sqlite.text_index import FullText
from scrubjay.stores.sqlite.vector_cache import VectorCache
from scrubjay.stores.tokens import KeptTokens
from scrubjay.stores.vectors import Vectors
from scrubjay.stores.withheld import Withheld

__all__ = [
    "NEWEST",
    "Deleted",
    "Documents",
    "KeptTokens",
    "Ledger",
    "Nearest",
    "Revision",
    "State",
    "Store",
    "Trash",
    "Turn",
    "Use",
    "Withheld",
    "WordCounts",
    "open_store",
]


class Store:
    """One memory, shared by any number of threads and processes."""

    def __init__(self, engine: Connections) -> None:
        self._engine = engine
        path = engine.path
        self._cache = VectorCache(None if path == MEMORY else Path(f"{path}.vectors"), engine.read_only)
        self.uses = Uses(engine)
        self.vectors = Vectors(engine, self.uses)
        self.memories = Memories(engine, self.uses, self.vectors)
        self.search = Search(engine, FullText(), self._cache)
        self.revisions = Revisions(engine)
        self.conflicts = Conflicts(engine)
        self.documents = Documents(engine)
        self.trash = Trash(engine, self._cache, self.uses)
        self.tasks = Tasks(engine)
        self.sessions = Sessions(engine)
        self.ledger = Ledger(engine)
        self.tokens = KeptTokens(engine)
        self.withheld = Withheld(engine)
        self.maintenance = Maintenance(engine, self.uses)

    @property
    def path(self) -> str:
        """The file's path, or `:memory:`."""
        return self._engine.path

    @property
    def read_only(self) -> bool:
        return self._engine.read_only

    def files(self) -> list[Path]:
        """Every file and folder on disk that belongs to this store."""
        return [*self._engine.files(), *self._cache.files()]

    def close(self) -> None:
        self.uses.flush_without_waiting()
        self._engine.close()


def open_store(url: str) -> Store:
    """Open a file's path, or `:memory:`."""
    scheme, separator, _ = url.partition("://")
    if separator:
        raise Invalid(f"There is no store for {scheme}:// yet; give the path of a file.")
    engine = Connections(url)
    try:
        migrate(engine)
    except BaseException:
        engine.close()
        raise
    return Store(engine)
