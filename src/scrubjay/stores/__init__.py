"""Where memories are kept. This page is the contract of every store, and `open_store` its door.

A store keeps and finds; it neither judges nor ranks. What it acknowledges is on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from scrubjay.errors import Invalid
from scrubjay.stores.records import NEWEST, Access, Nearest, Revision, Turn, WordCounts
from scrubjay.types import (
    Check,
    Conflict,
    Event,
    Filter,
    History,
    Memory,
    Reverted,
    Session,
    Stats,
    Step,
    Task,
    Traits,
    Trust,
)
from scrubjay.types.documents import Changed, Document, Source
from scrubjay.types.models import Job, Model, Quarantined, Spent
from scrubjay.types.tokens import Token
from scrubjay.types.withheld import Withheld

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = [
    "NEWEST",
    "Access",
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
    "WordCounts",
    "open_store",
]

State = Literal["current", "building"]


class Deleted(NamedTuple):
    """A memory in the trash: since when, and why."""

    memory: Memory
    at: datetime
    reason: str


class Trash(Protocol):
    """Deleted memories, which are in no other answer of the store."""

    def all(self, space: str) -> list[Deleted]:
        """The last deleted first."""

    def take_out(self, id: int, spaces: Sequence[str], at: datetime, most: Trust) -> Memory:
        """Put a memory back where it was, with at most this trust."""

    def due(self, before: datetime) -> int:
        """How many were deleted before, in any space."""

    def emptied_at(self) -> datetime | None:
        """When it was last emptied to the last byte."""

    def empty(self, before: datetime, at: datetime, space: str | None = None) -> int:
        """Erase what was deleted before, in one space or all: no file of the store holds it any more."""

    def bytes(self) -> int: ...


class KeptTokens(Protocol):
    """The tokens of a file, each by the digest of its secret."""

    def put(self, token: Token, digest: bytes) -> None: ...

    def revoke(self, name: str, at: datetime) -> Token: ...

    def note(self, name: str, at: datetime) -> None:
        """Remember that it was used, if nobody has to wait for that."""

    def get(self, digest: bytes) -> tuple[Token, bytes] | None:
        """The token of that digest, and the digest as it is stored."""

    def all(self) -> list[Token]: ...


class Documents(Protocol):
    """Sources and what was read of them. Each call that writes is one transaction."""

    within: Path | None  # the folder that sources must lie in; None for anywhere

    def sources(self, space: str) -> list[Source]:
        """Those that may be read."""

    def count_outside(self) -> int:
        """How many others there are, in all spaces."""

    def put_source(self, source: Source) -> Source: ...

    def drop_source(self, source: Source, at: datetime) -> Changed:
        """Forget a source with all that was cut from it."""

    def note_synced(self, source: Source, at: datetime) -> None: ...

    def of(self, source: Source) -> list[Document]: ...

    def owners(self, space: str) -> dict[str, int]:
        """Which source each path belongs to."""

    def named(self, space: str, name: str) -> Document | None: ...

    def memories(self, document: Document) -> list[Memory]: ...

    def without_deleted(self, document: Document, lines: Sequence[str]) -> list[str]:
        """Lines of a document, with a mark in place of what was deleted of it."""

    def count_memories(self, space: str) -> dict[int, int]: ...

    def revise(self, revisions: Sequence[Revision], at: datetime) -> Changed:
        """Each one whole, or not at all where another process has read that document meanwhile."""

    def keep_vectors(self, vectors: Mapping[bytes, Matrix], model: Model, at: datetime) -> None:
        """Keep the vectors of texts that are about to be put in a document, so that it is never without."""

    def drop(self, documents: Sequence[Document], at: datetime) -> Changed: ...


class Ledger(Protocol):
    """What models were handed and refused, what they cost, and how far conversations were gone through."""

    def quarantine(self, state: State, refused: Mapping[int, str], at: datetime) -> None:
        """Set memories aside that a model refuses, by id with the reason; refused again, they are counted."""

    def quarantined(self, space: str | None = None) -> list[Quarantined]: ...

    def put_job(self, spec: str, job: Job) -> None:
        """Keep a job of a model, or what became of it."""

    def jobs(self, spec: str) -> list[Job]: ...

    def end_job(self, spec: str, id: str) -> None: ...

    def spend(self, month: str, model: str, tokens_in: int, tokens_out: int) -> None: ...

    def spent(self, month: str) -> Spent: ...

    def mark_extracted(self, space: str, session: str, position: int, extractor: str, at: datetime) -> None:
        """Say that a session has been gone through up to this turn."""

    def extracted_to(self, space: str, session: str) -> int:
        """The last turn that was gone through; -1 for none."""

    def unextracted(self, space: str) -> list[str]:
        """Sessions with turns that were not gone through yet, the oldest first."""


class Store(Protocol):
    """One memory, shared by any number of threads and processes."""

    @property
    def tokens(self) -> KeptTokens: ...

    @property
    def read_only(self) -> bool: ...

    @property
    def documents(self) -> Documents: ...

    @property
    def ledger(self) -> Ledger: ...

    @property
    def trash(self) -> Trash: ...

    @property
    def withheld(self) -> Withheld: ...

    @property
    def path(self) -> str: ...

    # Writing: each call is one transaction.
    def put(
        self,
        memories: Sequence[Memory],
        vectors: Sequence[Matrix | None],
        model: Model | None,
        replaces: Sequence[Step] = (),
        given: Sequence[Collection[str]] = (),
    ) -> list[tuple[Memory, bool]]:
        """Store memories with their vectors; one already known comes back with what was given again, and False.

        `given` names the fields that a caller gave, for each. With `replaces`, the first memory takes the place of
        these others, as one change.
        """

    def change(
        self,
        id: int,
        spaces: Sequence[str],
        edit: Callable[[Memory], Memory],
        vectors: Matrix | None = None,
        actor: str | None = None,
    ) -> Memory:
        """Change what is not text of one memory; where that changes what is embedded, these are its vectors."""

    def link(self, old: int, new: int, spaces: Sequence[str], step: Step) -> Memory:
        """Let a memory stand in the place of another. Returns the old one, now superseded."""

    def put_away(self, id: int, spaces: Sequence[str], step: Step) -> Memory:
        """Retire a memory with nothing in its place."""

    def undo(
        self, id: int, spaces: Sequence[str], at: datetime, actor: str | None, reason: str | None, trust: Trust
    ) -> Reverted:
        """Undo the step from a memory, or else the last step to it or update of it, with all of its change."""

    def put_conflicts(self, pairs: Sequence[tuple[int, int, float]], at: datetime) -> None:
        """Remember pairs (older, newer, how likely) that seem to contradict each other."""

    def dismiss(self, older: int, newer: int, space: str, at: datetime) -> None: ...

    def task(self, id: int, space: str, now: datetime) -> Task: ...

    def begin_task(self, id: int, space: str, now: datetime, life: Mapping[str, Any]) -> Task:
        """Say where a new task stands."""

    def change_task(
        self, id: int, space: str, now: datetime, edit: Callable[[Task], Mapping[str, Any]], actor: str | None = None
    ) -> Task:
        """Change where a task stands; neither words nor vectors are touched."""

    def tasks(self, space: str, now: datetime, **wanted: Any) -> list[Task]:
        """The most pressing first."""

    def begin_session(
        self, space: str, name: str, project: str | None, client: str | None, at: datetime
    ) -> Session: ...

    def session(self, space: str, name: str) -> Session: ...

    def end_session(self, space: str, name: str, at: datetime, summary: int | None) -> Session: ...

    def count_tool_calls(self, space: str, name: str, calls: int) -> Session: ...

    def sessions(self, space: str, active: bool | None, limit: int) -> list[Session]: ...

    def told_in(self, space: str, session: str) -> set[int]:
        """What a session was told already."""

    def note_told(self, space: str, session: str, ids: Sequence[int], at: datetime) -> None: ...

    def events(self, filter: Filter, space: str, limit: int, only_memories: bool) -> list[Event]:
        """What happened, the newest first."""

    def delete(self, ids: Sequence[int], spaces: Sequence[str], at: datetime) -> None:
        """Move all of them to the trash; if one is not there, none."""

    def note(self, accesses: Iterable[Access]) -> None:
        """Remember uses, some time, without making anybody wait."""

    # Reading
    def get(self, ids: Sequence[int], spaces: Sequence[str], now: datetime) -> dict[int, Memory]: ...

    def traits(self, ids: Iterable[int]) -> dict[int, Traits]: ...

    def known(self, memories: Sequence[Memory]) -> list[Memory | None]:
        """For each, the current memory that already says the same."""

    def newest(self, filter: Filter, limit: int | None, offset: int = 0) -> list[Memory]:
        """The newest first."""

    def by_word(self, text: str, filter: Filter, limit: int, least: int) -> list[int]:
        """The best by word up to the limit; fewer than `least` only where there are no more."""

    def word_counts(self, text: str, ids: Iterable[int], spaces: Sequence[str]) -> WordCounts: ...

    def speaks(self, small: Iterable[str], spaces: Sequence[str]) -> bool:
        """Whether memories there are in a language, told by any of its small words."""

    def pieces(self, ids: Iterable[int]) -> dict[int, int]:
        """How many pieces each of these was embedded in."""

    def turns(self, ids: Iterable[int]) -> dict[int, Turn]:
        """Of those that are turns: where each was said."""

    def passing(self, ids: Iterable[int], filter: Filter) -> list[int]:
        """Those that a filter lets through."""

    def by_substring(self, text: str, filter: Filter, limit: int) -> list[int]: ...

    def by_meaning(self, vector: Matrix, filter: Filter, limit: int) -> Nearest: ...

    def cosines(self, vector: Matrix, ids: Iterable[int]) -> dict[int, float]: ...

    def alike(self, pairs: Mapping[int, int]) -> dict[int, float]:
        """The cosine between the first pieces of each and of the one beside it."""

    def chain(self, id: int, spaces: Sequence[str]) -> History:
        """Every memory that this one replaced, or that replaced it, the oldest first."""

    def told(self, subject: str, space: str) -> History:
        """All that was ever known of a subject."""

    def conflicts(self, space: str, now: datetime) -> list[Conflict]:
        """The open ones: both current, not dismissed; the newest first."""

    def around(self, id: int, filter: Filter, window: int) -> list[Memory]:
        """The memories just before and after one, in time, with itself."""

    def any_superseded(self, space: str) -> bool: ...

    def beside(self, turns: Sequence[Memory], now: datetime, window: int = 1) -> dict[int, list[Memory]]:
        """The turns said just before and after each of these."""

    # Vectors
    def model(self, state: State = "current") -> Model | None: ...

    def build(self, model: Model) -> None:
        """Begin, or go on with, vectors of another model beside the current ones."""

    def pending(self, state: State, before: int, limit: int, refused: bool = False) -> list[Memory]:
        """Memories with no vector of that model and a lower id than this one, the newest first.

        Those that the model has refused are among them only if asked for.
        """

    def count_pending(self, state: State, refused: bool = False, space: str | None = None) -> int:
        """In one space, or in all of them."""

    def embedded(self, state: State, digests: Iterable[bytes]) -> dict[bytes, Matrix]:
        """The vectors of texts that were embedded before, as far as they are known."""

    def fill(self, state: State, vectors: Mapping[int, Matrix], model: Model) -> None: ...

    def finish(self, at: datetime, keep_bytes: int) -> bool:
        """Make the vectors being built the current ones, unless other memories have come in since.

        Of those that were, as many are kept in the cache: the file may move back.
        """

    # Upkeep
    def stats(self, space: str, now: datetime, budget: int = 0) -> Stats: ...

    def expired(self, space: str, now: datetime) -> list[Memory]: ...

    def expendable(self, space: str, now: datetime, limit: int) -> list[Memory]:
        """What may be evicted: the least recently used first; never what must not be lost."""

    def remove(self, ids: Sequence[int], at: datetime, reason: str) -> None:
        """Move memories of any space to the trash."""

    def prune(self, at: datetime, days: int, most_bytes: int) -> int:
        """Forget vectors that have been out of use for longer, and the oldest of them beyond the limit."""

    def bytes_used(self) -> int:
        """How large the file is without its unused pages."""

    def check(self, deep: bool, repair: bool, at: datetime) -> Check:
        """Look for damage. Where pages cannot be read, a repair puts a new file in the place of this one."""

    def files(self) -> list[Path]:
        """Every file and folder on disk that belongs to this store."""

    def spaces(self) -> list[str]: ...

    def kinds(self, spaces: Sequence[str]) -> list[str]: ...

    def values(self, name: str, spaces: Sequence[str]) -> list[str]:
        """What memories have as subject, project, session, speaker, source or tag, the most frequent first."""

    def subjects(self, space: str, now: datetime) -> list[str]:
        """What current memories are about, the most frequent first."""

    def close(self) -> None: ...


def open_store(url: str) -> Store:
    """Open a file's path, or `:memory:`."""
    scheme, separator, _ = url.partition("://")
    if separator:
        raise Invalid(f"There is no store for {scheme}:// yet; give the path of a file.")
    store: Store = import_module("scrubjay.stores.sqlite.store").SqliteStore(url)
    return store
