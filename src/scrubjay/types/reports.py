"""Reports of maintenance: checks, evictions, limits and statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, overload

from scrubjay.types.memories import Memory
from scrubjay.types.models import CacheUse, Spent

__all__ = [
    "Access",
    "BackedUp",
    "Certificate",
    "Check",
    "Cleaned",
    "Evicted",
    "Exported",
    "Forgotten",
    "Imported",
    "LimitUse",
    "Limits",
    "Moved",
    "Removed",
    "Restored",
    "Stats",
]


@dataclass(frozen=True, slots=True)
class Evicted:
    """A memory that `cleanup` removed or would remove, and why."""

    memory: Memory
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Cleaned(Sequence[Evicted]):
    """What `cleanup` removed or would remove, and why a limit is still exceeded. Equal to a list of the same."""

    removed: tuple[Evicted, ...] = ()
    notes: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Evicted: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Evicted, ...]: ...
    def __getitem__(self, index: int | slice) -> Evicted | tuple[Evicted, ...]:
        return self.removed[index]

    def __len__(self) -> int:
        return len(self.removed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)


class Limits(NamedTuple):
    """How many memories a space, and how many bytes a file may hold; 0 means no limit."""

    memories: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class LimitUse:
    """How much of a limit is used."""

    setting: str  # limits.memories, of the space; limits.bytes, of the whole file
    used: int
    most: int
    share: float  # above 1: the limit is exceeded


@dataclass(frozen=True, slots=True)
class Access:
    """One use of a memory, as the log of accesses has it."""

    memory: int
    at: datetime
    verb: str  # search, get, context, curate, rate, …
    score: float | None = None  # in a search; of a rating, 1 if it was helpful, else 0
    query: str | None = None  # what was searched for; why it was chosen. Forgotten once any memory is erased


@dataclass(frozen=True, slots=True)
class Check:
    """What `check` found, and what it repaired."""

    problems: list[str]
    repaired: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)  # nothing is damaged, but something should be fixed


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Statistics of a store, for one space."""

    space: str
    memories: int
    superseded: int
    expired: int
    by_kind: Mapping[str, int]
    spaces: int
    average_importance: float | None  # of the current memories; None if there are none
    average_confidence: float | None
    without_words: int  # that the index of words does not hold
    without_vector: int
    quarantined: int  # the part of `without_vector` that the embedder refused
    health: Mapping[str, str]  # of the indexes of words and vectors: good, incomplete or none
    search_modes: Mapping[str, str]  # keyword, vector and hybrid: available, or why not
    shown: int  # by searches
    used: int
    never_of_use: tuple[int, ...]  # ids: shown often and never used, or rated as of no help
    oldest: datetime | None
    newest: datetime | None
    sessions: int
    oldest_session: datetime | None  # when the first one began
    newest_session: datetime | None
    limits: tuple[LimitUse, ...]  # that are set
    model: str | None
    cache: CacheUse
    generation: Spent
    file: str
    file_bytes: int
    read_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export wrote."""

    file: str
    memories: int
    lines: int
    sha256: str  # of all lines but the last, which has it, too
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did, or with `dry_run` would do."""

    format: str  # "scrubjay", or whose file it was
    trusted: bool  # its memories kept their trust; else it was lowered to `external`
    dry_run: bool
    added: Mapping[str, int]  # by type of line
    changed: Mapping[str, int]
    known: Mapping[str, int]  # there already
    left_out: Mapping[str, int]  # by reason
    examples: tuple[str, ...] = ()  # titles of some memories that were added
    embedded: int = 0
    remaining: int = 0  # memories without a vector
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    """A backup: how much it holds, and which older ones were removed."""

    file: str
    memories: int  # in every space, replaced ones included
    bytes: int
    made: bool = True  # False if there was one of this day already
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A backup that took the place of a memory, and where that is kept."""

    store: str
    file: str
    memories: int
    kept: str | None  # None if there was none before
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A memory that was copied into another, and how that was checked."""

    source: str
    target: str
    memories: int  # that were copied, in every space
    lines: int  # that were compared: both have the same
    merged: bool  # there were other memories in the target before
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """A memory that was forgotten for good: nothing of what it said."""

    id: int
    uid: str
    kind: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What was forgotten, where it was looked for afterwards, and what still holds it."""

    at: datetime
    space: str
    removed: tuple[Removed, ...]
    sessions: int  # whose names were forgotten, since nothing else of them is left
    daily_log_lines: int  # that were removed
    searched_files: tuple[str, ...]  # of the memory, byte by byte
    still_held: tuple[str, ...]  # memories, backups, exports, logs and documents; empty if nothing does
    status: Literal["complete", "pending"]  # pending: its bytes are still in a file of the memory
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was forgotten for good, or with `dry_run` would be."""

    memories: tuple[Memory, ...]
    derived: tuple[Memory, ...]  # what came of them and stays
    certificate: Certificate | None  # None if nothing was done
    session: str | None = None  # the one that was named, if anything but memories was stored of it
