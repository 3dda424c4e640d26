"""Whether what a memory cites is still as it was: FRESH, STALE (and what changed) or GONE.

Cheap: a file whose size and time are as they were is not read, and what was compared once is not compared again.
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from scrubjay.errors import ScrubjayError
from scrubjay.files import regular_files
from scrubjay.files.git_folders import first_irregular
from scrubjay.memory.connections.citations import (
    GIT_SECONDS,
    MARK_CHARACTERS,
    MAX_BYTES,
    lines_of,
    marked,
    settled,
    work_root,
)
from scrubjay.memory.view import View
from scrubjay.stores.contract import SourceFile
from scrubjay.text.plural import counted
from scrubjay.types import Memory
from scrubjay.types.answers import Cited, CitedState
from scrubjay.types.memories import COMMIT, Citation

__all__ = ["Cite", "citing"]

Cite = Callable[[Memory, SourceFile | None], tuple[Cited, ...]]  # of a memory, and of what it was cut from
Found = tuple[CitedState, str]

KNOWN = 2_000  # comparisons that are remembered
NO_FILE, NO_COMMIT, NO_BRANCH = "it is not there", "it is not there", "no branch or tag has it any more"
CANNOT_BE_READ = "it cannot be read ({})"
REFS = ("HEAD", "packed-refs", "logs/HEAD", "refs/tags")


class Comparisons:
    """What was found last, by what was compared: for the same file, size and time it is the same again."""

    def __init__(self) -> None:
        self._found: OrderedDict[object, Found] = OrderedDict()
        self._lock = Lock()

    def get(self, key: object, compare: Callable[[], Found]) -> Found:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        found = compare()
        with self._lock:
            self._found[key] = found
            while len(self._found) > KNOWN:
                self._found.popitem(last=False)
        return found


COMPARISONS = Comparisons()


def citing(view: View) -> Cite:
    """A function that tells how what a memory cites, and what it was cut from, has changed."""

    def cite(memory: Memory, source: SourceFile | None = None) -> tuple[Cited, ...]:
        if not memory.cites and source is None:
            return ()
        within = view.store.documents.within
        of_this_project = view.project is not None and memory.project == view.project
        own = work_root(view.folder) if view.folder and memory.cites and of_this_project else None
        found = [Cited(one, *_state(one, own or one.root, within)) for one in memory.cites]
        if source is not None and _may_be_read(source.path, within):
            found.append(Cited(Citation(source.name, memory.lines), *_source_state(memory, source)))
        return tuple(found)

    return cite


def _state(citation: Citation, root: str, within: Path | None) -> Found:
    if not _may_be_read(root, within):
        return "GONE", f"{root} lies outside of the project"
    if citation.what.startswith(COMMIT):
        return _commit_state(root, citation.what.removeprefix(COMMIT))
    return _file_state(citation, root)


def _may_be_read(path: str, within: Path | None) -> bool:
    """A project's own memory may look at nothing outside of the project."""
    return within is None or Path(os.path.realpath(path)).is_relative_to(os.path.realpath(within))


# Files


def _file_state(citation: Citation, root: str) -> Found:
    path = os.path.join(root, citation.what)
    try:
        status = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):
        return "GONE", NO_FILE
    if citation.mtime and (status.st_size, status.st_mtime_ns) == (citation.size, citation.mtime):
        return "FRESH", ""
    if not (time := settled(status)):
        return _compared(citation, root, path)
    return COMPARISONS.get((path, status.st_size, time, citation), lambda: _compared(citation, root, path))


def _compared(citation: Citation, root: str, path: str) -> Found:
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        return "GONE", "it leads out of the project"
    try:
        lines = lines_of(regular_files.read_bytes(path, MAX_BYTES))
    except OSError as problem:
        return "STALE", CANNOT_BE_READ.format(problem.strerror)
    first, last = citation.lines or (1, max(len(lines), 1))
    if marked(lines[first - 1 : last]) == citation.mark:
        return "FRESH", ""
    return _moved(citation, lines) or _changed(citation, lines)


