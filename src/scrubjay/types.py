"""The nouns: frozen dataclasses that every room shares."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple, overload

from scrubjay.models import CacheUse, Filled, Model, Spent
from scrubjay.revisions import Edit, Reverted, Step

__all__ = [
    "DEFAULT_SPACE",
    "KINDS_CUT_FROM_A_SOURCE",
    "TITLE_CHARACTERS",
    "TRUST",
    "Added",
    "Check",
    "Conflict",
    "Context",
    "Edit",
    "Event",
    "Evicted",
    "Filled",
    "Filter",
    "Fusion",
    "History",
    "Hit",
    "Limits",
    "Memory",
    "Mode",
    "Model",
    "Priority",
    "Query",
    "Results",
    "Reverted",
    "Session",
    "Stats",
    "Status",
    "Step",
    "Task",
    "Traits",
    "Trust",
    "first_words",
]

Trust = Literal["user", "agent", "external"]
Mode = Literal["hybrid", "keyword", "vector"]
Fusion = Literal["sum", "rrf"]
Status = Literal["pending", "in_progress", "completed", "cancelled"]
Priority = Literal["high", "normal", "low"]

TRUST: tuple[Trust, ...] = ("external", "agent", "user")  # from the least
DEFAULT_SPACE = "default"
TITLE_CHARACTERS = 80
ROLES = ("user", "human", "assistant", "agent", "system", "tool", "model")  # of speakers without a name
KINDS_CUT_FROM_A_SOURCE = frozenset({"turn", "passage"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One searchable text and where it came from."""

    id: int  # small, unique in a store, never reused; 0 before it is stored
    uid: str  # the same in every database it is copied to
    space: str
    text: str
    kind: str
    title: str  # given, or the first words of the text
    project: str | None = None
    subject: str | None = None
    context: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str = "manual"  # "manual", "mcp", "file:notes/a.md", "session:8f2c…"
    client: str | None = None
    actor: str | None = None
    trust: Trust = "user"
    confidence: float = 1.0
    importance: int = 5
    session: str | None = None
    speaker: str | None = None
    document: str | None = None
    position: int | None = None  # order inside its session or document; times may tie
    lines: tuple[int, int] | None = None
    happened_at: datetime  # when what it tells was said or true; all times are UTC
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    superseded_by: int | None = None
    superseded_at: datetime | None = None  # None while the memory is current
    confirmed_count: int = 0
    confirmed_at: datetime | None = None
    used_count: int = 0
    used_at: datetime | None = None

    @property
    def given_title(self) -> str | None:
        return None if self.title == first_words(self.text) else self.title

    @property
    def said(self) -> str:
        """The text as it is understood by itself: a person's turn with whose it is."""
        name = self.speaker
        if self.kind != "turn" or not name or name.lower() in ROLES or self.text.startswith(f"{name}:"):
            return self.text
        return f"{name}: {self.text}"

    @property
    def fingerprint(self) -> bytes | None:
        """Equal for two memories that say the same; turns and passages have none."""
        if self.kind in KINDS_CUT_FROM_A_SOURCE:
            return None
        said = " ".join(unicodedata.normalize("NFC", self.text).split())
        return _digest(self.space, self.kind, self.subject or "", said)

    @property
    def digest(self) -> bytes:
        """Equal for two memories that are embedded alike."""
        return _digest(self.given_title or "", self.said)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()


