"""Reads the Markdown files of a source and divides them into passages."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scrubjay.dates.timestamps import from_nanoseconds
from scrubjay.errors import ScrubjayError
from scrubjay.memory.guard import masked
from scrubjay.project.identity import identify
from scrubjay.sources import Listed, Listing, Part, Reading, ReadOptions
from scrubjay.sources.markdown import front_matter
from scrubjay.sources.markdown.chunking import VERSION, passages
from scrubjay.sources.walk import inside, list_files, read_bytes, settled_mtime
from scrubjay.stores.deletions.tombstones import content_hash
from scrubjay.types.documents import Document, Skipped, Source

__all__ = ["Files", "decoded", "open_source"]

TITLE_CHARACTERS = 300
DATE_IN_NAME = re.compile(r"(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)")


def open_source(source: Source, options: ReadOptions) -> Files:
    return Files(source, options)


class Files:
    """The files of one folder."""

    keeps_deleted = False

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self._source = source
        self._read_options = options
        self._root = Path(source.root)
        self._project = identify(self._root)
        self.chunking = f"markdown/{VERSION} {options.tokens}/{options.overlap}"

    def list(self) -> Listing:
        return list_files(self._source, self._read_options.max_bytes, self._read_options.most_files)

    def read(self, listed: Listed, before: Document | None) -> Iterator[Reading]:
        mtime = settled_mtime(listed.mtime)
        data = read_bytes(inside(self._root, Path(listed.path)), self._read_options.max_bytes)
        document = Document(
            source=self._source.id,
            space=self._source.space,
            name=listed.name,
            path=listed.path,
            hash=content_hash(data, self._read_options.hash_key),
            mtime=mtime,
            size=len(data),
            chunking=self.chunking,
        )
        text, note = decoded(data)
        skipped = (Skipped(listed.path, note),) if note else ()
        yield Reading(
            document, self._parts(listed, masked(text, self._read_options.secrets)), before, len(data), skipped=skipped
        )

    def _parts(self, listed: Listed, text: str) -> builtins.list[Part]:
        front = front_matter.split(text)
        cut = passages(front.body, self._read_options.tokens, self._read_options.overlap, front.body_first_line)
        shared = self._shared_fields(listed, front.values)
        title = front_matter.title(front.values) or Path(listed.name).stem
        return [
            Part(
                passage.text,
                {**shared, "title": (" › ".join(passage.headings) or title)[:TITLE_CHARACTERS]},
                (passage.first, passage.last),
            )
            for passage in cut
        ]

    def _shared_fields(self, listed: Listed, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields that all passages of a document have in common."""
        return {
            "kind": "passage",
            "source": f"file:{listed.name}",
            "context": listed.name,
            "project": self._project,
            "tags": front_matter.tags(values),
            "metadata": values,
            "happened_at": front_matter.date(values) or _date_in(listed.name) or from_nanoseconds(listed.mtime),
            "trust": "external",
        }


def decoded(data: bytes) -> tuple[str, str | None]:
    """A file's text, and a note if its encoding is not UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), None
    if b"\0" in data:
        raise ScrubjayError("It is not a text file.")
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "It is not UTF-8; it was read as Windows-1252."


def _date_in(name: str) -> datetime | None:
    """The date in a file's name, as in 2026-11-17.md."""
    found = DATE_IN_NAME.search(Path(name).name)
    try:
        return datetime.fromisoformat(found[1]).astimezone(UTC) if found else None
    except (ValueError, OverflowError):
        return None
