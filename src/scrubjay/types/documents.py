"""Sources, their documents, and what a sync did with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from scrubjay.types import Memory
from scrubjay.types.models import Job, Quarantined

__all__ = [
    "Changed",
    "Document",
    "Excerpt",
    "Level",
    "Place",
    "SessionNotes",
    "Skipped",
    "Source",
    "SourceKind",
    "Status",
    "Synced",
    "not_yet_stored",
]

SourceKind = Literal["files", "transcripts", "git"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A folder, transcripts or a git history that memories are read from."""

    id: int = 0
    space: str
    kind: SourceKind
    name: str  # unique in its space; the names of its documents begin with it
    root: str  # nothing outside of this folder is read
    include: tuple[str, ...] = ()  # patterns as in .gitignore
    exclude: tuple[str, ...] = ()
    ignored: bool = False  # whether files that .gitignore excludes are read, too
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
    hash: str  # keyed with a key of the store; of a history, the name of a commit; "" if it is not known
    mtime: int  # nanoseconds
    size: int
    offset: int = 0  # bytes that were read, of a document that only grows
    chunking: str  # how it was divided; if that changes, it is read again
    state: Mapping[str, Any] = field(default_factory=dict)  # what its reader needs to continue


@dataclass(frozen=True, slots=True)
class Changed:
    """How many memories of some documents were added, kept and removed."""

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

    read: int = 0  # documents whose content was read
    bytes: int = 0
    unchanged: int = 0
    changed: Changed = Changed()
    embedded: int = 0  # distinct texts
    remaining: int = 0  # memories that still have no vector
    skipped: tuple[Skipped, ...] = ()
    hidden: int = 0  # files and folders skipped because their names begin with a dot
    unread: tuple[tuple[str, str], ...] = ()  # sources that could not be read, and why
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How much a source has changed since it was last read."""

    source: Source
    documents: int
    memories: int
    new: int = 0
    changed: int = 0
    gone: int = 0
    skipped: tuple[Skipped, ...] = ()
    hidden: int = 0  # files and folders skipped because their names begin with a dot

    @property
    def behind(self) -> int:
        return self.new + self.changed + self.gone


@dataclass(frozen=True, slots=True)
class Status:
    """Whether the memory is up to date with its sources."""

    sources: tuple[Level, ...]
    without_vector: int
    syncing: bool  # a process is syncing now
    quarantined: tuple[Quarantined, ...] = ()  # of those without a vector: refused by the embedder
    warnings: tuple[str, ...] = ()
    jobs: tuple[Job, ...] = ()  # batch jobs of the embedder that are under way, or have failed

    @property
    def behind(self) -> int:
        return sum(source.behind for source in self.sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNotes:
    """What a part of a transcript tells about a session besides its turns."""

    session: str
    title: str | None = None
    tool_calls: int = 0
    files: tuple[str, ...] = ()  # that its agent changed
    links: tuple[str, ...] = ()  # e.g. to a pull request
    folders: tuple[str, ...] = ()  # that its agent worked in; not stored


@dataclass(frozen=True, slots=True)
class Place:
    """A folder where an agent client keeps its transcripts, and how much is in it."""

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


def not_yet_stored(turns: Iterable[Memory], known: Iterable[Memory]) -> list[Memory]:
    """The turns that are not stored in their session yet; each stored one counts for one with the same text."""
    left = Counter((turn.session, turn.speaker, turn.text) for turn in known)
    new = []
    for turn in turns:
        key = (turn.session, turn.speaker, turn.text)
        left[key] -= 1
        if left[key] < 0:
            new.append(turn)
    return new
