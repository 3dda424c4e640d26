"""Drafts: a file is written beside the one that it will replace. What killed processes have left is removed later."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident

from scrubjay.files import regular_files

__all__ = ["draft_beside", "is_running", "path_of_draft", "remove_abandoned", "remove_if_abandoned", "replacing"]

MOST_DIGITS = 9  # of the id of a process
SIDECARS = ("-journal", "-wal", "-shm")  # of a draft that SQLite writes
# A process that was killed may have had the id of one that runs now, above all in a container. None writes so long.
LONGEST_SECONDS = 24 * 60 * 60


@contextmanager
def replacing(path: Path, *, sweep: bool = True) -> Iterator[Path]:
    """The path of a file to write, which then takes the place of this one; if the block raises, nothing is changed."""
    real = Path(os.path.realpath(path))  # a link to a settings file stays a link
    if regular_files.is_special(real):  # to replace /dev/null would break every other program
        raise OSError(errno.EINVAL, regular_files.NOT_REGULAR, str(path))
    with draft_beside(real, sweep=sweep) as draft:
        yield draft
        draft.replace(real)


@contextmanager
def draft_beside(path: Path, *, sweep: bool = True) -> Iterator[Path]:
    """The path of a file to write beside this one, which is removed at the end. With `sweep`, so is what processes that
    were killed have left of this file; that takes time in a folder of many files."""
    draft = path_of_draft(path)
    if sweep:
        remove_abandoned(path.parent, path.name)
    _remove(draft)
    try:
        yield draft
    finally:
        _remove(draft)


def path_of_draft(path: Path) -> Path:
    """What this thread writes for a file, until it is whole."""
    return path.with_name(f".{path.name}.{os.getpid()}.{get_ident()}.tmp")


def remove_abandoned(folder: Path, name: str = "") -> None:
    """Remove what was left in a folder; with a name, of that file and of those whose names begin with it and a dot."""
    beginning = f".{name}." if name else "."
    with suppress(OSError), os.scandir(folder) as entries:
        left = [entry.path for entry in entries if entry.name.startswith(beginning)]
        for found in left:
            remove_if_abandoned(Path(found))


def remove_if_abandoned(path: Path) -> bool:
    """Remove a draft, or a file of SQLite beside it, that nobody writes any more; False if it is none, or is in use."""
    own = next((path.with_name(path.name.removesuffix(end)) for end in SIDECARS if path.name.endswith(end)), path)
    process = _process_of(own.name)
    if process is None or (is_running(process) and not _is_old(path)):
        return False
    _remove(own)
    return not os.path.lexists(own)


def _process_of(name: str) -> int | None:
    """Which process writes a draft of this name; None if it is none."""
    parts = name.rsplit(".", 3)
    if len(parts) < 4 or not name.startswith(".") or parts[3] != "tmp":
        return None
    process, thread = parts[1:3]
    are_numbers = all(number.isascii() and number.isdecimal() for number in (process, thread))
    return int(process) if are_numbers and len(process) <= MOST_DIGITS else None


def is_running(process: int) -> bool:
    if sys.platform == "win32":  # signal 0 would end it there; a file that is in use cannot be removed
        return False
    try:
        os.kill(process, 0)
    except (OSError, OverflowError) as problem:
        return not isinstance(problem, ProcessLookupError)
    return True


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.lstat().st_mtime > LONGEST_SECONDS
    except OSError:
        return False


def _remove(draft: Path) -> None:
    for end in ("", *SIDECARS):
        with suppress(OSError):
            draft.with_name(draft.name + end).unlink(missing_ok=True)
