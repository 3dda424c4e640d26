"""Transcripts as documents: each file is a conversation that grows; only the new part is read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO

from scrubjay.dates.timestamps import from_nanoseconds
from scrubjay.errors import ScrubjayError
from scrubjay.memory.guard import shortened
from scrubjay.project.identity import IGNORE_FILE, identify, is_excluded
from scrubjay.sources import Listed, Listing, Part, Reading, ReadOptions, transcripts
from scrubjay.sources.transcripts import ConversationState, Parser, Turn
from scrubjay.sources.walk import READ_AGAIN, inside, list_files, opened
from scrubjay.stores.deletions.tombstones import content_hash
from scrubjay.text.fence import QuotingNote
from scrubjay.text.narration import is_narration
from scrubjay.text.plural import counted, singular_or_plural
from scrubjay.text.secret_scan import find_secrets
from scrubjay.types.documents import Document, SessionNotes, Skipped, Source
from scrubjay.types.limits import SHORT_CHARACTERS
from scrubjay.types.memories import HEADLESS, NARRATION

__all__ = ["Conversations", "fields_of", "open_source", "project_of"]

STRETCH_BYTES = 4_000_000  # read and stored in one step
MAX_BYTES = 64_000_000  # of a line, and of a transcript that can only be read as a whole
TOO_LONG = f"It has a line, or a part that must be read in one step, that is longer than {counted(MAX_BYTES, 'byte')}."
HEAD_BYTES = 4_096
MAX_FOLDERS = 20  # that an agent worked in, stored for one transcript
ANY_SIZE = 2**62
PACKED = ".zst"
UNDATED = ("cursor",)  # its turns have no times: only their order tells them apart
SHARED = ("openclaw",)  # its "user" can be anybody in a chat
PRIVATE = "Turns skipped because a <private> tag before them is not closed: {}."
EXCLUDED = f"Turns skipped because a {IGNORE_FILE} excludes the folder that the agent worked in: {{}}."
OTHERS = (
    "{} has conversations of {}, which were read as those of {} and so not understood; `scrubjay sync {} --client {}`"
    " reads them anew."
)
UNKNOWN = "It is not in the format of a known client; name the client, or exclude the file."


def open_source(source: Source, options: ReadOptions) -> Conversations:
    return Conversations(source, options)


class Conversations:
    """The transcripts in one folder."""

    keeps_deleted = True  # clients delete their old transcripts; the turns are still true

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self._source = source
        self._from_start = options.from_start
        self._hash_key = options.hash_key
        self._most_files = options.most_files
        self._projects: dict[tuple[str, str | None], str | None] = {}
        self._excluded: dict[str, bool] = {}
        # With another client's parser, the file is read again.
        self.chunking = " ".join(filter(None, (f"turns/{transcripts.VERSION}", source.client)))

    def list(self) -> Listing:
        if not self._source.include:
            return Listing([])  # a client's hooks name the files of this source one by one
        listing = list_files(self._source, ANY_SIZE, self._most_files)
        # A client may compress a transcript: it is still the same document.
        unpacked = [listed._replace(name=listed.name.removesuffix(PACKED)) for listed in listing.documents]
        return replace(listing, documents=unpacked)

    def read(self, listed: Listed, before: Document | None) -> Iterator[Reading]:
        path = inside(Path(self._source.root), Path(listed.path))
        with opened(path) as file:
            remark = self._remark(_head(file, HEAD_BYTES))
            file.seek(0)
            readings = self._compressed_file if listed.path.endswith(PACKED) else self._plain_file
            for reading in readings(file, listed, before):
                yield reading._replace(remark=remark)

    def _compressed_file(self, file: BinaryIO, listed: Listed, before: Document | None) -> Iterator[Reading]:
        """Always from its start: a compressed transcript does not grow."""
        with transcripts.unpacked(file) as unpacked:
            data = unpacked.read(STRETCH_BYTES)
            client = self._client(listed, data[:HEAD_BYTES])
            parser, head = transcripts.open_parser(client), data[:HEAD_BYTES]
            offset, last, goes_on = 0, False, False
            while not last:
                more = unpacked.read(max(STRETCH_BYTES, len(data)))  # twice as much for a longer line
                last = not more
                data += more
                _check_length(len(data))
                if client in UNDATED and not last:
                    continue
                parsed = transcripts.read(data, parser)
                data, offset = data[parsed.consumed :], offset + parsed.consumed
                calls = self._tool_calls(parsed, before, goes_on)
                mtime = listed.mtime if last else READ_AGAIN
                document = self._document(listed, head, mtime, offset, parser, before, calls)
                yield self._reading(listed, document, parsed, client, before, parsed.consumed, goes_on)
                before, goes_on = document, True

    def _plain_file(self, file: BinaryIO, listed: Listed, before: Document | None) -> Iterator[Reading]:
        goes_on = self._goes_on(file, before)
        offset = before.offset if before and goes_on else 0
        client = self._client(listed, _head(file, HEAD_BYTES))
        parser = transcripts.open_parser(
            client, ConversationState.from_json(before.state["talk"]) if before and goes_on else None
        )
        whole = client in UNDATED and not goes_on
        stretch, last = max(STRETCH_BYTES, whole * (listed.size + 1)), False
        while not last:
            _check_length(stretch)
            file.seek(offset)
            data = file.read(stretch)
            last = len(data) < stretch
            parsed = transcripts.read(data, parser)
            if not parsed.consumed and not last:
                stretch *= 2  # for a longer line
                continue
            offset += parsed.consumed
            head = _head(file, min(HEAD_BYTES, offset))
            calls = self._tool_calls(parsed, before, goes_on)
            mtime = listed.mtime if last else READ_AGAIN
            document = self._document(listed, head, mtime, offset, parser, before, calls)
            yield self._reading(listed, document, parsed, client, before, len(data), goes_on)
            before, goes_on = document, True

    def _goes_on(self, file: BinaryIO, before: Document | None) -> bool:
        """Whether to continue where the last reading ended."""
        if before is None or self._from_start:
            return False
        return before.chunking == self.chunking and self._has_grown(file, before)

    def _has_grown(self, file: BinaryIO, before: Document) -> bool:
        """Whether a file only grew since; one that was shortened or begins differently is read from its start.

        One that was shorter for a while, too, until it is as long as before: its client may have been writing it anew.
        """
        if before.offset < before.state.get("longest", 0):
            return False
        file.seek(0, 2)
        is_long_enough = file.tell() >= before.offset
        return is_long_enough and content_hash(_head(file, before.state["head"]), self._hash_key) == before.hash

    def _reading(
        self, listed: Listed, document: Document, parsed: transcripts.ParsedTurns, client: str, before: Document | None,
        read: int, goes_on: bool,
    ) -> Reading:  # fmt: skip
        session = Path(document.name).stem
        default: dict[str, Any] = {"session": session, "source": f"session:{session}"}
        projects = document.state["projects"]
        parts = []
        kept = [turn for turn in parsed.turns if not self._is_excluded(turn.cwd)]
        for number, turn in enumerate(kept):
            at = from_nanoseconds(listed.mtime) + timedelta(
                microseconds=number
            )  # keeps the order of turns without a time
            own = fields_of(turn, client, self._project(turn.cwd, projects))
            parts.append(Part(turn.text, {**default, "happened_at": at, **own}))
        unread = f"{parsed.bad:,} of its lines {singular_or_plural(parsed.bad, 'is not a record', 'are not records')}."
        bad = (Skipped(document.path, unread),) if parsed.bad else ()
        private = (Skipped(document.path, PRIVATE.format(parsed.left_out)),) if parsed.left_out else ()
        left_out = len(parsed.turns) - len(kept)
        excluded = (Skipped(document.path, EXCLUDED.format(left_out)),) if left_out else ()
        dated = all(turn.at for turn in kept)
        skipped = (*bad, *private, *excluded)
        return Reading(
            document, parts, before, read, appends=True, goes_on=goes_on, dated=dated, skipped=skipped,
            notes=self._notes(parsed),
        )  # fmt: skip

    def _notes(self, parsed: transcripts.ParsedTurns) -> tuple[SessionNotes, ...]:
        return tuple(one for one in parsed.notes if not any(map(self._is_excluded, one.folders)))

    def _tool_calls(self, parsed: transcripts.ParsedTurns, before: Document | None, goes_on: bool) -> int:
        """How many there are from the start of the transcript to the end of this part."""
        earlier = before.state.get("calls", 0) if before and goes_on else 0
        return int(earlier) + sum(one.tool_calls for one in self._notes(parsed))

    def _document(
        self, listed: Listed, head: bytes, mtime: int, offset: int, parser: Parser, before: Document | None, calls: int
    ) -> Document:
        projects = dict(before.state.get("projects", {})) if before else {}
        longest = max(offset, before.offset, before.state.get("longest", 0)) if before else offset
        return Document(
            source=self._source.id,
            space=self._source.space,
            name=listed.name,
            path=listed.path,
            hash=content_hash(head, self._hash_key),
            mtime=mtime,
            size=listed.size,
            offset=offset,
            chunking=self.chunking,
            state={
                "head": len(head),
                "talk": parser.state.to_json(),
                "projects": projects,
                "calls": calls,
                "longest": longest,
            },
        )

    def _project(self, cwd: str | None, projects: dict[str, str | None]) -> str | None:
        """The project of a folder; stored with the transcript, because the folder may be deleted later."""
        if cwd is None:
            return None
        asked = cwd, projects.get(cwd)
        if asked not in self._projects:
            self._projects[asked] = project_of(*asked)
        if cwd in projects or (len(projects) < MAX_FOLDERS and not find_secrets(cwd)):
            projects[cwd] = self._projects[asked]
        return self._projects[asked]

    def _is_excluded(self, cwd: str | None) -> bool:
        if cwd is None or not os.path.isabs(cwd):
            return False
        if cwd not in self._excluded:
            self._excluded[cwd] = is_excluded(Path(cwd))
        return self._excluded[cwd]

    def _remark(self, head: bytes) -> str:
        """A sentence if another client wrote this than the one that was named."""
        named, writer, root = self._source.client, transcripts.writer_of(head), self._source.root
        if not named or not writer or named == writer:
            return ""
        return QuotingNote(OTHERS.format(self._source.name, writer, named, shlex.quote(root), writer))

    def _client(self, listed: Listed, head: bytes) -> str:
        client = self._source.client or transcripts.guess(Path(listed.path), head)
        if client is None:
            raise ScrubjayError(UNKNOWN)
        return client


def fields_of(turn: Turn, client: str, project: str | None) -> dict[str, Any]:
    """The fields of a turn's memory, besides its text."""
    known: dict[str, Any] = {
        "session": turn.session,
        "source": turn.session and f"session:{turn.session}",
        "happened_at": turn.at,
        "project": project,
    }
    given = {name: value for name, value in known.items() if value} | {"kind": turn.kind, "client": client}
    if turn.kind != "turn":
        return given | {"trust": "external"}
    narrates = turn.speaker != "user" and is_narration(turn.text)
    given["tags"] = [*([NARRATION] if narrates else []), *([HEADLESS] if turn.headless else [])]
    is_the_users = turn.speaker == "user" and client not in SHARED
    return given | {"speaker": turn.speaker, "trust": "user" if is_the_users else "external"}


def project_of(cwd: str | None, known: str | None = None) -> str | None:
    """The project of the folder an agent worked in. If the folder is deleted: the known project, else its path."""
    if not cwd or not os.path.isabs(cwd) or "\ufffd" in cwd:  # U+FFFD replaces bytes that are not valid in a path
        return known
    if os.path.isdir(cwd):
        return identify(Path(cwd))
    return known or identify(Path(cwd)) or shortened(cwd, SHORT_CHARACTERS)


def _check_length(length: int) -> None:
    if length > MAX_BYTES + STRETCH_BYTES:
        raise ScrubjayError(TOO_LONG)


def _head(file: BinaryIO, length: int) -> bytes:
    file.seek(0)
    return file.read(length)