def _moved(citation: Citation, lines: list[bytes]) -> Found | None:
    """The same lines at another place; of several such places, the nearest."""
    if citation.lines is None or _has_one_mark(citation):
        return None
    marks = [marked([line]) for line in lines]
    wanted = _split(citation.mark)
    first, number = citation.lines[0], len(wanted)
    places = [start for start in range(len(marks) - number + 1) if marks[start : start + number] == wanted]
    if not places:
        return None
    place = min(places, key=lambda start: abs(start + 1 - first)) + 1
    return "FRESH", f"now lines {place}-{place + number - 1}"


def _changed(citation: Citation, lines: list[bytes]) -> Found:
    if citation.lines and citation.lines[0] > len(lines):
        return "GONE", f"the file has only {counted(len(lines), 'line')} now"
    if _has_one_mark(citation):
        return "STALE", "it has changed"
    wanted = _split(citation.mark)
    lost = sum((Counter(wanted) - Counter(marked([line]) for line in lines)).values())
    if not lost:
        return "STALE", "lines were added or moved between them" if citation.lines else "lines were added or moved"
    return "STALE", f"{lost} of {counted(len(wanted), 'line')} changed"


def _has_one_mark(citation: Citation) -> bool:
    """Whether all lines have one mark together: there were too many for one each."""
    first, last = citation.lines or (0, -1)
    number = last - first + 1
    return len(citation.mark) != number * MARK_CHARACTERS if citation.lines else len(citation.mark) == 16


def _split(mark: str) -> list[str]:
    return [mark[start : start + MARK_CHARACTERS] for start in range(0, len(mark), MARK_CHARACTERS)]


# What a passage or a turn was cut from


def _source_state(memory: Memory, source: SourceFile) -> Found:
    try:
        status = os.stat(source.path)
    except (OSError, ValueError):
        return "GONE", NO_FILE
    if (status.st_size, status.st_mtime_ns) == (source.size, source.mtime):
        return "FRESH", ""
    if memory.kind == "turn":  # a transcript only grows
        return ("FRESH", "") if status.st_size >= source.size else ("STALE", "the transcript was written anew")
    if not (time := settled(status)):
        return _passage_state(memory, source)
    key = (source.path, status.st_size, time, memory.id, memory.text)
    return COMPARISONS.get(key, lambda: _passage_state(memory, source))


def _passage_state(memory: Memory, source: SourceFile) -> Found:
    if not Path(os.path.realpath(source.path)).is_relative_to(os.path.realpath(source.root)):
        return "GONE", "it leads out of its source"
    try:
        text = regular_files.read_bytes(source.path, MAX_BYTES, follow=True).decode("utf-8", "replace")
    except OSError as problem:
        return "STALE", CANNOT_BE_READ.format(problem.strerror)
    own = [line for line in memory.text.splitlines() if line.strip() and "[redacted: " not in line]
    lost = sum(line.strip() not in text for line in own)
    return ("STALE", f"{lost} of {counted(len(own), 'line')} changed; sync reads it again") if lost else ("FRESH", "")


# Commits


def _commit_state(root: str, commit: str) -> Found:
    now = _refs(root)
    if now is None:
        return "GONE", "there is no repository"
    return COMPARISONS.get((root, commit, now), lambda: _compared_commit(Path(root), commit))


def _refs(root: str) -> object:
    """What changes whenever a branch, a tag or the head does; None where there is no repository."""
    git = os.path.join(root, ".git")
    if not os.path.isdir(git):
        return object() if os.path.isfile(git) else None  # of another worktree: asked anew each time
    folders = [folder for folder, _, _ in os.walk(os.path.join(git, "refs", "heads"))]
    places = [*(os.path.join(git, name) for name in REFS), *folders]
    return tuple((place, _time(place)) for place in places)


def _time(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _compared_commit(root: Path, commit: str) -> Found:
    from scrubjay.project.git import run_git  # few memories cite a commit

    try:
        if first_irregular(root):
            return "STALE", CANNOT_BE_READ.format("its repository has files that are none")
        held = run_git(root, ("for-each-ref", "--count=1", "--format=%(refname)", f"--contains={commit}"), GIT_SECONDS)
        if held.returncode:
            return "GONE", NO_COMMIT
        is_held = bool(held.output.strip())
        is_held = is_held or not run_git(root, ("merge-base", "--is-ancestor", commit, "HEAD"), GIT_SECONDS).returncode
    except ScrubjayError as problem:
        return "STALE", CANNOT_BE_READ.format(problem)
    return ("FRESH", "") if is_held else ("STALE", NO_BRANCH)
