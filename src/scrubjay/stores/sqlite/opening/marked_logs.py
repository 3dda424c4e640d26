"""Whether the log beside a store was written by Scrubjay: SQLite itself would take over any log that is put there.

Of a marked store that is certain: every transaction of it writes the page with the mark.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import apsw

from scrubjay.errors import StoreError
from scrubjay.files import regular_files

__all__ = ["WRITE_MARK", "holds", "is_ours", "refuse_log_of_others"]

# The mark stays, but the page is written: a row is moved back and forth. In a store without a mark, nothing happens.
WRITE_MARK = "update or ignore project_mark set rowid = 3 - rowid"
HEADER, FRAME = struct.Struct(">8xI20x"), struct.Struct(">II8s8x")
SALTS = slice(16, 24)
PIECE_BYTES = 1_000_000
OTHERS = 0o077
WAL_VERSIONS = b"\2\2"  # in the header of a file that has a write-ahead log and never a journal
PUT_THERE = (
    "{} was not written by this memory, and would change what it holds: it may have come with a project. Remove it, or"
    " if it is yours, let it have the mode of {}."
)
JOURNAL = "{} would change what {} holds, which has no journal: it may have come with a project. Remove it."
TRIES = 3  # another process may be writing just now
HEADER_BYTES = 100  # of a file of SQLite
PAGE_BYTES = 4_096  # of a file of ours; a table is not on the first page
PAUSES, PAUSE_SECONDS = 10, 0.02  # each longer than the one before, about a second in all


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


def refuse_log_of_others(path: str) -> None:
    """SQLite would take any log or journal of that name for the file's own. It gives its own log the mode
    of the file; git, or whoever else puts one beside a file that is private as ours are, gives it a wider one."""
    try:
        file = os.stat(path)
    except OSError:
        return
    log, journal = f"{path}-wal", f"{path}-journal"
    with suppress(OSError):
        beside = os.stat(log)
        is_wider = os.name == "posix" and beside.st_mode & ~file.st_mode & OTHERS
        if beside.st_size and is_wider:
            raise StoreError(PUT_THERE.format(log, path))
    if all(_would_be_rolled_back(path, after=PAUSE_SECONDS * number) for number in range(PAUSES)):
        raise StoreError(JOURNAL.format(journal, path))


def _would_be_rolled_back(path: str, after: float) -> bool:
    """Whether a journal lies beside a file that has a log. Where the file gets its log just now, one does for a moment:
    of an empty file it may stay, after a crash, since there is nothing that it could change."""
    if after:
        time.sleep(after)
    if not _size(f"{path}-journal"):
        return False
    # First the file, then its journal: who gives a file its log does it in the other order.
    has_log = _header(path)[18:20] == WAL_VERSIONS
    is_empty = _size(path) <= PAGE_BYTES and not _size(f"{path}-wal")
    return has_log and not is_empty and _size(f"{path}-journal") > 0


def _header(path: str) -> bytes:
    """Opened by SQLite: the operating system would drop this process's locks when another handle is closed."""
    try:
        file = apsw.VFSFile("", path, [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    except apsw.Error:
        return b""
    try:
        return file.xRead(HEADER_BYTES, 0)
    except apsw.Error:  # it is shorter
        return b""
    finally:
        file.xClose()


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
