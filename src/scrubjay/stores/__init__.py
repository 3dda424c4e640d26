"""Where memories are kept: one `Store`, made of parts that are named for what they keep.

A store keeps and finds; it neither judges nor ranks. What it acknowledges is on disk. Each call that writes is one
transaction; any number of threads and processes may use the same store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Invalid, StoreError
from scrubjay.stores.agents.sessions import Sessions
from scrubjay.stores.agents.tasks import Tasks
from scrubjay.stores.agents.uses import Uses
from scrubjay.stores.agents.withheld import Withheld
from scrubjay.stores.connections.links import Links
from scrubjay.stores.connections.ratings import Ratings
from scrubjay.stores.contract import (
    NEWEST,
    Engine,
    KeptRecord,
    NewMemory,
    NewVersion,
    Outdated,
    Revision,
    State,
    Stored,
    Turn,
    Use,
)
from scrubjay.stores.deletions.forgetting import Forgetting
from scrubjay.stores.deletions.trash import Deleted, Trash
from scrubjay.stores.ledger import Ledger
from scrubjay.stores.maintenance import Maintenance
from scrubjay.stores.memories import Memories
from scrubjay.stores.records import Records
from scrubjay.stores.revisions.conflicts import Conflicts
from scrubjay.stores.search import Search
from scrubjay.stores.vectors import Vectors

if TYPE_CHECKING:
    from scrubjay.stores.agents.attempts import Attempts
    from scrubjay.stores.agents.events import Events
    from scrubjay.stores.agents.figures import Figures
    from scrubjay.stores.agents.logins import Logins
    from scrubjay.stores.agents.requests import Requests
    from scrubjay.stores.agents.tokens import KeptTokens
    from scrubjay.stores.documents import Documents
    from scrubjay.stores.revisions.undo import Revisions
    from scrubjay.stores.transfer.transfer import Transfer

__all__ = [
    "MADE_LATER",
    "NEWEST",
    "Deleted",
    "KeptRecord",
    "Ledger",
    "NewMemory",
    "NewVersion",
    "Outdated",
    "Revision",
    "State",
    "Store",
    "Stored",
    "Trash",
    "Turn",
    "Use",
    "Withheld",
    "open_store",
]

POSTGRES = ("postgresql", "postgres")  # schemes
# The module and the class of each part that a search does not need: it is imported and made when it is first used.
MADE_LATER = {
    "revisions": ("revisions.undo", "Revisions"),
    "documents": ("documents", "Documents"),
    "tokens": ("agents.tokens", "KeptTokens"),
    "requests": ("agents.requests", "Requests"),
    "attempts": ("agents.attempts", "Attempts"),
    "events": ("agents.events", "Events"),
    "logins": ("agents.logins", "Logins"),
    "figures": ("agents.figures", "Figures"),
}


class Store:
    """One memory, shared by any number of threads and processes."""

    revisions: Revisions
    documents: Documents
    tokens: KeptTokens
    requests: Requests
    attempts: Attempts
    events: Events
    logins: Logins
    figures: Figures

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.uses = Uses(engine)
        self.vectors = Vectors(engine, self.uses)
        self.memories = Memories(engine, self.uses, self.vectors)
        self.search = Search(engine)
        self.conflicts = Conflicts(engine)
        self.trash = Trash(engine, self.uses)
        self.links = Links(engine)
        self.ratings = Ratings(engine)
        self.forgetting = Forgetting(engine, self.uses, self.trash)
        self.tasks = Tasks(engine)
        self.records = Records(engine)
        self.sessions = Sessions(engine)
        self.ledger = Ledger(engine)
        self.withheld = Withheld(engine)
        self.maintenance = Maintenance(engine, self.uses)

    if not TYPE_CHECKING:  # else a wrong name would be taken for a part

        def __getattr__(self, name: str) -> Any:
            if name not in MADE_LATER:
                raise AttributeError(f"A store has no part {name!r}.")
            module, part = MADE_LATER[name]
            return self.__dict__.setdefault(name, getattr(import_module(f"{__name__}.{module}"), part)(self._engine))

    @cached_property
    def transfer(self) -> Transfer:
        """What moves memories between stores; most processes never need it."""
        from scrubjay.stores.transfer.transfer import Transfer

        return Transfer(self._engine, self.uses)

    @property
    def path(self) -> str:
        """The file's path, `:memory:`, or the address of a database, without its password."""
        return self._engine.url

    @property
    def read_only(self) -> bool:
        return self._engine.read_only

    @contextmanager
    def snapshot(self, spaces: Collection[str] | None = None) -> Iterator[None]:
        """Let all that this thread reads in this block be as of one moment, whatever others write meanwhile."""
        with self._engine.reading(spaces):
            yield

    @contextmanager
    def transaction(self, spaces: Collection[str] | None = None) -> Iterator[None]:
        """Let all that this thread writes in this block, to these spaces or any, be stored, or nothing of it."""
        with self._engine.writing(spaces):
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
    """Open a file's path, `:memory:`, or a database by its address."""
    scheme, separator, _ = url.partition("://")
    if separator and scheme not in POSTGRES:
        raise Invalid(f"There is no store for {scheme}://; give the path of a file, or postgresql://….")
    return _postgres(url) if separator else Store(import_module("scrubjay.stores.sqlite.engine").SqliteEngine(url))


def _postgres(url: str) -> Store:
    try:
        module = import_module("scrubjay.stores.postgres.repeating")
    except ModuleNotFoundError as problem:
        if problem.name != "psycopg":
            raise
        raise StoreError("PostgreSQL needs another package: pip install 'scrubjay[postgres]'.") from None
    store: Store = module.open_repeating(url)
    return store
