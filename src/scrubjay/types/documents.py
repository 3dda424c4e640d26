"""What memories are cut from: sources, their documents, and what a sync did with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from scrubjay.types import Memory
from scrubjay.types.models import Quarantined

__all__ = [
    "Changed",
    "Document",
    "Excerpt",
    "Level",
    "Place",
    "Skipped",
    "Source",
    "SourceKind",
    "Status",
    "Synced",
    "unsaid",
]

SourceKind = Literal["files", "transcripts", "git"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A place that memories are cut from and kept level with."""

    id: int = 0
    space: str
    kind: SourceKind
    name: str  # unique in its space; the names of its documents begin with it
    root: str  # nothing outside of this folder is ever read
    include: tuple[str, ...] = ()  # patterns as in .gitignore
    exclude: tuple[str, ...] = ()
    ignored: bool = False  # also what .gitignore leaves out
    client: str | None = None  # of transcripts: which program writes them
    synced_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file, a transcript or a history, as it was when it was last read."""

    id: int = 0
    source: int
    space: str
    name: str  # "notes/a.md": its source's name, then its path below the root
    path: str
    hash: str
    mtime: int  # nanoseconds
    size: int
    offset: int = 0  # up to where it was read, of what only grows
    chunking: str  # how it was cut; cut differently, it is read again
    state: Mapping[str, Any] = field(default_factory=dict)  # what its reader must know to go on


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of the memories of some documents."""

    added: int = 0
    kept: int = 0
    removed: int = 0

    def __add__(self, other: Changed) -> Changed:
        return Changed(self.added + other.added, self.kept + other.kept, self.removed + other.removed)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document, or a part of one, that was not read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What a sync did."""

    read: int = 0  # documents whose content was looked at
    bytes: int = 0
    unchanged: int = 0
    changed: Changed = Changed()
    embedded: int = 0  # distinct texts
    remaining: int = 0  # memories that still have no vector
    skipped: tuple[Skipped, ...] = ()
    hidden: int = 0  # files and folders left out because their names begin with a dot
    unread: tuple[tuple[str, str], ...] = ()  # sources that could not be reached, and why
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How far a source is from what is known of it."""

    source: Source
    documents: int
    memories: int
    new: int = 0
    changed: int = 0
    gone: int = 0
    skipped: tuple[Skipped, ...] = ()
    hidden: int = 0  # files and folders left out because their names begin with a dot

    @property
    def behind(self) -> int:
        return self.new + self.changed + self.gone


@dataclass(frozen=True, slots=True)
class Status:
    """Whether the memory is level with its sources."""

    sources: tuple[Level, ...]
    without_vector: int
    syncing: bool  # some process is at it right now
    quarantined: tuple[Quarantined, ...] = ()  # of those without a vector: refused by the embedder
    warnings: tuple[str, ...] = ()

    @property
    def behind(self) -> int:
        return sum(level.behind for level in self.sources)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent client keeps its transcripts, and how much lies there."""

    client: str
    root: str
    include: tuple[str, ...]
    documents: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a document, or the turns around one."""

    document: str
    text: str
    first: int
    last: int
    total: int
    memories: tuple[Memory, ...] = ()  # of a conversation: the turns shown


def unsaid(turns: Iterable[Memory], known: Iterable[Memory]) -> list[Memory]:
    """Those that are not among the known ones of their session; what is said twice is known once for each time."""
    left = Counter((turn.session, turn.speaker, turn.text) for turn in known)
    fresh = []
    for turn in turns:
        saying = (turn.session, turn.speaker, turn.text)
        left[saying] -= 1
        if left[saying] < 0:
            fresh.append(turn)
    return fresh
