"""A log of JSON lines that rotates. Any number of processes may append to it, and only its owner may read it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrubjay.files import private_files, regular_files

__all__ = ["append", "change", "newest_first"]

MOST_BYTES = 2_000_000  # of the file and, as much again, of the one before it
MOST_READ = 2 * MOST_BYTES  # the last line may reach beyond that
OLD = ".1"


def append(path: str, entry: dict[str, Any]) -> None:
    """Append one line; a single write, so that lines of several processes do not mix."""
    private_files.make_folder(Path(path).parent)
    private_files.create(Path(path))
    regular_files.append_bytes(path, _line(entry))
    with suppress(FileNotFoundError):  # another process has rotated it meanwhile
        if os.stat(path).st_size > MOST_BYTES:
            os.replace(path, path + OLD)


def change(path: str, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> list[str]:
    """Change entries. A line that another process appends in this moment may be lost. Returns the files that could not
    be read or changed, each with the reason."""
    failed: list[str] = []
    for name in (path, path + OLD):
        try:
            before = regular_files.read_bytes(name, MOST_READ).splitlines(keepends=True)
            after = [_changed(line, changed) for line in before]
            if after != before:
                private_files.write(Path(name), *after)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as problem:
            failed.append(f"{name} ({problem.strerror})")
    return failed


def _changed(line: bytes, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> bytes:
    try:
        entry = json.loads(line)
    except ValueError:
        return line
    after = changed(entry) if isinstance(entry, dict) else entry
    return line if after == entry else _line(after)


def newest_first(path: str) -> Iterator[dict[str, Any]]:
    """The entries, the newest first; a line that was cut off is left out."""
    for name in (path, path + OLD):
        try:
            lines = regular_files.read_bytes(name, MOST_READ).splitlines()
        except OSError:  # there is none, or it is none of ours
            continue
        for line in reversed(lines):
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                yield entry


def _line(entry: dict[str, Any]) -> bytes:
    line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"
    return line.encode("utf-8", "replace")
