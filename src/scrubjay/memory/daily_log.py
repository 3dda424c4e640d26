"""The daily log: a Markdown file per day and space, a line per new memory. It never fails an add."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import UTC, timedelta
from pathlib import Path
from typing import NamedTuple

from scrubjay.dates.timestamps import in_local_time
from scrubjay.files import private_files, regular_files
from scrubjay.text.safe_text import one_line
from scrubjay.types import DEFAULT_SPACE, Memory

__all__ = ["RemovedLines", "append", "files", "folder_of", "remove"]

LINE_CHARACTERS = 200
MOST_BYTES = 100_000_000  # of one day
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


class RemovedLines(NamedTuple):
    """How many lines were removed, and the files that could not be read or changed, each with the reason."""

    lines: int
    failed: list[str]


def remove(folder: Path, memories: Iterable[Memory]) -> RemovedLines:
    """Remove the lines of memories that are forgotten.

    They may have been written in another time zone, where it was another hour or another day.
    """
    gone: dict[Path, set[tuple[str, str]]] = {}
    for memory in memories:
        own, line = folder_of(folder.expanduser(), memory.space), (_in_any_zone(memory), f" {_cut(memory.text)}")
        for days in (-1, 0, 1):
            with suppress(OverflowError):  # no day is before the first one, or after the last
                day = memory.created_at.astimezone(UTC) + timedelta(days=days)
                gone.setdefault(own / f"{day:%Y-%m-%d}.md", set()).add(line)
    removed, failed = 0, list[str]()
    for path, lines in gone.items():
        try:
            removed += _remove_lines(path, lines)
        except (FileNotFoundError, NotADirectoryError):  # nothing was remembered on that day
            continue
        except OSError as problem:
            failed.append(f"{path} ({problem.strerror})")
    return RemovedLines(removed, failed)


def _remove_lines(path: Path, lines: Collection[tuple[str, str]]) -> int:
    """Any other line stays as it is, also one that is no UTF-8."""
    before = regular_files.read_text(path, MOST_BYTES, errors="surrogateescape").splitlines(keepends=True)
    after = [line for line in before if not any(_is_line(line, *one) for one in lines)]
    if len(after) < len(before):
        private_files.write(path, "".join(after).encode("utf-8", "surrogateescape"))
    return len(before) - len(after)


def _in_any_zone(memory: Memory) -> str:
    """A pattern for how its line begins: zones differ by quarters of an hour."""
    at = memory.created_at
    minutes = "|".join(f"{at.minute % 15 + quarter:02}" for quarter in (0, 15, 30, 45))
    return rf"- \*\*[0-9]{{2}}:(?:{minutes}):{at.second:02}\*\* "


def _is_line(line: str, beginning: str, text: str) -> bool:
    return line.removesuffix("\n").endswith(text) and re.match(beginning, line) is not None


def _cut(text: str) -> str:
    shown = one_line(text)
    return shown if len(shown) <= LINE_CHARACTERS else shown[: LINE_CHARACTERS - 1] + "…"


def _append_line(folder: Path, memory: Memory) -> None:
    local = in_local_time(memory.created_at)
    path = folder / f"{local:%Y-%m-%d}.md"
    if not path.is_symlink() and private_files.create(path):
        _write(path, f"# Daily log, {local:%Y-%m-%d}\n\n")
    text = _cut(memory.text)
    about = one_line(f"[{memory.kind}] ({memory.source})")
    _write(path, f"- **{local:%H:%M:%S}** {about} {text}\n")


def _write(path: Path, text: str) -> None:
    """One write call, so that lines of several processes do not mix; never through a link, which leads anywhere."""
    regular_files.append_bytes(path, text.encode())
