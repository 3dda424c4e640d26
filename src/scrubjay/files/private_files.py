"""Files that only their owner may read: creating them, finding those that others can open, and fixing their mode."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from scrubjay.files import drafts, regular_files

__all__ = [
    "FILE_MODE",
    "check",
    "create",
    "make_folder",
    "mode",
    "open_new",
    "open_to_others",
    "write",
    "write_users_file",
]

FILE_MODE = 0o600
FOLDER_MODE = 0o700
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
OTHERS = 0o077
OPEN_TO_OTHERS = "Other users of this machine may open {} (mode {:04o}); `scrubjay check --repair` makes it private."


def make_folder(path: Path) -> None:
    """Create a private folder and its missing parents; an existing folder keeps its mode."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        with suppress(FileExistsError):
            folder.mkdir(FOLDER_MODE)
            folder.chmod(FOLDER_MODE)  # a umask may remove even the owner's bits from mkdir
    path.mkdir(exist_ok=True)  # raises if the path is not a folder


def create(path: Path) -> bool:
    """Create an empty private file; False if the file exists already."""
    try:
        open_new(Path(os.path.realpath(path))).close()
    except FileExistsError:
        return False
    return True


def open_new(path: Path) -> BinaryIO:
    """A new private file to write to; FileExistsError if anything has its name, such as a link that was put there."""
    file = os.fdopen(os.open(path, NEW, FILE_MODE), "wb")
    path.chmod(FILE_MODE)  # a umask may have removed even the owner's bits
    return file


def write(path: Path, *data: bytes | memoryview, file_mode: int = FILE_MODE, sweep: bool = True) -> None:
    """Replace a file atomically: another process, or the next one after a crash, reads the old content or the new."""
    with drafts.replacing(path, sweep=sweep) as draft, open_new(draft) as file:
        file.writelines(data)
        file.flush()
        os.fsync(file.fileno())
        draft.chmod(file_mode)


def write_users_file(path: Path, data: bytes, *, new_mode: int = FILE_MODE) -> None:
    """Replace a file of the user's, whole or not at all; one that is there keeps its mode. No link is followed."""
    before = mode(path)
    if path.is_symlink():
        raise OSError(errno.ELOOP, regular_files.IS_A_LINK, str(path))
    if regular_files.is_special(path):
        raise OSError(errno.EINVAL, regular_files.NOT_REGULAR, str(path))
    if before and not os.access(path, os.W_OK):  # replacing it would work, but is not what they want
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    with drafts.draft_beside(path) as draft:
        with open(os.open(draft, NEW, new_mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if before:
            draft.chmod(before)
        draft.replace(path)


def open_to_others(paths: Iterable[Path]) -> list[Path]:
    """The paths that users other than the owner may open."""
    return [path for path in paths if mode(path) & OTHERS] if os.name == "posix" else []


def check(paths: Sequence[Path], repair: bool) -> tuple[list[str], list[str]]:
    """Messages about paths that others may open: those that are still open, and those that were made private."""
    problems: list[str] = []
    repaired: list[str] = []
    for path in open_to_others(paths):
        message = OPEN_TO_OTHERS.format(path, mode(path))
        (repaired if repair and _make_private(path) else problems).append(message)
    return problems, repaired


def _make_private(path: Path) -> bool:
    try:
        path.chmod(mode(path) & ~OTHERS)
    except OSError:  # it belongs to another user, or is on a read-only disk
        return False
    return True


def mode(path: Path) -> int:
    """The permission bits of a file; 0 if it does not exist."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        return 0
