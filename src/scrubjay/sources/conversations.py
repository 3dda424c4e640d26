"""Transcripts as documents: each file is a conversation that grows, read on from where it was read to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from scrubjay.counting import agreeing
from scrubjay.documents import Document, Skipped, Source
from scrubjay.errors import ScrubjayError
from scrubjay.project import identify
from scrubjay.sources import Cutting, Listed, Listing, Part, Reading, transcripts
from scrubjay.sources.folders import UNSETTLED, inside, look, opened
from scrubjay.sources.transcripts import Parser, Talk, Turn
from scrubjay.times import from_nanoseconds

__all__ = ["Conversations", "fields_of", "open_source"]

STRETCH_BYTES = 4_000_000  # read, and stored, at once
HEAD_BYTES = 4_096
ANY_SIZE = 2**62
PACKED = ".zst"
UNDATED = ("cursor",)  # its turns are told apart by their order alone
SHARED = ("openclaw",)  # anybody in a chat may be its user
UNKNOWN = "No client that is known here writes such a file; name the client, or leave the file out."


def open_source(source: Source, cutting: Cutting) -> Conversations:
    return Conversations(source)


class Conversations:
    """The transcripts in one folder."""

    keeps_the_gone = True  # clients clear out their old transcripts; what was said was said
    chunking = f"turns/{transcripts.VERSION}"

    def __init__(self, source: Source) -> None:
        self._source = source

    def list(self) -> Listing:
        listing = look(self._source, ANY_SIZE)
        # A client may pack a transcript away: it is still the same one.
        unpacked = [replace(listed, name=listed.name.removesuffix(PACKED)) for listed in listing.documents]
        return replace(listing, documents=unpacked)

    def read(self, listed: Listed, before: Document | None) -> Iterator[Reading]:
        path = inside(Path(self._source.root), Path(listed.path))
        with opened(path) as file:
            if listed.path.endswith(PACKED):
                yield self._whole(file, listed, before)
            else:
                yield from self._stretches(file, listed, before)

    def _whole(self, file: BinaryIO, listed: Listed, before: Document | None) -> Reading:
        packed = file.read()
        data = transcripts.unpacked(packed)
        client = self._client(listed, data[:HEAD_BYTES])
        parser = transcripts.open_parser(client)
        told = transcripts.read(data, parser)
        document = self._document(listed, packed[:HEAD_BYTES], listed.mtime, len(packed), parser)
        return self._reading(listed, document, told, client, before, len(packed), goes_on=False)

    def _stretches(self, file: BinaryIO, listed: Listed, before: Document | None) -> Iterator[Reading]:
        goes_on = before is not None and before.chunking == self.chunking and _has_grown(file, before)
        offset = before.offset if before and goes_on else 0
        client = self._client(listed, _head(file, HEAD_BYTES))
        parser = transcripts.open_parser(client, Talk.from_json(before.state["talk"]) if before and goes_on else None)
        whole = client in UNDATED and not goes_on
        stretch, last = max(STRETCH_BYTES, whole * (listed.size + 1)), False
        while not last:
            file.seek(offset)
            data = file.read(stretch)
            last = len(data) < stretch
            told = transcripts.read(data, parser)
            if not told.consumed and not last:
                stretch *= 2  # a line that is longer
                continue
            offset += told.consumed
            head = _head(file, min(HEAD_BYTES, offset))
            document = self._document(listed, head, listed.mtime if last else UNSETTLED, offset, parser)
            yield self._reading(listed, document, told, client, before, len(data), goes_on)
            before, goes_on = document, True

    def _reading(
        self, listed: Listed, document: Document, told: transcripts.Told, client: str, before: Document | None,
        read: int, goes_on: bool,
    ) -> Reading:  # fmt: skip
        session = Path(document.name).stem
        otherwise: dict[str, Any] = {"session": session, "source": f"session:{session}"}
        parts = []
        for number, turn in enumerate(told.turns):
            at = from_nanoseconds(listed.mtime) + timedelta(microseconds=number)  # in order, where no time is told
            parts.append(Part(turn.text, {**otherwise, "happened_at": at, **fields_of(turn, client)}))
        unread = f"{told.bad:,} of its lines {agreeing(told.bad, 'is no record', 'are no records')}."
        bad = (Skipped(document.path, unread),) if told.bad else ()
        dated = all(turn.at for turn in told.turns)
        return Reading(document, parts, before, read, appends=True, goes_on=goes_on, dated=dated, skipped=bad)

    def _document(self, listed: Listed, head: bytes, mtime: int, offset: int, parser: Parser) -> Document:
        return Document(
            source=self._source.id,
            space=self._source.space,
            name=listed.name,
            path=listed.path,
            hash=_hash(head),
            mtime=mtime,
            size=listed.size,
            offset=offset,
            chunking=self.chunking,
            state={"head": len(head), "talk": parser.talk.to_json()},
        )

    def _client(self, listed: Listed, head: bytes) -> str:
        client = self._source.client or transcripts.guess(Path(listed.path), head)
        if client is None:
            raise ScrubjayError(UNKNOWN)
        return client


def fields_of(turn: Turn, client: str) -> dict[str, Any]:
    """What is told of a turn besides its text."""
    known: dict[str, Any] = {
        "session": turn.session,
        "source": turn.session and f"session:{turn.session}",
        "happened_at": turn.at,
        "project": turn.cwd and _project(turn.cwd),
    }
    return {name: value for name, value in known.items() if value} | {
        "kind": "turn",
        "speaker": turn.speaker,
        "client": client,
        "trust": "user" if turn.speaker == "user" and client not in SHARED else "external",
    }


def _has_grown(file: BinaryIO, before: Document) -> bool:
    """Whether a file only grew since; one that was cut short or begins otherwise is read from its start."""
    file.seek(0, 2)
    return file.tell() >= before.offset and _hash(_head(file, before.state["head"])) == before.hash


def _head(file: BinaryIO, length: int) -> bytes:
    file.seek(0)
    return file.read(length)


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@cache
def _project(cwd: str) -> str | None:
    try:
        return identify(Path(cwd))
    except (OSError, ValueError, RuntimeError):
        return None
