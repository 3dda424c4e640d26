"""A log of JSON lines that rotates. Any number of processes may append to it, and only its owner may read it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

__all__ = ["append", "newest_first"]

MOST_BYTES = 2_000_000  # of the file and, as much again, of the one before it
FILE_MODE = 0o600
OLD = ".1"


def append(path: str, entry: dict[str, Any]) -> None:
    """Append one line; a single write, so that lines of several processes do not mix."""
    line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), FILE_MODE)
    try:
        os.write(file, line.encode("utf-8", "replace"))
        is_full = os.fstat(file).st_size > MOST_BYTES
    finally:
        os.close(file)
    if is_full and os.stat(path).st_size > MOST_BYTES:  # unless another process has rotated it meanwhile
        os.replace(path, path + OLD)


def newest_first(path: str) -> Iterator[dict[str, Any]]:
    """The entries, the newest first; a line that was cut off is left out."""
    for name in (path, path + OLD):
        try:
            with open(name, "rb") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            continue
        for line in reversed(lines):
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                yield entry
