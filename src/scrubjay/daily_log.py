"""The daily log: a Markdown file per day, a line per new memory. It never fails an add."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from scrubjay import private_files
from scrubjay.types import Memory

__all__ = ["append", "files"]

LINE_CHARACTERS = 200


def append(folder: Path, memories: Iterable[Memory]) -> None:
    """Write what was remembered, in local time; what came from files is in those files already."""
    with suppress(OSError, RuntimeError, ValueError):  # the last two: no such home, no such name
        folder = folder.expanduser()
        private_files.make_folder(folder)
        for memory in memories:
            if not memory.source.startswith("file:"):
                _append_line(folder, memory)


def files(folder: Path) -> list[Path]:
    """The logs that were written there."""
    with suppress(OSError, RuntimeError):
        return sorted(folder.expanduser().glob("[0-9]" * 4 + "-[0-9][0-9]" * 2 + ".md"))
    return []


def _append_line(folder: Path, memory: Memory) -> None:
    local = memory.created_at.astimezone()
    path = folder / f"{local:%Y-%m-%d}.md"
    if private_files.create(path):
        _write(path, f"# Daily log, {local:%Y-%m-%d}\n\n")
    text = " ".join(memory.text.split())
    if len(text) > LINE_CHARACTERS:
        text = text[: LINE_CHARACTERS - 1] + "…"
    _write(path, f"- **{local:%H:%M:%S}** [{memory.kind}] ({' '.join(memory.source.split())}) {text}\n")


def _write(path: Path, text: str) -> None:
    """One write call, so that lines of several processes do not mix."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)
