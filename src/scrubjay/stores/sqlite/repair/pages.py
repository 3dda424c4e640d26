"""A SQLite file page by page, by its documented format: whole rows can be read where SQLite itself gives up."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

__all__ = ["Pages", "Record"]

Record = tuple[int, tuple[Any, ...]]  # a row's id (0 in an index) and its values

MAGIC = b"SQLite format 3\0"
PAGE_BYTES = 4096  # where the header does not say
INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF = 2, 5, 10, 13
INTERIOR = (INDEX_INTERIOR, TABLE_INTERIOR)
INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
LOG_MAGIC = (0x377F0682, 0x377F0683)  # checksums of little and of big words
LOG_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
UNREADABLE = (ValueError, IndexError, struct.error, OverflowError, RecursionError)


class Pages:
    """The pages of a file, as the committed part of its write-ahead log leaves them."""

    def __init__(self, path: Path) -> None:
        # Opened by SQLite: the operating system would drop this process's locks when another handle is closed.
        self._file = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
        log = Path(f"{path}-wal")
        self._log = log.read_bytes() if log.exists() and not log.is_symlink() else b""
        header = self._file.xRead(100, 0) if self._file.xFileSize() >= 100 else bytes(100)
        self.size = _page_size(header, self._log)
        self._logged = dict(_committed(self._log, self.size))
        first = self.page(1)
        self.has_header = first.startswith(MAGIC)
        self._header = first[:100] if self.has_header else bytes(100)
        self._usable = self.size - self._header[20]
        self.count = max(self._file.xFileSize() // self.size, *self._logged, 0)
        self.seen: set[int] = set()
        self.damaged: set[int] = set()

    def close(self) -> None:
        self._file.xClose()

    @property
    def version(self) -> int:
        return int.from_bytes(self._header[60:64], "big")

    @property
    def application_id(self) -> int:
        return int.from_bytes(self._header[68:72], "big")

    def page(self, number: int) -> bytes:
        if (offset := self._logged.get(number)) is not None:
            return self._log[offset : offset + self.size]
        start = (number - 1) * self.size
        if start < 0 or start + self.size > self._file.xFileSize():
            return b""
        return bytes(self._file.xRead(self.size, start))

    def rows(self, root: int) -> Iterator[Record]:
        """What is left of the tree of a table or an index; a root of 0 is not known."""
        self.damaged.update(() if root else {0})
        waiting = [root] if root else []
        while waiting:
            number = waiting.pop()
            if number in self.seen:
                continue
            self.seen.add(number)
            page = self.page(number)
            if _kind(page, number) not in (*INTERIOR, INDEX_LEAF, TABLE_LEAF):
                self.damaged.add(number)
                continue
            waiting += reversed(_children(page, number))
            yield from self._records(page, number)

    def strays(self) -> Iterator[Record]:
        """Rows on pages that no tree leads to any more."""
        unused = self._unused()
        for number in range(1, self.count + 1):
            if number not in self.seen and number not in unused:
                page = self.page(number)
                if _kind(page, number) in (INDEX_LEAF, TABLE_LEAF):
                    yield from self._records(page, number)

    def _records(self, page: bytes, number: int) -> Iterator[Record]:
        kind = _kind(page, number)
        if kind == TABLE_INTERIOR:
            return
        for start in _cells(page, number):
            try:
                yield self._record(page, start + (4 if kind == INDEX_INTERIOR else 0), kind == TABLE_LEAF)
            except UNREADABLE:
                self.damaged.add(number)

    def _record(self, page: bytes, at: int, has_id: bool) -> Record:
        length, at = _varint(page, at)
        id, at = _varint(page, at) if has_id else (0, at)
        return id - (1 << 64) if id >> 63 else id, _values(self._payload(page, at, length, has_id))

    def _payload(self, page: bytes, at: int, length: int, of_table: bool) -> bytes:
        """A row's bytes; those of a long one go on in a chain of other pages, as far as it leads."""
        usable = self._usable
        most = usable - 35 if of_table else (usable - 12) * 64 // 255 - 23
        if length <= most:
            return _cut(page, at, length)
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        local = local if local <= most else least
        parts, rest = [_cut(page, at, local)], length - local
        (next,) = struct.unpack_from(">I", page, at + local)
        # A chain longer than the file goes in a circle.
        while rest > 0 and len(parts) <= self.count and any(overflow := self.page(next)):
            parts.append(_cut(overflow, 4, min(rest, usable - 4)))
            rest -= len(parts[-1])
            (next,) = struct.unpack_from(">I", overflow)
        return b"".join(parts)

    def _unused(self) -> set[int]:
        """The pages of the free list: what stands on them was deleted."""
        found: set[int] = set()
        (trunk,) = struct.unpack_from(">I", self._header, 32)
        while trunk and trunk not in found and (page := self.page(trunk)):
            found.add(trunk)
            trunk, leaves = struct.unpack_from(">II", page)
            found.update(struct.unpack_from(f">{min(leaves, self.size // 4 - 2)}I", page, 8))
        return found