def first_words(text: str) -> str:
    """A title for a text that was given none."""
    if len(text) <= TITLE_CHARACTERS and text.isprintable() and "  " not in text:
        return text.strip()
    line = " ".join(text[: TITLE_CHARACTERS * 4].split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    head = line[: TITLE_CHARACTERS - 1]
    return (head.rsplit(" ", 1)[0] if " " in head else head) + "…"


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one `add`."""

    memory: Memory
    created: bool  # False: this was already known, and the known memory is returned
    similar: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories may be in an answer. Everything given must hold."""

    spaces: tuple[str, ...]
    now: datetime
    kinds: tuple[str, ...] = ()
    subject: str | None = None
    project: str | None = None
    session: str | None = None
    speaker: str | None = None
    tags: tuple[str, ...] = ()  # any of them
    metadata: tuple[tuple[str, str, Any], ...] = ()  # key, operator, value
    since: datetime | None = None
    until: datetime | None = None
    sources: tuple[str, ...] = ()  # "file" also means every "file:…"
    min_importance: int | None = None
    min_confidence: float | None = None
    include_superseded: bool = False
    replaced_turns: bool = False  # also turns that were replaced: they were said all the same
    as_of: datetime | None = None  # what was true then, instead of what is


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question and how to answer it."""

    text: str
    filter: Filter
    limit: int = 10
    mode: Mode = "hybrid"
    fusion: Fusion = "sum"
    weights: Mapping[str, float] = field(default_factory=dict)
    min_score: float = 0.0
    project: str | None = None  # the one being worked on: its memories are lifted
    half_lives: Mapping[str, float] = field(default_factory=dict)  # in days, by kind
    source_share: float = 1.0  # of the results, for what is cut from sources while memories answer, too


class Traits(NamedTuple):
    """What of a memory bears on its rank besides how well it matches."""

    kind: str
    project: str | None
    speaker: str | None
    happened_at: datetime
    confirmed_count: int
    used_count: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers, how well (0..1), and what each signal contributed to that."""

    memory: Memory
    score: float
    why: Mapping[str, float]
    neighbours: tuple[Memory, ...] = ()  # of a turn: the ones said just before and after
    corrected_by: int | None = None  # of a turn: the memory that has replaced what it states
    also: tuple[int, ...] = ()  # memories that say nearly the same, and are not shown for that
    words: tuple[str, ...] = ()  # those of the question that it has
    confidence: float | None = None  # how likely it answers, where words and meaning were both asked


@dataclass(frozen=True, slots=True)
class Results(Sequence[Hit]):
    """Hits, best first, with what there is to say about them."""

    hits: tuple[Hit, ...]
    tiers: tuple[str, ...] = ()  # which ways of searching answered
    notes: tuple[str, ...] = ()  # weaker answers are announced, never silent
    words: tuple[str, ...] = ()  # of the question, as they were looked for
    doubtful: bool = False  # whether nothing found seems to answer
    familiarity: float | None = None  # how far those were gone by beside meaning: less where they are strange here

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)


@dataclass(frozen=True, slots=True)
class History(Sequence[Memory]):
    """Memories that replaced one another, oldest first, the steps between them, and what was updated."""

    memories: tuple[Memory, ...]
    steps: tuple[Step, ...] = ()
    edits: tuple[Edit, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Memory, ...]: ...
    def __getitem__(self, index: int | slice) -> Memory | tuple[Memory, ...]:
        return self.memories[index]

    def __len__(self) -> int:
        return len(self.memories)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two current memories about one subject that seem to say the same with another value."""

    older: Memory
    newer: Memory
    score: float


@dataclass(frozen=True, slots=True)
class Task:
    """A memory of kind task, and where it stands in its life."""

    memory: Memory
    scope: str = "user"
    status: Status = "pending"
    priority: Priority = "normal"
    due: datetime | None = None
    note: str | None = None
    notes: tuple[str, ...] = ()  # of one that was just created or updated: what there is to say about that


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of an agent."""

    space: str
    name: str
    project: str | None
    client: str | None
    started_at: datetime
    ended_at: datetime | None  # None while it is active
    summary: int | None  # the memory that sums it up
    turns: int
    tool_calls: int


@dataclass(frozen=True, slots=True)
class Event:
    """Something on the timeline: a memory, or what became of one, or of a session."""

    at: datetime
    what: str  # remembered, said, replaced, reverted, session started, session ended
    memory: Memory | None = None
    detail: str = ""
    about: tuple[int, ...] = ()  # of a revision: the memories it concerns

    @classmethod
    def of(cls, memory: Memory) -> Event:
        return cls(memory.happened_at, "said" if memory.kind == "turn" else "remembered", memory)

    @property
    def id(self) -> int | None:
        return self.memory.id if self.memory else None

    @property
    def kind(self) -> str:
        return self.memory.kind if self.memory else self.what

    @property
    def title(self) -> str:
        return self.memory.title if self.memory else self.detail

    @property
    def text(self) -> str:
        return self.memory.text if self.memory else self.detail


@dataclass(frozen=True, slots=True)
class Evicted:
    """A memory that `cleanup` removed, or would, and why."""

    memory: Memory
    reason: str


class Limits(NamedTuple):
    """How much a space and a file may hold; 0 is no limit."""

    memories: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """What to tell an agent now: fenced text within its budget, and the memories in it."""

    text: str
    memories: tuple[Memory, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Check:
    """What `check` found, and what it mended."""

    problems: list[str]
    repaired: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)  # nothing is damaged, but something should be mended


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """A store in figures, for one space."""

    space: str
    memories: int
    superseded: int
    expired: int
    by_kind: Mapping[str, int]
    spaces: int
    without_vector: int
    quarantined: int  # of those without a vector: refused by the embedder
    used: int
    oldest: datetime | None
    newest: datetime | None
    model: str | None
    cache: CacheUse
    generation: Spent
    file: str
    file_bytes: int
    read_only: bool
