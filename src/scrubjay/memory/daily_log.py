"""The daily log: a Markdown file per day and space, a line per new memory. It never fails an add."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from scrubjay.files import private_files, regular_files
from scrubjay.text.safe_text import one_line
from scrubjay.types import DEFAULT_SPACE, Memory

__all__ = ["append", "files", "folder_of"]

LINE_CHARACTERS = 200
ESCAPED = re.compile(r"[^a-z0-9._@+-]")


def append(folder: Path, memories: Iterable[Memory]) -> None:
    """Write what was remembered, in local time; what came from files is in those files already."""
    with suppress(OSError, RuntimeError, ValueError):  # the last two: no such home, no such name
        for memory in memories:
            if not memory.source.startswith("file:"):
                own = folder_of(folder.expanduser(), memory.space)
                private_files.make_folder(own)
                _append_line(own, memory)


def folder_of(folder: Path, space: str) -> Path:
    """Where the log of a space lies: a space is nobody else's to read, so each but the default one has a folder.

    Capital letters are escaped, too: where file names ignore case, "Work" and "work" are still two spaces.
    """
    if space == DEFAULT_SPACE:
        return folder
    return folder / "spaces" / ESCAPED.sub(lambda found: f"%{found[0].encode().hex()}", space)


def files(folder: Path) -> list[Path]:
    """The logs that were written there."""
    with suppress(OSError, RuntimeError):
        return sorted(folder.expanduser().rglob("[0-9]" * 4 + "-[0-9][0-9]" * 2 + ".md"))
    return []


def _append_line(folder: Path, memory: Memory) -> None:
    local = memory.created_at.astimezone()
    path = folder / f"{local:%Y-%m-%d}.md"
    if not path.is_symlink() and private_files.create(path):
        _write(path, f"# Daily log, {local:%Y-%m-%d}\n\n")
    text = one_line(memory.text)
    if len(text) > LINE_CHARACTERS:
        text = text[: LINE_CHARACTERS - 1] + "…"
    about = one_line(f"[{memory.kind}] ({memory.source})")
    _write(path, f"- **{local:%H:%M:%S}** {about} {text}\n")


def _write(path: Path, text: str) -> None:
    """One write call, so that lines of several processes do not mix; never through a link, which leads anywhere."""
    regular_files.write_bytes(path, text.encode(), flags=os.O_APPEND, mode=private_files.FILE_MODE)
