"""What tells a file from another one of the same name that was put in its place."""

from __future__ import annotations

import struct
import sys
from contextlib import suppress
from pathlib import Path

from scrubjay.files import regular_files

__all__ = ["identity"]

GENERATION = struct.Struct("l")
READ, KIND, NUMBER = 2 << 30, ord("v") << 8, 1
FS_IOC_GETVERSION = READ | GENERATION.size << 16 | KIND | NUMBER


def identity(path: Path) -> str:
    """Its inode, and which of the files that had this inode it is: a file that is deleted and written again, as git
    does, often gets the same inode. Empty if there is no such file."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_ino}.{_generation(path) or getattr(found, 'st_birthtime', 0)}"


def _generation(path: Path) -> int:
    """As the file system of Linux counts them; 0 where it does not say."""
    if sys.platform != "linux":
        return 0
    from fcntl import ioctl

    with suppress(OSError), regular_files.open_to_read(path) as file:
        return int(GENERATION.unpack(ioctl(file, FS_IOC_GETVERSION, bytes(GENERATION.size)))[0])
    return 0
