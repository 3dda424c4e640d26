"""What a memory cites: lines of a file, a whole file, or a commit, marked as they are when the memory is stored."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.files import regular_files
from scrubjay.files.git_folders import first_irregular
from scrubjay.project.identity import above
from scrubjay.text.plural import counted
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import limits
from scrubjay.types.memories import COMMIT, Citation

__all__ = ["GIT_SECONDS", "MARK_CHARACTERS", "checked", "lines_of", "marked", "settled", "take", "work_root"]

LINES = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?", re.DOTALL)
HASH = re.compile(rf"(?:{COMMIT})?(?P<hash>[0-9a-f]{{7,40}})")
MAX_BYTES = 5_000_000  # of a file that is cited
MARKED_LINES = 400  # more have one mark for all of them
MARK_CHARACTERS = 6  # of the mark of one line
SETTLED_NS = 2_000_000_000  # a file that was changed later than this before it was read may change within one tick
GIT_SECONDS = 3
HOW = "write e.g. src/auth.py:40-60, src/auth.py or the hash of a commit"
NO_FOLDER = "Nothing can be cited here: this memory is not used in a folder of yours."


def checked(value: Any) -> tuple[str | Citation, ...]:
    """What a caller gave, as far as it can be checked without looking at files."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Invalid('cites must be a list, e.g. ["src/auth.py:40-60"].')
    limits.check_cites(value)
    for one in value:
        if not isinstance(one, Citation) and not _is_written_well(one):
            raise Invalid(f"{quoted(one)} cannot be cited; {HOW}.")
    return tuple(dict.fromkeys(value))


def _is_written_well(one: Any) -> bool:
    if not isinstance(one, str) or not 1 <= len(one.strip()) <= limits.CITE_CHARACTERS:
        return False
    return one.isprintable() and one == one.strip()


def take(folder: Path | None, cites: Sequence[str | Citation]) -> tuple[Citation, ...]:
    """Citations of files and commits as they are now; raises `Invalid` for what is not in the project."""
    return tuple(one if isinstance(one, Citation) else _taken(folder, one) for one in cites)


def work_root(folder: Path) -> str:
    """The folder that paths are cited below: that of the repository, else the one where the work is."""
    here = os.path.realpath(folder)
    git = above(Path(here), ".git")
    return here if git is None else str(git.parent)


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a file, whatever their ends; blanks at an end do not count."""
    lines = [line.rstrip() for line in data.split(b"\n")]
    return lines if lines[-1] else lines[:-1]


def marked(lines: Sequence[bytes]) -> str:
    """A short hash for each line, or one for all where there are many."""
    if len(lines) > MARKED_LINES:
        return blake2b(b"\n".join(lines), digest_size=8).hexdigest()
    return "".join(blake2b(line, digest_size=MARK_CHARACTERS // 2).hexdigest() for line in lines)


def settled(status: os.stat_result) -> int:
    """When a file was changed, in nanoseconds; 0 if it was just now, so that another change might get the same time."""
    return 0 if abs(time.time_ns() - status.st_mtime_ns) < SETTLED_NS else status.st_mtime_ns


def _taken(folder: Path | None, cited: str) -> Citation:
    if folder is None:
        raise Invalid(NO_FOLDER)
    root = work_root(folder)
    lines = LINES.fullmatch(cited)
    path, first, last = (lines["path"], lines["first"], lines["last"]) if lines else (cited, None, None)
    commit = HASH.fullmatch(cited)
    if commit and (cited.startswith(COMMIT) or not os.path.lexists(os.path.join(folder, cited))):
        return _commit(root, commit["hash"])
    name = _below(root, folder, path)
    return _file(root, name, None if first is None else (int(first), int(last or first)))


def _below(root: str, folder: Path, path: str) -> str:
    """The path below the root: a relative one begins where the work is, or else at the root."""
    if "\0" in path or len(path) > regular_files.LONGEST_PATH:
        raise Invalid(f"{quoted(path)} is no path; {HOW}.")
    places = [os.path.join(start, path) for start in (folder, root)]
    found = next((place for place in places if os.path.lexists(place)), places[-1])
    real = os.path.realpath(found)
    if not Path(real).is_relative_to(root):
        raise Invalid(f"{path[:100]} lies outside of {root}; only files of the project can be cited.")
    if not os.path.isfile(real):
        raise Invalid(f"There is no file {path[:100]} in {root}; cite one that is there.")
    return Path(real).relative_to(root).as_posix()


def _file(root: str, name: str, lines: tuple[int, int] | None) -> Citation:
    path = os.path.join(root, name)
    try:
        status = os.stat(path)
        every = lines_of(regular_files.read_bytes(path, MAX_BYTES))
    except OSError as problem:
        raise Invalid(f"{name} cannot be cited: {problem.strerror}.") from None
    first, last = lines or (1, len(every))
    if lines and not 1 <= first <= last <= len(every):
        raise Invalid(f"{name} has {counted(len(every), 'line')}; {first}-{last} cannot be cited.")
    return Citation(name, lines, root, marked(every[first - 1 : last]), status.st_size, settled(status))


def _commit(root: str, short: str) -> Citation:
    from scrubjay.project.git import run_git  # few memories cite a commit

    try:
        irregular = first_irregular(Path(root))
        found = None if irregular else run_git(Path(root), _verify(short), GIT_SECONDS)
    except ScrubjayError as problem:
        raise Invalid(f"Commit {short} cannot be cited: {problem}") from None
    if found is None or found.returncode:
        raise Invalid(f"There is no commit {short} in {root}; cite one that is there.")
    return Citation(f"{COMMIT}{found.output.decode().strip()}", None, root)


def _verify(short: str) -> tuple[str, ...]:
    return ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{short}^{{commit}}")
