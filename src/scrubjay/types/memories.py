"""The memory itself.

To add a field: its attribute here, what callers may give in memory/fields.py, its column in stores/columns.py and in a
new file of stores/sqlite/schema/, what becomes of it when a known text is added again in stores/merging.py, what stands
in for it in a damaged file in stores/sqlite/repair/shapes.py, and, for agents, an argument of `memory_add` in
interfaces/mcp/tools/core.py.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

__all__ = [
    "COMMIT",
    "DEFAULT_SPACE",
    "HEADLESS",
    "KINDS_CUT_FROM_A_SOURCE",
    "NARRATION",
    "PENDING",
    "TITLE_CHARACTERS",
    "TRUST",
    "Citation",
    "Memory",
    "Trust",
    "first_words",
]

Trust = Literal["user", "agent", "external"]
TRUST: tuple[Trust, ...] = ("external", "agent", "user")  # lowest first
DEFAULT_SPACE = "default"
TITLE_CHARACTERS = 80
ROLES = ("user", "human", "assistant", "agent", "system", "tool", "model")  # speakers that are roles, not names
KINDS_CUT_FROM_A_SOURCE = frozenset({"turn", "passage"})

NARRATION = "narration"  # the tag of turns in which an agent only announces what it does next
PENDING = "pending"  # the tag of what rules have learnt from a session
HEADLESS = "headless"  # the tag of turns of a run without a person, from which nothing is learnt


COMMIT = "commit:"  # before the hash of a commit that is cited


@dataclass(frozen=True, slots=True)
class Citation:
    """What a memory cites: lines of a file, a whole file or a commit; and marks of how it was then."""

    what: str  # a path below the root; of a commit, `commit:` and its hash
    lines: tuple[int, int] | None = None
    root: str = ""  # the folder of the project
    mark: str = ""  # short hashes of the lines
    size: int = 0  # of the file, in bytes
    mtime: int = 0  # of the file, in nanoseconds; 0: not known

    def __str__(self) -> str:
        if self.what.startswith(COMMIT):
            return f"commit {self.what.removeprefix(COMMIT)[:12]}"
        return self.what if self.lines is None else f"{self.what}:{self.lines[0]}-{self.lines[1]}"

    @property
    def written(self) -> str:
        """As one line of text."""
        lines = "" if self.lines is None else f"{self.lines[0]}-{self.lines[1]}"
        return "\t".join((self.what, lines, self.root, self.mark, str(self.size), str(self.mtime)))

    @classmethod
    def read(cls, text: str) -> Citation:
        """The same, read again; what nobody wrote like this cites something without a mark."""
        parts = text.split("\t")
        try:
            what, lines, root, mark, size, mtime = parts
            first, _, last = lines.partition("-")
            return cls(what, (int(first), int(last)) if lines else None, root, mark, int(size), int(mtime))
        except ValueError:
            return cls(parts[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One searchable text and where it came from."""

    id: int  # small, unique in a store, never reused; 0 before it is stored
    uid: str  # stays the same when it is copied to another database
    space: str
    text: str
    kind: str
    title: str  # given, or the first words of the text
    project: str | None = None
    subject: str | None = None
    context: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  # other names of what it is about, by which it is found
    cites: tuple[Citation, ...] = ()  # files and commits that it follows from
    paths: tuple[str, ...] = ()  # patterns of files that it belongs to
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
    happened_at: datetime  # when it was said or became true; all times are UTC
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    superseded_by: int | None = None
    superseded_at: datetime | None = None  # None while the memory is current
    confirmed_count: int = 0
    confirmed_at: datetime | None = None
    shown_count: int = 0  # how often a search has shown it
    used_count: int = 0  # how often it was read whole, told to an agent, or rated
    used_at: datetime | None = None
    helpful_count: int = 0  # ratings
    unhelpful_count: int = 0

    @property
    def is_pending(self) -> bool:
        """Whether it was learnt from one session, and neither repeated in another nor confirmed since."""
        return PENDING in self.tags and not self.confirmed_count

    def __repr__(self) -> str:
        return f"Memory({self.id}, {self.kind!r}, {self.title!r})"

    @property
    def given_title(self) -> str | None:
        return None if self.title == first_words(self.text) else self.title

    @property
    def replaced_mark(self) -> str:
        """What stands before a text that was replaced, so that nobody takes it for what holds; else empty."""
        return f"(replaced by {self.superseded_by or 'something deleted'}) " if self.superseded_at else ""

    @property
    def said(self) -> str:
        """The text, for a person's turn with the speaker's name before it, so that it can be understood alone."""
        name = self.speaker
        if self.kind != "turn" or not name or name.lower() in ROLES or self.text.startswith(f"{name}:"):
            return self.text
        return f"{name}: {self.text}"

    @property
    def fingerprint(self) -> bytes | None:
        """Equal for two memories that say the same; None for turns and passages."""
        if self.kind in KINDS_CUT_FROM_A_SOURCE:
            return None
        said = " ".join(unicodedata.normalize("NFC", self.text).split())
        return _digest(self.space, self.kind, self.subject or "", said)

    @property
    def digest(self) -> bytes:
        """Equal for two memories whose embedded text is the same."""
        return _digest(self.given_title or "", self.said)


@lru_cache(maxsize=8)  # one memory is asked for its digests many times while it is stored
def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).digest()


@lru_cache(maxsize=8)  # as often
def first_words(text: str) -> str:
    """The first words of a text, used as its title if none was given."""
    if len(text) <= TITLE_CHARACTERS and text.isprintable() and "  " not in text:
        return text.strip()
    line = " ".join(text[: TITLE_CHARACTERS * 4].split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    head = line[: TITLE_CHARACTERS - 1]
    return (head.rsplit(" ", 1)[0] if " " in head else head) + "…"
