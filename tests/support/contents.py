"""What stands in the files of a memory, and which memories an answer has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["files_hold", "ids"]


def ids(found: Any) -> list[int]:
    return [each.memory.id if hasattr(each, "memory") else each.id for each in found]


def files_hold(path: Path, *parts: str) -> list[str]:
    """Which of the parts stand anywhere in the memory's files, the write-ahead log included."""
    raw = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*") if file.is_file())
    return [part for part in parts if part.encode() in raw]
