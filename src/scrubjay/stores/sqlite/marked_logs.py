"""Whether the write-ahead log beside a marked store was written by Scrubjay: every transaction of such a store writes
the page with the mark. SQLite itself would take over any log that is put there.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from scrubjay.files import regular_files

__all__ = ["WRITE_MARK", "holds", "is_ours"]

# The mark stays, but the page is written: a row is moved back and forth. In a store without a mark, nothing happens.
WRITE_MARK = "update or ignore project_mark set rowid = 3 - rowid"
HEADER, FRAME = struct.Struct(">8xI20x"), struct.Struct(">II8s8x")
SALTS = slice(16, 24)
PIECE_BYTES = 1_000_000
TRIES = 3  # another process may be writing just now


def is_ours(log: Path, mark: str) -> bool:
    """True also where there is no log, or one without any whole transaction: nothing is taken over then."""
    return any(not _has_transaction(log) or holds(log, mark) for _ in range(TRIES))


def holds(path: Path, mark: str) -> bool:
    """Whether a mark stands anywhere in a file."""
    before, sought = b"", mark.encode()
    with suppress(OSError), regular_files.open_to_read(path) as file:
        while piece := file.read(PIECE_BYTES):
            if sought in before + piece:
                return True
            before = piece[-len(sought) :]
    return False


def _has_transaction(log: Path) -> bool:
    with suppress(OSError), regular_files.open_to_read(log) as file:
        return any(_commits(file))
    return False


def _commits(file: BinaryIO) -> Iterator[bool]:
    """For each page in a log, whether a transaction ends with it. Pages of an older log may follow."""
    header = file.read(HEADER.size)
    if len(header) < HEADER.size:
        return
    (page_bytes,) = HEADER.unpack(header)
    while len(frame := file.read(FRAME.size)) == FRAME.size:
        _, size_after, salts = FRAME.unpack(frame)
        if salts != header[SALTS]:
            return
        yield size_after > 0
        file.seek(page_bytes, 1)
