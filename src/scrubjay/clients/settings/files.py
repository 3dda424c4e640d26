"""Settings files on disk: read with a limit, written atomically, through links, with their mode kept."""

from __future__ import annotations

import os
from pathlib import Path

from scrubjay.errors import Invalid
from scrubjay.files import private_files, regular_files

__all__ = ["read", "refuse_read_only", "remove", "write"]

MAX_BYTES = 50_000_000  # a client keeps histories in its settings
WRITE_BITS = 0o222
OTHERS_BITS = 0o077


def read(path: Path) -> bytes | None:
    """The file's content; None if there is no file. A file that cannot be read raises Invalid."""
    try:
        return regular_files.read_bytes(path, MAX_BYTES, follow=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        raise Invalid(f"{path} cannot be read: {problem.strerror}; nothing was changed.") from None


def refuse_read_only(path: Path) -> None:
    """Raise if the user has made the file read-only: replacing it would work, but is not what they want."""
    real = Path(os.path.realpath(path))
    if real.exists() and (not os.access(real, os.W_OK) or not private_files.mode(real) & WRITE_BITS):
        raise Invalid(f"{path} is read-only; nothing was changed.")
    folder = next(folder for folder in real.parents if folder.exists())
    if not os.access(folder, os.W_OK) or not private_files.mode(folder) & WRITE_BITS:
        raise Invalid(f"{path} cannot be written, because {folder} is read-only; nothing was changed.")


def write(path: Path, data: bytes, *, private: bool = False) -> None:
    """Replace the file atomically; a new one is private, an existing one keeps its mode, a link stays a link.

    With `private`, others may not read it any more, because it now holds a token.
    """
    real = Path(os.path.realpath(path))
    mode = private_files.mode(real) or private_files.FILE_MODE
    mode = mode & ~OTHERS_BITS if private else mode
    private_files.make_folder(real.parent)
    private_files.write(real, data, file_mode=mode)


def remove(path: Path) -> None:
    Path(os.path.realpath(path)).unlink(missing_ok=True)
