"""Where documents come from: the contract of every kind of source. Each kind is imported only when it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from scrubjay.types.documents import Document, SessionNotes, Skipped, Source

__all__ = ["Listed", "Listing", "Part", "ReadOptions", "Reader", "Reading", "TooManyFiles", "open_reader"]

READERS = {
    "files": "scrubjay.sources.markdown.reader",
    "transcripts": "scrubjay.sources.transcripts.reader",
    "git": "scrubjay.sources.git",
}


class ReadOptions(NamedTuple):
    """How documents are read and divided into memories, from the settings of a space."""

    tokens: int = 400
    overlap: int = 80
    max_bytes: int = 1_000_000
    secrets: str = "refuse"  # or redact, or off
    hash_key: bytes = b""  # of the store: what is known of a document is a hash with this key
    from_start: bool = False  # also read documents that have only grown from their start
    most_files: int | None = None  # and folders, that are listed of a source; of one that has more, none


class TooManyFiles(Exception):
    """A source has more than may be listed."""


class Listed(NamedTuple):
    """A document as it is now, not read yet."""

    name: str
    path: str
    mtime: int
    size: int
    hash: str = ""  # if it is known without reading


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of a source, what is skipped, and what could not be read."""

    documents: list[Listed]
    skipped: list[Skipped] = field(default_factory=list)
    unreadable: tuple[str, ...] = ()  # documents below these names do not count as deleted
    hidden: tuple[str, ...] = ()  # names that begin with a dot and match no pattern


class Part(NamedTuple):
    """A part of a document that becomes one memory."""

    text: str
    fields: Mapping[str, Any]
    lines: tuple[int, int] | None = None


class Reading(NamedTuple):
    """A document, or the new part of one that grows, with its memories-to-be."""

    document: Document  # its state once this is stored
    parts: list[Part]
    before: Document | None
    bytes: int
    appends: bool = False
    goes_on: bool = False
    dated: bool = True  # its records have times
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[SessionNotes, ...] = ()
    remark: str = ""  # about its source, said once however many readings have it


class Reader(Protocol):
    """Finds and reads the documents of one source."""

    @property
    def chunking(self) -> str:
        """How documents are divided, with a version; a document divided in another way is read again."""

    @property
    def keeps_deleted(self) -> bool:
        """Whether memories stay when their document is deleted."""

    def list(self) -> Listing:
        """List the documents without reading them."""

    def read(self, listed: Listed, before: Document | None) -> Iterator[Reading]:
        """Read what is new in a document; a long one in several parts."""


def open_reader(source: Source, options: ReadOptions) -> Reader:
    reader: Reader = import_module(READERS[source.kind]).open_source(source, options)
    return reader
