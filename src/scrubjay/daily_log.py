"""The daily log: a Markdown file per day, a line per new memory. It never fails an add."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from scrubjay import regular_files
from scrubjay.types import Memory

__all__ = ["append"]

LINE_CHARACTERS = 200


def append(folder: Path, memories: Iterable[Memory]) -> None:
    """Write what was remembered, in local time; what came from files is in those files already."""
    with suppress(OSError, RuntimeError, ValueError):  # the last two: no such home, no such name
        folder = folder.expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        for memory in memories:
            if not memory.source.startswith("file:"):
                _append_line(folder, memory)


def _append_line(folder: Path, memory: Memory) -> None:
    local = memory.created_at.astimezone()
    path = folder / f"{local:%Y-%m-%d}.md"
    with suppress(FileExistsError):
        _write(path, os.O_EXCL | os.O_APPEND, f"# Daily log, {local:%Y-%m-%d}\n\n")
    text = " ".join(memory.text.split())
    if len(text) > LINE_CHARACTERS:
        text = text[: LINE_CHARACTERS - 1] + "…"
    _write(path, os.O_APPEND, f"- **{local:%H:%M:%S}** [{memory.kind}] ({' '.join(memory.source.split())}) {text}\n")


def _write(path: Path, how: int, text: str) -> None:
    """One write call, so that lines of several processes do not mix; never through a link, which leads anywhere."""
    regular_files.write_bytes(path, text.encode(), flags=how, mode=0o600)
