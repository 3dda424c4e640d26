"""Files that only their owner may read: how they are made, found open to others, and closed again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import get_ident

__all__ = ["FILE_MODE", "check", "create", "make_folder", "mode", "open_to_others", "write"]

FILE_MODE = 0o600
FOLDER_MODE = 0o700
OTHERS = 0o077
OPEN_TO_OTHERS = "Other users of this machine may open {} (mode {:04o}); `scrubjay check --repair` makes it private."


def make_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, private; one that is there already is left as it is."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        with suppress(FileExistsError):
            folder.mkdir(FOLDER_MODE)
            folder.chmod(FOLDER_MODE)  # the umask may have taken bits away from the owner, too
    path.mkdir(exist_ok=True)  # says what is wrong if it is no folder


def create(path: Path) -> bool:
    """Make an empty private file; False where there is a file already."""
    real = Path(os.path.realpath(path))
    try:
        os.close(os.open(real, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
    except FileExistsError:
        return False
    real.chmod(FILE_MODE)
    return True


def write(path: Path, data: bytes) -> None:
    """Write a private file whole: another process reads the old one or the new one."""
    real = Path(os.path.realpath(path))  # a link to a settings file stays a link
    draft = real.with_name(f".{real.name}.{os.getpid()}.{get_ident()}.tmp")
    try:
        draft.unlink(missing_ok=True)  # left by a process that was killed
        create(draft)
        draft.write_bytes(data)
        draft.replace(real)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


def open_to_others(paths: Iterable[Path]) -> list[Path]:
    """Those that somebody other than their owner may open."""
    return [path for path in paths if mode(path) & OTHERS] if os.name == "posix" else []


def check(paths: Sequence[Path], repair: bool) -> tuple[list[str], list[str]]:
    """A sentence for each path that is open to others: those that stay so, and those that were closed."""
    problems: list[str] = []
    repaired: list[str] = []
    for path in open_to_others(paths):
        sentence = OPEN_TO_OTHERS.format(path, mode(path))
        (repaired if repair and _close(path) else problems).append(sentence)
    return problems, repaired


def _close(path: Path) -> bool:
    try:
        path.chmod(mode(path) & ~OTHERS)
    except OSError:  # it belongs to another user, or lies on a disk that cannot be written
        return False
    return True


def mode(path: Path) -> int:
    """Who may do what with a file; 0 where there is none."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        return 0
