"""Files of a cache, one for each space: whole and of that space, or as if they were not there."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from scrubjay.files import private_files, regular_files

__all__ = ["UNUSABLE", "SavedFiles"]

MOST_BYTES = 2**33  # of a file; a million memories take some 500 MB
ALIGNED_BYTES = 64  # each part begins at a multiple of it, so that arrays can be used where they lie
NUMBERS = range(-(2**63), 2**63)  # that SQLite knows
OURS = re.compile(r"\.?[0-9a-f]{16}\..+")  # also those of an older version, and what was being written
# What a file that somebody else has put there, with a checksum that is right, may lead to when it is read.
UNUSABLE = (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError)


class SavedFiles:
    """The files of one kind of cache. Without a folder nothing is saved; a read-only store changes no file.

    No link is followed, as the folder lies where others may put one: neither it nor a file in it leads elsewhere.
    """

    def __init__(self, folder: Path | None, suffix: str, magic: bytes, read_only: bool) -> None:
        self._folder = folder
        self._suffix = suffix
        self._magic = magic  # which kind of cache, in which version of its format
        self._read_only = read_only

    def read(self, space: str) -> tuple[dict[str, Any], list[memoryview]] | None:
        """What was saved for a space: what it was saved with, and its parts."""
        if self._folder is None or self._folder.is_symlink():
            return None
        try:
            data = regular_files.read_bytes(self._path(space), MOST_BYTES)
            first = data.index(b"\n")
            second = data.index(b"\n", first + 1)
            saved, body = json.loads(data[first:second]), memoryview(data)[second + 1 :]
            is_whole = saved["crc"] == zlib.crc32(body)  # numpy does not notice a flipped bit
            is_at_a_change = all(int(saved[name]) in NUMBERS for name in ("seq", "token"))
            if data[:first] == self._magic and saved["space"] == space and is_whole and is_at_a_change:
                return saved, list(_cut(body, saved["lengths"]))
        except (OSError, *UNUSABLE):
            pass
        return None

    def write(self, space: str, saved_with: dict[str, Any], parts: Sequence[Any]) -> None:
        """Parts are bytes, or arrays whose numbers lie one after the other."""
        if self._folder is None or self._read_only or self._folder.is_symlink():
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
            path = self._path(space)
            if path.is_symlink():
                path.unlink()
            private_files.write(path, beginning, *filled)

    def remove(self, space: str) -> None:
        if self._folder is not None and not self._read_only and not self._folder.is_symlink():
            _remove(self._path(space))

    def remove_all(self) -> None:
        """Leave no file of any cache: also none that a process had begun to write when it ended."""
        if not self._read_only:
            for path in self.files()[1:]:
                _remove(path)

    def files(self) -> list[Path]:
        """The folder, and what caches have saved there; somebody else's files are left alone."""
        folder = self._folder
        if folder is None or folder.is_symlink() or not folder.is_dir():
            return []
        return [folder, *sorted(path for path in folder.iterdir() if OURS.fullmatch(path.name))]

    def _path(self, space: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{blake2b(space.encode(), digest_size=8).hexdigest()}.{self._suffix}"


def _cut(body: memoryview, lengths: Sequence[int]) -> Iterator[memoryview]:
    start = 0
    for length in lengths:
        yield body[start : start + length]
        start += length + -length % ALIGNED_BYTES


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
