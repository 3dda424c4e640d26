"""Which memories belong to files at hand: their patterns match, or they cite the file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrubjay.agents.session_start import Candidate
from scrubjay.errors import Invalid
from scrubjay.files import patterns
from scrubjay.files.regular_files import LONGEST_PATH
from scrubjay.memory.connections.citations import NO_FOLDER, work_root
from scrubjay.memory.view import View
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import TRUST, Memory

__all__ = ["file_candidates"]

MOST_FILES = 100


def file_candidates(view: View, files: Sequence[str]) -> list[Candidate]:
    """The memories that belong to any of these files, the most trusted and important first."""
    names = _names(view, files)
    found: list[Candidate] = []
    for memory in view.store.memories.of_files(view.space, view.clock()):
        if memory.project in (None, view.project) and (name := _first_match(memory, names)):
            found.append((memory, f"for {name}"))
    return sorted(found, key=lambda one: (-TRUST.index(one[0].trust), -one[0].importance, -one[0].id))


def _first_match(memory: Memory, names: Sequence[str]) -> str | None:
    cited = {one.what for one in memory.cites}
    matcher = patterns.compiled(memory.paths)
    return next((name for name in names if name in cited or matcher.match_file(name)), None)


def _names(view: View, files: Any) -> list[str]:
    """The paths of files below the root of the project; they need not be there."""
    if isinstance(files, str) or not isinstance(files, Sequence) or not all(isinstance(file, str) for file in files):
        raise Invalid('files must be a list of paths, e.g. ["src/auth/login.py"].')
    if len(files) > MOST_FILES:
        raise Invalid(f"Give at most {MOST_FILES} files at a time, not {len(files):,}.")
    if view.folder is None:
        raise Invalid(NO_FOLDER.replace("be cited", "be told about files"))
    root = work_root(view.folder)
    return list(dict.fromkeys(_below(root, view.folder, file) for file in files))


def _below(root: str, folder: Path, file: str) -> str:
    if not file.strip() or "\0" in file or len(file) > LONGEST_PATH:
        raise Invalid(f"{quoted(file)} is no path of a file.")
    places = [os.path.normpath(os.path.join(start, file)) for start in (os.path.realpath(folder), root)]
    place = next((one for one in places if os.path.lexists(one)), places[-1])
    if not Path(place).is_relative_to(root):
        raise Invalid(f"{file[:100]} lies outside of {root}; give files of the project.")
    return Path(place).relative_to(root).as_posix()
