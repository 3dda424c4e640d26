"""Files of a cache, one for each space: whole and of that space, or as if they were not there.

They may have come with a memory that somebody else has made: nothing in them is believed before it was checked, and no
link is followed, to read, to write or to remove what lies elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeVar

from scrubjay.files import private_files, regular_files

__all__ = ["SavedFiles", "first_line"]

MOST_HEADER_BYTES = 65_536
HEADER = {"space", "crc", "lengths"}
MOST_NUMBER = 2**63  # of the numbers that a cache was saved with; SQLite has none that are larger
# A cache tells in other words what the store holds: a larger file than these was not written for it.
MOST_BYTES_FOR_EACH, MOST_BYTES_BESIDES = 4, 2**24
# Of a space, or one that a process was writing: `<hash>.<suffix>`, `.<hash>.<suffix>.<process>.<thread>.tmp`.
OWN_NAME = re.compile(r"\.?[0-9a-f]{16}\.\w+(\.\d+\.\d+\.tmp)?", re.ASCII)
PIECE_BYTES = 65_536
ALIGNED_BYTES = 64  # each part begins at a multiple of it, so that arrays can be used where they lie

Made = TypeVar("Made")


class SavedFiles:
    """The files of one kind of cache. Without a store nothing is saved; of a read-only one, no file is changed."""

    def __init__(self, store: Path | None, suffix: str, magic: bytes, read_only: bool) -> None:
        self._store = store
        self._folder = Path(f"{store}.vectors")
        self._suffix = suffix
        self._magic = magic  # which kind of cache, in which version of its format
        self._read_only = read_only

    def read(self, space: str, make: Callable[[Sequence[memoryview]], Made]) -> tuple[dict[str, int], Made] | None:
        """What was saved for a space: the numbers that it was saved with, and what is made of its parts."""
        import numpy as np

        if not self._has_own_folder():
            return None
        try:
            with regular_files.open_to_read(self._path(space)) as file:
                saved, size = self._header(file, space)
                body = np.empty(size, np.uint8).data  # `read` has it twice, and `bytearray` writes zeros
                file.readinto(body)
            if saved["crc"] == zlib.crc32(body):  # numpy does not notice a flipped bit
                numbers = {name: _number(saved[name]) for name in saved.keys() - HEADER}
                return numbers, make(list(_cut(body.toreadonly(), saved["lengths"])))
        except Exception:  # there is none, or it is damaged or forged: making anything of it may fail in any way
            pass
        return None

    def write(self, space: str, saved_with: dict[str, int], parts: Sequence[Any]) -> None:
        """Parts are bytes, or arrays whose numbers lie one after the other."""
        if self._read_only or not self._has_own_folder():
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
            private_files.make_folder(self._folder)
            if self._path(space).is_symlink():
                self._path(space).unlink()
            private_files.write(self._path(space), beginning, *filled)

    def remove(self, space: str) -> None:
        if self._has_own_folder() and not self._read_only:
            _remove(self._path(space))

    def remove_all(self) -> None:
        """Leave no file of any cache in the folder: also none that a process had begun to write when it ended."""
        if not self._read_only:
            for path in self.files()[1:]:
                _remove(path)

    def files(self) -> list[Path]:
        """The folder, and the files of caches in it."""
        if not self._has_own_folder() or not self._folder.is_dir():
            return []
        ours = (path for path in self._folder.iterdir() if OWN_NAME.fullmatch(path.name) and not path.is_symlink())
        return [self._folder, *sorted(ours)]

    def _has_own_folder(self) -> bool:
        return self._store is not None and not self._folder.is_symlink()

    def _path(self, space: str) -> Path:
        return self._folder / f"{blake2b(space.encode(), digest_size=8).hexdigest()}.{self._suffix}"

    def _header(self, file: BufferedReader, space: str) -> tuple[dict[str, Any], int]:
        """What the file of a space was saved with, and how many bytes follow; ValueError if it is another."""
        if file.readline(len(self._magic) + 1) != self._magic + b"\n":
            raise ValueError("another kind of file")
        saved: dict[str, Any] = json.loads(file.readline(MOST_HEADER_BYTES))
        lengths = list(map(_number, saved["lengths"]))
        size = sum(length + -length % ALIGNED_BYTES for length in lengths)
        if saved["space"] != space or min(lengths) < 0 or size > self._most_bytes():
            raise ValueError("not of this space")
        if os.fstat(file.fileno()).st_size - file.tell() != size:
            raise ValueError("not whole")
        return saved, size

    def _most_bytes(self) -> int:
        files = (Path(f"{self._store}{suffix}") for suffix in ("", "-wal"))
        return MOST_BYTES_BESIDES + MOST_BYTES_FOR_EACH * sum(file.stat().st_size for file in files if file.exists())


def first_line(part: memoryview) -> bytes:
    """With its end; ValueError if there is none."""
    searched = 0
    while searched < len(part):
        if (end := bytes(part[searched : searched + PIECE_BYTES]).find(b"\n")) >= 0:
            return bytes(part[: searched + end + 1])
        searched += PIECE_BYTES
    raise ValueError("no line")


def _number(value: Any) -> int:
    """Raises ValueError for anything that the file of a memory could not be asked for."""
    if not isinstance(value, int) or not -MOST_NUMBER <= value < MOST_NUMBER:
        raise ValueError(value)
    return value


def _cut(body: memoryview, lengths: Sequence[int]) -> Iterator[memoryview]:
    start = 0
    for length in lengths:
        yield body[start : start + length]
        start += length + -length % ALIGNED_BYTES


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
