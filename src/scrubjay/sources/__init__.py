"""Where documents come from. This page is the contract of every kind of source; each is imported only when used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from scrubjay.types.documents import Document, Skipped, Source

__all__ = ["Cutting", "Listed", "Listing", "Part", "Reader", "Reading", "open_reader"]

READERS = {
    "files": "scrubjay.sources.markdown.reader",
    "transcripts": "scrubjay.sources.transcripts.reader",
    "git": "scrubjay.sources.git",
}


@dataclass(frozen=True, slots=True)
class Cutting:
    """How documents are read and cut into memories: the settings of a space."""

    tokens: int = 400
    overlap: int = 80
    most_bytes: int = 1_000_000
    secrets: str = "refuse"  # or redact, or off
    again: bool = False  # read from the start also what only grew


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as it lies there now, not read yet."""

    name: str
    path: str
    mtime: int
    size: int
    hash: str = ""  # where it can be known without reading


@dataclass(frozen=True, slots=True)
class Listing:
    """What a source holds, what of that is left alone, and where it could not be looked."""

    documents: list[Listed]
    skipped: list[Skipped] = field(default_factory=list)
    unseen: tuple[str, ...] = ()  # below these names, what was known before is not gone
    hidden: tuple[str, ...] = ()  # names that begin with a dot, which no pattern asks for


@dataclass(frozen=True, slots=True)
class Part:
    """What is to become one memory."""

    text: str
    fields: Mapping[str, Any]
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A document, or the next stretch of one that grows."""

    document: Document  # as it stands once this is stored
    parts: list[Part]
    before: Document | None
    bytes: int
    appends: bool = False
    goes_on: bool = False
    dated: bool = True  # its records tell when they were written
    skipped: tuple[Skipped, ...] = ()


class Reader(Protocol):
    """Finds and reads the documents of one source."""

    @property
    def chunking(self) -> str:
        """How it cuts: what was cut in another way is read again."""

    @property
    def keeps_the_gone(self) -> bool:
        """Whether what was said stays known once its document is deleted."""

    def list(self) -> Listing:
        """Look, but read nothing."""

    def read(self, listed: Listed, before: Document | None) -> Iterator[Reading]:
        """Read what is new in a document; of a long one, stretch by stretch."""


def open_reader(source: Source, cutting: Cutting) -> Reader:
    reader: Reader = import_module(READERS[source.kind]).open_source(source, cutting)
    return reader