def _kind(page: bytes, number: int) -> int:
    return page[_start(number)] if page else 0


def _start(number: int) -> int:
    return 100 if number == 1 else 0


def _cells(page: bytes, number: int) -> list[int]:
    """Where the cells of a page begin, as far as that can be right."""
    start = _start(number)
    (count,) = struct.unpack_from(">H", page, start + 3)
    first = start + (12 if page[start] in INTERIOR else 8)
    count = min(count, (len(page) - first) // 2)
    cells = struct.unpack_from(f">{count}H", page, first)
    return [cell for cell in cells if first + 2 * count <= cell < len(page) - 3]


def _children(page: bytes, number: int) -> list[int]:
    if page[_start(number)] not in INTERIOR:
        return []
    left = [struct.unpack_from(">I", page, cell)[0] for cell in _cells(page, number)]
    return [*left, struct.unpack_from(">I", page, _start(number) + 8)[0]]


def _cut(page: bytes, at: int, length: int) -> bytes:
    cut = page[at : at + length]
    if len(cut) < length or length < 0:
        raise ValueError("a row goes on beyond its page")
    return cut


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def _values(payload: bytes) -> tuple[Any, ...]:
    """A row's values: first the type of each, then all of them one after the other. The last ones may be lost."""
    end, at = _varint(payload, 0)
    types = []
    while at < end:
        type, at = _varint(payload, at)
        types.append(type)
    values: list[Any] = []
    for type in types:
        length = _length(type)
        if at + length > len(payload):
            return (*values, payload[at:].decode("utf-8", "ignore")) if type > 12 and type % 2 else tuple(values)
        values.append(_value(type, payload[at : at + length]))
        at += length
    return tuple(values)


def _length(type: int) -> int:
    if type >= 12:
        return (type - 12) // 2
    return 8 if type == 7 else INTEGER_BYTES[type] if type < 7 else 0


def _value(type: int, data: bytes) -> Any:
    if type in (0, 8, 9):
        return None if type == 0 else type - 8
    if type in (10, 11):
        raise ValueError("a type that does not exist")
    if type == 7:
        return struct.unpack(">d", data)[0]
    if type < 7:
        return int.from_bytes(data, "big", signed=True)
    return data.decode("utf-8", "replace") if type % 2 else data


def _page_size(header: bytes, log: bytes) -> int:
    if header.startswith(MAGIC):
        (size,) = struct.unpack_from(">H", header, 16)
        return 65536 if size == 1 else size if size >= 512 and size & (size - 1) == 0 else PAGE_BYTES
    return struct.unpack_from(">I", log, 8)[0] if len(log) >= LOG_HEADER_BYTES else PAGE_BYTES


def _committed(log: bytes, size: int) -> Iterator[tuple[int, int]]:
    """Where each page stands last in a write-ahead log, up to its last commit that is whole."""
    if len(log) < LOG_HEADER_BYTES or (magic := struct.unpack_from(">I", log)[0]) not in LOG_MAGIC:
        return
    words = ">" if magic & 1 else "<"
    sums = _sums(words, log[:24], (0, 0))
    pending: list[tuple[int, int]] = []
    for start in range(LOG_HEADER_BYTES, len(log) - FRAME_HEADER_BYTES - size + 1, FRAME_HEADER_BYTES + size):
        number, commit, *salts_and_sums = struct.unpack_from(">6I", log, start)
        page = start + FRAME_HEADER_BYTES
        sums = _sums(words, log[start : start + 8] + log[page : page + size], sums)
        if salts_and_sums[:2] != list(struct.unpack_from(">2I", log, 16)) or tuple(salts_and_sums[2:]) != sums:
            return
        pending.append((number, page))
        if commit:
            yield from pending
            pending = []


def _sums(words: str, data: bytes, before: tuple[int, int]) -> tuple[int, int]:
    one, two = before
    values = struct.unpack(f"{words}{len(data) // 4}I", data)
    for first, second in zip(values[::2], values[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
