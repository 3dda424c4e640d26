"""Reads and writes regular files only: a pipe, device, socket or folder is refused at once, and reads are bounded."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from scrubjay.text.plural import counted

__all__ = [
    "IS_A_LINK",
    "LONGEST_PATH",
    "NOT_REGULAR",
    "append_bytes",
    "is_special",
    "open_private",
    "open_to_read",
    "read_bytes",
    "read_text",
]

# Non-blocking, because opening a pipe that has no writer would otherwise wait forever.
NON_BLOCKING = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY", "O_CLOEXEC", "O_NOCTTY"))
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
IS_A_LINK = "it is a symbolic link, which is not followed"
PRIVATE = 0o600
PIECE_BYTES = 1_000_000
LONGEST_PATH = 4_096  # characters; no file has a longer one, and to resolve one takes the square of its length
NOT_REGULAR = "it is not a regular file"
NO_NAME = "no file has a zero byte in its name"


def is_special(path: Path | str) -> bool:
    """Whether a pipe, device, socket or folder has that name: another program would wait for it, or fail."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


@contextmanager
def open_to_read(path: Path | str, *, follow: bool = False) -> Iterator[BufferedReader]:
    """Open a regular file; a symbolic link only with `follow`. The OSError it raises has a readable reason."""
    with os.fdopen(_opened(path, os.O_RDONLY, follow), "rb") as file:
        yield file


def read_bytes(path: Path | str, most_bytes: int, *, follow: bool = False) -> bytes:
    """A file's content; OSError if it is larger than `most_bytes`."""
    data = bytearray()
    with open_to_read(path, follow=follow) as file:
        while piece := file.read(PIECE_BYTES):  # not by its reported size: that may be wrong, or the file may grow
            data += piece
            if len(data) > most_bytes:
                raise OSError(errno.EFBIG, f"it is larger than {counted(most_bytes, 'byte')}", str(path))
    return bytes(data)


def read_text(path: Path | str, most_bytes: int, *, follow: bool = False, errors: str = "strict") -> str:
    return read_bytes(path, most_bytes, follow=follow).decode("utf-8", errors)


def append_bytes(path: Path | str, data: bytes) -> None:
    """Append to a file, all of it or nothing; a new one is private, and an existing one must be regular and no link."""
    file = _opened(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, False, PRIVATE)
    written = 0
    try:
        while written < len(data):  # usually one call, so that lines written by several processes do not mix
            written += os.write(file, data[written:])
    except OSError:  # a line without its end would take the next one with it
        _take_back(file, written)
        raise
    finally:
        os.close(file)


def _take_back(file: int, written: int) -> None:
    """Cut off what was appended, unless another process has appended to it since."""
    end = os.lseek(file, 0, os.SEEK_CUR)
    if written and os.fstat(file).st_size == end:
        os.ftruncate(file, end - written)


def open_private(path: Path | str, flags: int) -> int:
    """An `opener` for `open`: a new file is private, and an existing one must be regular and not a link."""
    return _opened(path, flags, False, PRIVATE)


def _opened(path: Path | str, flags: int, follow: bool, mode: int = 0o666) -> int:
    if "\0" in str(path):  # the system cannot name it, and Python raises no OSError
        raise OSError(errno.EINVAL, NO_NAME, str(path))
    if not follow and os.path.islink(path):
        raise OSError(errno.ELOOP, IS_A_LINK, str(path))
    try:
        file = os.open(path, flags | NON_BLOCKING | (0 if follow else NO_LINK), mode)
    except OSError as problem:
        if problem.errno in (errno.ENXIO, errno.EOPNOTSUPP, errno.EISDIR):  # a pipe, a socket, a folder
            raise OSError(errno.EINVAL, NOT_REGULAR, str(path)) from None
        raise
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    raise OSError(errno.EINVAL, NOT_REGULAR, str(path))
