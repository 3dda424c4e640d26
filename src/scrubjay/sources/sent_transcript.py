"""The end of a transcript that is sent to a server: without private parts, which never leave this machine."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import BinaryIO

from scrubjay.files.regular_files import open_to_read
from scrubjay.project.identity import is_excluded
from scrubjay.sources.transcripts import ConversationState, Turn, open_parser
from scrubjay.sources.transcripts.jsonl import PRETTY, records_in
from scrubjay.sources.transcripts.reader import MAX_BYTES
from scrubjay.text.secret_scan.private_tags import has_tag, public_part

__all__ = ["last_public_lines"]

IsExcluded = Callable[[str | None], bool]


def last_public_lines(transcript: Path, client: str, most_bytes: int) -> str:
    """As many whole lines of the end as fit, without those that are private or come from a folder that is excluded.

    The file is read from its start: only so is it known where a private part is open. Of a turn that opens or closes
    one nothing is sent; the server removes what a turn opens and closes itself.
    """
    kept, size = deque[bytes](), 0
    with open_to_read(transcript) as file:
        for part in _public_parts(file, client, cache(_is_excluded)):
            kept.append(part)
            size += len(part)
            while size > most_bytes:
                size -= len(kept.popleft())
    return b"".join(kept).decode("utf-8", "replace")


def _public_parts(file: BinaryIO, client: str, is_excluded: IsExcluded) -> Iterator[bytes]:
    """Each line; of an answer that comes in pieces, all its lines together."""
    parser = open_parser(client)
    state = parser.state
    lines, turns = list[bytes](), list[Turn]()
    for line in _lines(file):
        records, _ = records_in(line)
        if not records:
            continue
        lines.append(line)
        turns += [turn for record in records for turn in parser.read(record)]
        if not state.pieces:
            yield _public_part(b"".join(lines), turns, state, is_excluded)
            lines, turns = [], []
    yield _public_part(b"".join(lines), [*turns, *parser.end()], state, is_excluded)


def _public_part(part: bytes, turns: Sequence[Turn], state: ConversationState, is_excluded: IsExcluded) -> bytes:
    """What may be sent of these lines: all or nothing. No summary, if it may tell what is private."""
    is_public = not state.private and (bool(turns) or not has_tag(part.decode("utf-8", "replace")))
    for turn in turns:
        is_public = is_public and not (turn.kind == "summary" and state.has_private)
        text, state.private = public_part(turn.text, state.private)
        state.has_private = state.has_private or text != turn.text
        is_public = is_public and not state.private and not is_excluded(turn.cwd)
    return part if is_public else b""


def _is_excluded(cwd: str | None) -> bool:
    return cwd is not None and os.path.isabs(cwd) and is_excluded(Path(cwd))


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines that are not too long to be read; a file that is one object is one line."""
    line = file.readline(MAX_BYTES)
    if PRETTY.match(line):
        yield line + file.read(MAX_BYTES)
        return
    begins = True
    while line:
        is_whole = line.endswith(b"\n")
        if begins and (is_whole or len(line) < MAX_BYTES):
            yield line
        begins, line = is_whole, file.readline(MAX_BYTES)
