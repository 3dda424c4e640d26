"""From bytes to turns: a growing file of JSON lines, the output of a run, a compressed file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, cast

from scrubjay.errors import Invalid
from scrubjay.sources.transcripts.parser import ConversationState, ParsedTurns, Parser, Turn, open_parser
from scrubjay.sources.transcripts.plain_text import plain_turns
from scrubjay.text.secret_scan.private_tags import public_part
from scrubjay.types.documents import SessionNotes

__all__ = ["PRETTY", "captured", "read", "records_in", "unpacked"]

MEGABYTE = 2**20
UNPACKED_BYTES = 512 * MEGABYTE  # of one transcript, read piece by piece
# Conversations compress to a tenth or a thirtieth. A small file that grows far more than that is an attack.
ALWAYS_ALLOWED_BYTES, MAX_RATIO = 16 * MEGABYTE, 200
WINDOW_BYTES = 32 * MEGABYTE  # of memory that the decompressor may use
BLANK_LINES = re.compile(rb"[\r\n]+")
PRETTY = re.compile(rb"\{\s*\n")  # an object over several lines: no single line is a record
# Some files begin with a byte-order mark, and a crash can leave zero bytes.
SPACE = re.compile("[ \t\r\f\v\0\ufeff]*")
DECODER = json.JSONDecoder(strict=False)


def read(data: bytes, parser: Parser) -> ParsedTurns:
    """The turns in these lines; of a last line without its newline, the complete objects are read."""
    if not parser.state.begun and PRETTY.match(data):
        return _document(data, parser)
    public = PublicTurns(parser.state)
    bad = start = pieces_start = 0
    while start < len(data):
        if blank := BLANK_LINES.match(data, start):
            start = blank.end()
            continue
        end = data.find(b"\n", start)
        line = data[start:] if end < 0 else data[start:end]
        pieces_start = pieces_start if parser.state.pieces else start
        records, used = records_in(line)
        for record in records:
            found = list(parser.read(record))
            pieces_start = start if found else pieces_start
            public.add(found)
        bad += end >= 0 and used < len(line)
        start = start + used if end < 0 else end + 1
        if end < 0:
            break
    consumed = _consumed(parser.state, pieces_start, start)
    return public.parsed(consumed, bad)


def _consumed(state: ConversationState, pieces_start: int, end: int) -> int:
    """An incomplete answer is read again from its start once there is more: a part of it is never stored."""
    consumed = pieces_start if state.pieces else end
    state.pieces, state.pieces_at = [], None
    state.begun = state.begun or consumed > 0
    return consumed


class PublicTurns:
    """The turns without what is marked as private, and what may be kept about their sessions.

    They are added as they are read, so that the parser knows at each record whether a private part is open.
    """

    def __init__(self, state: ConversationState) -> None:
        self._state = state
        self._kept: list[Turn] = []
        self._left_out = 0
        self._hides = state.private > 0

    def add(self, turns: Iterable[Turn]) -> None:
        state = self._state
        for turn in turns:
            if turn.kind == "summary" and (self._hides or state.has_private):
                continue  # it may tell what is private
            text, state.private = public_part(turn.text, state.private)
            self._hides = self._hides or text != turn.text
            self._kept += [replace(turn, text=text.strip())] if text.strip() else []
            self._left_out = (self._left_out + (not text.strip())) if state.private else 0

    def parsed(self, consumed: int, bad: int) -> ParsedTurns:
        notes = _public_notes(self._state, self._hides)
        return ParsedTurns(tuple(self._kept), consumed, bad, self._left_out, notes)


def _public_notes(state: ConversationState, hides: bool) -> tuple[SessionNotes, ...]:
    """No title that may tell what is private; of a reading that hides something, only how many tools were called."""
    state.has_private = state.has_private or hides
    notes, state.notes = state.notes.values(), {}
    if hides:
        return tuple(SessionNotes(session=one.session, tool_calls=one.tool_calls) for one in notes)
    if state.has_private and not state.named:
        return tuple(replace(one, title=None) for one in notes)
    return tuple(notes)


def captured(data: bytes, client: str) -> ParsedTurns:
    """The output of a headless run: records of its client or, if there are none, plain text.

    Raises `Invalid` for plain text that is none.
    """
    parser = open_parser(client)
    printed = list(_printed(data))
    turns = [turn for record in printed if isinstance(record, dict) for turn in parser.read(record)]
    turns.extend(parser.end())
    bad = sum(not isinstance(record, dict) for record in printed)
    is_cut_off = bad == 1 and len(printed) > 1 and printed[-1] is None  # all but the last line are records
    if turns or parser.state.session or is_cut_off:
        return ParsedTurns(tuple(turns), len(data), bad)
    return ParsedTurns(tuple(plain_turns(data)), len(data), 0)


@contextmanager
def unpacked(file: BinaryIO) -> Iterator[BinaryIO]:
    """Read a `.jsonl.zst` as if it were not compressed, up to a limit, and piece by piece to save memory."""
    import zstandard

    most = min(UNPACKED_BYTES, max(ALWAYS_ALLOWED_BYTES, MAX_RATIO * file.seek(0, os.SEEK_END)))
    file.seek(0)
    decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES)
    with decompressor.stream_reader(file, read_across_frames=True, closefd=False) as reader:
        yield cast("BinaryIO", Bounded(reader, most, zstandard.ZstdError))


class Bounded:
    """The output of a decompressor; raises if it is too long."""

    def __init__(self, reader: Any, most: int, broken: type[Exception]) -> None:
        self._reader = reader
        self._most = most
        self._broken = broken
        self._left = most

    def read(self, most: int) -> bytes:
        try:
            data: bytes = self._reader.read(most)
        except self._broken as problem:
            raise Invalid(f"This transcript cannot be decompressed: {problem}.") from None
        self._left -= len(data)
        if self._left < 0:
            raise Invalid(f"This transcript is larger than {self._most // MEGABYTE:,} MB when decompressed.")
        return data


def _document(data: bytes, parser: Parser) -> ParsedTurns:
    """A file that is one object, and is rewritten each time it grows: it is always read from its start."""
    record = _whole(data)
    if not isinstance(record, dict):
        return ParsedTurns((), 0, 1)
    public = PublicTurns(parser.state)
    public.add(parser.read(record))
    return public.parsed(0, 0)


def records_in(line: bytes) -> tuple[list[dict[str, Any]], int]:
    """The objects at the start of a line, and the bytes they take.

    There may be several: a client that was killed leaves a line without a newline, and later continues on it.
    """
    text = line.decode("utf-8", "surrogateescape")  # so that positions in the text can be converted to bytes
    records = []
    place = _after_space(text, 0)
    while place < len(text):
        try:
            record, end = DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        if not isinstance(record, dict):
            break
        records.append(record)
        place = _after_space(text, end)
    used = len(line) if place == len(text) else len(text[:place].encode("utf-8", "surrogateescape"))
    return records, used


def _after_space(text: str, place: int) -> int:
    space = SPACE.match(text, place)
    return space.end() if space else place


def _printed(data: bytes) -> Iterator[Any]:
    """The records of an output, and None for every line that is not a record."""
    whole = _whole(data)
    if isinstance(whole, dict | list):
        yield from whole if isinstance(whole, list) else [whole]
        return
    for line in data.splitlines():
        records, used = records_in(line)
        yield from records
        if used < len(line):
            yield None


def _whole(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig", "surrogateescape"), strict=False)
    except (ValueError, RecursionError):
        return None
