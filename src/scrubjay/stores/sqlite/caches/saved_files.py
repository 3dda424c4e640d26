"""Files of a cache, one for each space: whole and of that space, or as if they were not there."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from scrubjay.files import private_files, regular_files

__all__ = ["UNFIT", "SavedFiles"]

MOST_HEADER_BYTES = 65_536
# A cache tells in other words what the store holds: a larger file than these was not written for it.
MOST_BYTES_FOR_EACH, MOST_BYTES_BESIDES = 4, 2**24
ALIGNED_BYTES = 64  # each part begins at a multiple of it, so that arrays can be used where they lie
# Our files of every version, and those that a process had begun to write when it ended.
OWN_NAME = re.compile(r".+\.(codes|words|cells|tvim)(\.[\w.]*tmp)?", re.ASCII)
# What reading a file raises that somebody else has written: its checksum may be right.
UNFIT = (OSError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)


class SavedFiles:
    """The files of one kind of cache. Without a folder nothing is saved; a read-only store changes no file.

    Beside a file that somebody else has made, the folder may be a link to another one: then it is not used.
    """

    def __init__(self, store: Path | None, suffix: str, magic: bytes, read_only: bool) -> None:
        self._store = store
        self._folder = None if store is None else Path(f"{store}.vectors")
        self._suffix = suffix
        self._magic = magic  # which kind of cache, in which version of its format
        self._read_only = read_only

    def read(self, space: str) -> tuple[dict[str, Any], list[memoryview]] | None:
        """What was saved for a space: what it was saved with, and its parts."""
        if not self._is_own_folder():
            return None
        try:
            with regular_files.open_to_read(self._path(space)) as file:
                saved = self._header(file)
                wanted = sum(length + -length % ALIGNED_BYTES for length in saved["lengths"])
                left = os.fstat(file.fileno()).st_size - file.tell()
                if saved["space"] != space or left != wanted or wanted > self._most_bytes():
                    return None
                body = memoryview(file.read(wanted))
            if saved["crc"] == zlib.crc32(body):  # numpy does not notice a flipped bit
                return saved, list(_cut(body, saved["lengths"]))
        except UNFIT:
            pass
        return None

    def _header(self, file: BinaryIO) -> dict[str, Any]:
        """What a file of this kind was saved with; ValueError if it is another."""
        if file.readline(len(self._magic) + 1) != self._magic + b"\n":
            raise ValueError("another kind of file")
        saved: dict[str, Any] = json.loads(file.readline(MOST_HEADER_BYTES))
        if min(saved["lengths"], default=0) < 0 or not all(_is_integer(value) for value in _numbers(saved)):
            raise ValueError("no numbers")
        return saved

    def _most_bytes(self) -> int:
        files = (Path(f"{self._store}{suffix}") for suffix in ("", "-wal"))
        in_store = sum(file.stat().st_size for file in files if file.exists())
        return MOST_BYTES_BESIDES + MOST_BYTES_FOR_EACH * in_store

    def write(self, space: str, saved_with: dict[str, Any], parts: Sequence[Any]) -> None:
        """Parts are bytes, or arrays whose numbers lie one after the other."""
        if self._read_only or not self._is_own_folder():
            return
        views = [memoryview(part).cast("B") for part in parts]
        filled = [piece for view in views for piece in (view, bytes(-len(view) % ALIGNED_BYTES))]
        crc = 0
        for piece in filled:
            crc = zlib.crc32(piece, crc)
        header = {"space": space, "crc": crc, "lengths": list(map(len, views)), **saved_with}
        beginning = self._magic + b"\n" + json.dumps(header).encode()
        beginning += b" " * (-(len(beginning) + 1) % ALIGNED_BYTES) + b"\n"
        with suppress(OSError):  # a full or read-only disk costs a rebuild later, nothing else
            path = self._path(space)
            private_files.make_folder(path.parent)
            private_files.write(path, beginning, *filled)

    def remove(self, space: str) -> None:
        if self._is_own_folder() and not self._read_only:
            _remove(self._path(space))

    def remove_all(self) -> None:
        """Leave no file of any cache: also none that a process had begun to write when it ended."""
        if not self._read_only:
            for path in self.files()[1:]:
                _remove(path)

    def files(self) -> list[Path]:
        """The folder, and those in it that are ours."""
        if self._folder is None or not self._is_own_folder() or not self._folder.is_dir():
            return []
        ours = (path for path in self._folder.iterdir() if OWN_NAME.fullmatch(path.name) and not path.is_symlink())
        return [self._folder, *sorted(ours)]

    def _is_own_folder(self) -> bool:
        return self._folder is not None and not self._folder.is_symlink()

    def _path(self, space: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{blake2b(space.encode(), digest_size=8).hexdigest()}.{self._suffix}"


def _cut(body: memoryview, lengths: Sequence[int]) -> Iterator[memoryview]:
    start = 0
    for length in lengths:
        yield body[start : start + length]
        start += length + -length % ALIGNED_BYTES


def _numbers(saved: dict[str, Any]) -> list[Any]:
    """What is told with a cache besides its space."""
    return [*saved["lengths"], *(value for name, value in saved.items() if name not in ("space", "lengths"))]


def _is_integer(value: Any) -> bool:
    return type(value) is int and abs(value) < 2**63


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
