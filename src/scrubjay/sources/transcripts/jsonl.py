"""Bytes to turns: a growing file of JSON lines, what a run printed, a file that was compressed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO, cast

from scrubjay.errors import Invalid
from scrubjay.sources.transcripts.messages import tell
from scrubjay.sources.transcripts.parser import Parser, Talk, Told, Turn, open_parser
from scrubjay.text.secret_scan.private_tags import public_part

__all__ = ["captured", "read", "unpacked"]

MEGABYTE = 2**20
UNPACKED_BYTES = 512 * MEGABYTE  # of one transcript, read piece by piece
# What people and agents say is packed to a tenth or a thirtieth. A small file that unpacks to far more is made to harm.
ANY_BYTES, MOST_TIMES = 16 * MEGABYTE, 200
WINDOW_BYTES = 32 * MEGABYTE  # of memory that a decompressor may ask for
BLANK_LINES = re.compile(rb"[\r\n]+")
PRETTY = re.compile(rb"\{\s*\n")  # an object over many lines: no line of it is a record
# A byte-order mark opens some files, and zero bytes fill the hole that a crash leaves.
SPACE = re.compile("[ \t\r\f\v\0\ufeff]*")
COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
DECODER = json.JSONDecoder(strict=False)


def read(data: bytes, parser: Parser) -> Told:
    """What the lines say; a last line without its end counts as far as it holds whole objects."""
    if not parser.talk.begun and PRETTY.match(data):
        return _document(data, parser)
    turns: list[Turn] = []
    bad = start = heard_from = 0
    while start < len(data):
        if blank := BLANK_LINES.match(data, start):
            start = blank.end()
            continue
        end = data.find(b"\n", start)
        line = data[start:] if end < 0 else data[start:end]
        heard_from = heard_from if parser.talk.saying else start
        records, used = _records(line)
        for record in records:
            told = list(parser.read(record))
            heard_from = start if told else heard_from
            turns.extend(told)
        bad += end >= 0 and used < len(line)
        start = start + used if end < 0 else end + 1
        if end < 0:
            break
    consumed = _read_up_to(parser.talk, heard_from, start)
    return _public(turns, consumed, bad, parser.talk)


def _read_up_to(talk: Talk, heard_from: int, end: int) -> int:
    """What is still being said is read again, from its start, once there is more: a part of it is never stored."""
    consumed = heard_from if talk.saying else end
    talk.saying, talk.saying_at = [], None
    talk.begun = talk.begun or consumed > 0
    return consumed


def _public(turns: Iterable[Turn], consumed: int, bad: int, talk: Talk) -> Told:
    """The turns without what is private in them and between them."""
    kept, left_out = [], 0
    for turn in turns:
        text, talk.private = public_part(turn.text, talk.private)
        kept += [replace(turn, text=text.strip())] if text.strip() else []
        left_out = (left_out + (not text.strip())) if talk.private else 0
    return Told(tuple(kept), consumed, bad, left_out)


def captured(data: bytes, client: str) -> Told:
    """What a run without a screen printed: records of its client or, where there are none, the answer itself."""
    parser = open_parser(client)
    printed = list(_printed(data))
    turns = [turn for record in printed if isinstance(record, dict) for turn in parser.read(record)]
    turns.extend(parser.end())
    bad = sum(not isinstance(record, dict) for record in printed)
    if turns or parser.talk.session:
        return Told(tuple(turns), len(data), bad)
    text = COLOUR.sub("", data.decode("utf-8", "replace"))
    return Told(tuple(tell(Talk(), "assistant", text, None)), len(data), 0)


@contextmanager
def unpacked(file: BinaryIO) -> Iterator[BinaryIO]:
    """A `.jsonl.zst` to be read as if it were unpacked, up to a limit; whatever it unpacks to, little is in memory."""
    import zstandard

    most = min(UNPACKED_BYTES, max(ANY_BYTES, MOST_TIMES * file.seek(0, os.SEEK_END)))
    file.seek(0)
    decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES)
    with decompressor.stream_reader(file, read_across_frames=True, closefd=False) as reader:
        yield cast("BinaryIO", Bounded(reader, most, zstandard.ZstdError))


class Bounded:
    """What a decompressor gives, as long as that is not too much."""

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


def _document(data: bytes, parser: Parser) -> Told:
    """A file that is one object, written anew each time it grows: it is always read from its start."""
    record = _whole(data)
    if not isinstance(record, dict):
        return Told((), 0, 1)
    return _public(parser.read(record), 0, 0, parser.talk)


def _records(line: bytes) -> tuple[list[dict[str, Any]], int]:
    """The objects at the start of a line, and the bytes they take.

    There may be several: a client that was killed leaves a line without its end, and writes on there.
    """
    text = line.decode("utf-8", "surrogateescape")  # so that places in the text can be counted in bytes
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
    """The records of an output, and None for every line that is no record."""
    whole = _whole(data)
    if isinstance(whole, dict | list):
        yield from whole if isinstance(whole, list) else [whole]
        return
    for line in data.splitlines():
        records, used = _records(line)
        yield from records
        if used < len(line):
            yield None


def _whole(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig", "surrogateescape"), strict=False)
    except (ValueError, RecursionError):
        return None
