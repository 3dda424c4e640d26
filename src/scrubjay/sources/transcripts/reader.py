"""Transcripts as documents: each file is a conversation that grows, read on from where it was read to."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO

from scrubjay.dates.timestamps import from_nanoseconds
from scrubjay.errors import ScrubjayError
from scrubjay.project.identity import identify
from scrubjay.sources import Cutting, Listed, Listing, Part, Reading, transcripts
from scrubjay.sources.transcripts import Parser, Talk, Turn
from scrubjay.sources.walk import UNSETTLED, inside, look, opened
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.text.secret_scan import find_secrets
from scrubjay.types.documents import Document, Skipped, Source
from scrubjay.types.limits import SHORT_CHARACTERS

__all__ = ["Conversations", "fields_of", "open_source", "project_of"]

STRETCH_BYTES = 4_000_000  # read, and stored, at once
LONGEST_BYTES = 64_000_000  # of a line, and of a transcript that can only be read whole
TOO_LONG = f"A line of it, or all of what must be read at once, is longer than {counted(LONGEST_BYTES, 'byte')}."
HEAD_BYTES = 4_096
MOST_FOLDERS = 20  # that an agent worked in, remembered of one transcript
ANY_SIZE = 2**62
PACKED = ".zst"
UNDATED = ("cursor",)  # its turns are told apart by their order alone
SHARED = ("openclaw",)  # anybody in a chat may be its user
PRIVATE = "Turns left out, because a <private> before them is not closed: {}."
UNKNOWN = "No client that is known here writes such a file; name the client, or leave the file out."


def open_source(source: Source, cutting: Cutting) -> Conversations:
    return Conversations(source, cutting.again)


class Conversations:
    """The transcripts in one folder."""

    keeps_the_gone = True  # clients clear out their old transcripts; what was said was said

    def __init__(self, source: Source, again: bool = False) -> None:
        self._source = source
        self._again = again
        self._projects: dict[tuple[str, str | None], str | None] = {}
        # What another client's parser made of a file is read anew.
        self.chunking = " ".join(filter(None, (f"turns/{transcripts.VERSION}", source.client)))

    def list(self) -> Listing:
        listing = look(self._source, ANY_SIZE)
        # A client may pack a transcript away: it is still the same one.
        unpacked = [replace(listed, name=listed.name.removesuffix(PACKED)) for listed in listing.documents]
        return replace(listing, documents=unpacked)

    def read(self, listed: Listed, before: Document | None) -> Iterator[Reading]:
        path = inside(Path(self._source.root), Path(listed.path))
        with opened(path) as file:
            if listed.path.endswith(PACKED):
                yield from self._unpacked(file, listed, before)
            else:
                yield from self._stretches(file, listed, before)

    def _unpacked(self, file: BinaryIO, listed: Listed, before: Document | None) -> Iterator[Reading]:
        """Always from its start: what was packed away does not grow."""
        with transcripts.unpacked(file) as unpacked:
            data = unpacked.read(STRETCH_BYTES)
            client = self._client(listed, data[:HEAD_BYTES])
            parser, head = transcripts.open_parser(client), data[:HEAD_BYTES]
            offset, last, goes_on = 0, False, False
            while not last:
                more = unpacked.read(max(STRETCH_BYTES, len(data)))  # twice as much for a line that is longer
                last = not more
                data += more
                _check_length(len(data))
                if client in UNDATED and not last:
                    continue
                told = transcripts.read(data, parser)
                data, offset = data[told.consumed :], offset + told.consumed
                document = self._document(listed, head, listed.mtime if last else UNSETTLED, offset, parser, before)
                yield self._reading(listed, document, told, client, before, told.consumed, goes_on)
                before, goes_on = document, True

    def _stretches(self, file: BinaryIO, listed: Listed, before: Document | None) -> Iterator[Reading]:
        goes_on = self._goes_on(file, before)
        offset = before.offset if before and goes_on else 0
        client = self._client(listed, _head(file, HEAD_BYTES))
        parser = transcripts.open_parser(client, Talk.from_json(before.state["talk"]) if before and goes_on else None)
        whole = client in UNDATED and not goes_on
        stretch, last = max(STRETCH_BYTES, whole * (listed.size + 1)), False
        while not last:
            _check_length(stretch)
            file.seek(offset)
            data = file.read(stretch)
            last = len(data) < stretch
            told = transcripts.read(data, parser)
            if not told.consumed and not last:
                stretch *= 2  # a line that is longer
                continue
            offset += told.consumed
            head = _head(file, min(HEAD_BYTES, offset))
            document = self._document(listed, head, listed.mtime if last else UNSETTLED, offset, parser, before)
            yield self._reading(listed, document, told, client, before, len(data), goes_on)
            before, goes_on = document, True

    def _goes_on(self, file: BinaryIO, before: Document | None) -> bool:
        """Whether to read on from where it was read to."""
        if before is None or self._again:
            return False
        return before.chunking == self.chunking and _has_grown(file, before)

    def _reading(
        self, listed: Listed, document: Document, told: transcripts.Told, client: str, before: Document | None,
        read: int, goes_on: bool,
    ) -> Reading:  # fmt: skip
        session = Path(document.name).stem
        otherwise: dict[str, Any] = {"session": session, "source": f"session:{session}"}
        projects = document.state["projects"]
        parts = []
        for number, turn in enumerate(told.turns):
            at = from_nanoseconds(listed.mtime) + timedelta(microseconds=number)  # in order, where no time is told
            own = fields_of(turn, client, self._project(turn.cwd, projects))
            parts.append(Part(turn.text, {**otherwise, "happened_at": at, **own}))
        unread = f"{told.bad:,} of its lines {singular_or_plural(told.bad, 'is no record', 'are no records')}."
        bad = (Skipped(document.path, unread),) if told.bad else ()
        private = (Skipped(document.path, PRIVATE.format(told.left_out)),) if told.left_out else ()
        dated = all(turn.at for turn in told.turns)
        skipped = (*bad, *private)
        return Reading(document, parts, before, read, appends=True, goes_on=goes_on, dated=dated, skipped=skipped)

    def _document(
        self, listed: Listed, head: bytes, mtime: int, offset: int, parser: Parser, before: Document | None
    ) -> Document:
        projects = dict(before.state.get("projects", {})) if before else {}
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
            state={"head": len(head), "talk": parser.talk.to_json(), "projects": projects},
        )

    def _project(self, cwd: str | None, projects: dict[str, str | None]) -> str | None:
        """The project of a folder, which is kept beside the transcript: the folder may be gone next time."""
        if cwd is None:
            return None
        asked = cwd, projects.get(cwd)
        if asked not in self._projects:
            self._projects[asked] = project_of(*asked)
        if cwd in projects or (len(projects) < MOST_FOLDERS and not find_secrets(cwd)):
            projects[cwd] = self._projects[asked]
        return self._projects[asked]

    def _client(self, listed: Listed, head: bytes) -> str:
        client = self._source.client or transcripts.guess(Path(listed.path), head)
        if client is None:
            raise ScrubjayError(UNKNOWN)
        return client


def fields_of(turn: Turn, client: str, project: str | None) -> dict[str, Any]:
    """What is told of a turn besides its text."""
    known: dict[str, Any] = {
        "session": turn.session,
        "source": turn.session and f"session:{turn.session}",
        "happened_at": turn.at,
        "project": project,
    }
    return {name: value for name, value in known.items() if value} | {
        "kind": "turn",
        "speaker": turn.speaker,
        "client": client,
        "trust": "user" if turn.speaker == "user" and client not in SHARED else "external",
    }


def project_of(cwd: str | None, known: str | None = None) -> str | None:
    """The project of the folder that an agent worked in. Of one that is gone: what was known of it, else its path."""
    if not cwd or not os.path.isabs(cwd) or "\ufffd" in cwd:  # that stands for what no path can hold
        return known
    if os.path.isdir(cwd):
        return identify(Path(cwd))
    return known or identify(Path(cwd)) or cwd[:SHORT_CHARACTERS]


def _check_length(length: int) -> None:
    if length > LONGEST_BYTES + STRETCH_BYTES:
        raise ScrubjayError(TOO_LONG)


def _has_grown(file: BinaryIO, before: Document) -> bool:
    """Whether a file only grew since; one that was cut short or begins otherwise is read from its start."""
    file.seek(0, 2)
    return file.tell() >= before.offset and _hash(_head(file, before.state["head"])) == before.hash


def _head(file: BinaryIO, length: int) -> bytes:
    file.seek(0)
    return file.read(length)


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
