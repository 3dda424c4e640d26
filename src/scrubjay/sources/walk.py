"""Walk through a folder: find the files of a source, and nothing outside of its root."""

from __future__ import annotations

import os
import shlex
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from scrubjay.errors import ScrubjayError
from scrubjay.files import patterns, regular_files
from scrubjay.project.identity import above
from scrubjay.sources import Listed, Listing, TooManyFiles
from scrubjay.types.documents import Skipped, Source
from scrubjay.types.limits import LARGEST_INTEGER

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    Rules: TypeAlias = tuple[tuple[str, GitIgnoreSpec], ...]  # the .gitignore rules of each folder, outermost first

__all__ = ["READ_AGAIN", "inside", "list_files", "modified_at", "opened", "read_bytes", "settled_mtime"]

IGNORE_FILE = ".gitignore"
IGNORE_FILE_BYTES = 100_000
NOT_APPLIED = "Its rules are not applied: {}."
TOO_MANY_RULES = f"with them, this source would have more than {patterns.MAX_PATTERNS:,}"
NEVER_ENTERED = (".git", ".scrubjay")
MAX_DEPTH = 100  # folders within folders
TOO_DEEP = f"It is more than {MAX_DEPTH} folders deep."
NOT_REGULAR = "It is not a regular file."
TOO_LARGE = "It has {:,} bytes; the limit is {:,} (sync.max_file_bytes)."
MISSING = "{} does not exist. Its memories are kept; `scrubjay sources remove {}` would remove them."
OUTSIDE = "It links to something outside of the source's folder."
READ_AGAIN = 0  # as the mtime of a document: it is read again at the next sync
TICK, SECOND = 20_000_000, 1_000_000_000  # nanoseconds; some file systems store times in steps of one or two seconds


def list_files(source: Source, max_bytes: int, most_files: int | None = None) -> Listing:
    """List the files of a source. Documents below a folder that cannot be read do not count as deleted."""
    root = Path(source.root)
    if not root.is_dir():
        raise ScrubjayError(MISSING.format(root, shlex.quote(source.name)))
    if not os.access(root, os.R_OK | os.X_OK):
        raise ScrubjayError(f"{root} cannot be read; allow it, e.g. with chmod.")
    walk = Walk(source, root.resolve(), max_bytes, most_files)
    walk.run()
    documents = sorted(walk.found.values(), key=lambda listed: (listed.mtime, listed.name))
    return Listing(documents, walk.skipped, tuple(walk.unreadable), tuple(walk.hidden))


def inside(root: Path, path: Path) -> Path:
    """The real path of something below a root; raises if it is outside."""
    try:
        real = path.resolve(strict=True)
        real.relative_to(root.resolve())
    except (OSError, RuntimeError) as problem:
        raise ScrubjayError(f"It cannot be read ({getattr(problem, 'strerror', None) or problem}).") from None
    except ValueError:
        raise ScrubjayError(OUTSIDE) from None
    return real


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file by its real path; a pipe or link that has replaced it since the listing is refused."""
    try:
        with regular_files.open_to_read(path) as file:
            yield file
    except OSError as problem:
        raise ScrubjayError(f"It cannot be read ({problem.strerror}).") from None


def modified_at(status: os.stat_result) -> int:
    """When a file was changed, in nanoseconds; of a later time than a store can hold, the last one that it can."""
    return min(max(status.st_mtime_ns, -LARGEST_INTEGER), LARGEST_INTEGER)


def settled_mtime(mtime: int) -> int:
    """Wait until another change of the file would get another time, so that no change is missed."""
    age = time.time_ns() - mtime
    if mtime % SECOND == 0 and 0 <= age < 2 * SECOND:
        return READ_AGAIN  # too long to wait: read it again at the next sync
    if 0 <= age < TICK:
        time.sleep((TICK - age) / SECOND)
    return mtime


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """A file's content."""
    with opened(path) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ScrubjayError(TOO_LARGE.format(path.stat().st_size, max_bytes))
    return data


class Walk:
    """One walk through a folder. Files are collected by real path, so that none is found twice."""

    def __init__(self, source: Source, root: Path, max_bytes: int, most_files: int | None) -> None:
        self.found: dict[str, Listed] = {}
        self.skipped: list[Skipped] = []
        self.unreadable: list[str] = []
        self.hidden: list[str] = []  # files and folders skipped because their names begin with a dot
        self._source = source
        self._root = root
        self._most_bytes = max_bytes
        self._files_left = most_files
        self._visited: set[str] = set()
        self._rules_left = patterns.MAX_PATTERNS
        self._include = patterns.compiled(source.include)
        self._exclude = patterns.compiled(source.exclude)
        self._hidden = patterns.hidden_names(source.include)
        self._anchored = patterns.anchored(source.include)

    def run(self) -> None:
        """Folders first, then links to folders, then links to files: a file keeps its own name rather than a link's."""
        folders: list[tuple[str, str, Rules]] = [(str(self._root), "", self._rules_above())]
        linked_folders: list[tuple[str, str, Rules]] = []
        linked_files: list[tuple[str, str]] = []
        while folders or linked_folders:
            folder, below, rules = (folders or linked_folders).pop()
            if not self._is_new(folder, below):
                continue
            rules = (*rules, *self._rules_in(folder))
            for entry in self._entries(folder, below):
                name = below + entry.name
                if self._has_nothing(entry, name) or not self._is_wanted(entry, name, rules):
                    continue
                if entry.is_dir():
                    (linked_folders if entry.is_symlink() else folders).append((entry.path, f"{name}/", rules))
                elif entry.is_symlink():
                    linked_files.append((entry.path, name))
                else:
                    self._add_file(entry.path, name)
        for path, name in linked_files:
            self._add_file(path, name)

    def _is_new(self, folder: str, below: str) -> bool:
        real = os.path.realpath(folder)
        if real in self._visited:
            return False
        self._visited.add(real)
        if below.count("/") > MAX_DEPTH:
            self._skip(folder, below, TOO_DEEP)
            return False
        return True

    def _entries(self, folder: str, below: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                found = [entry for entry in self._counted(entries) if entry.name not in NEVER_ENTERED]
        except OSError as problem:
            self._skip(folder, below, f"It cannot be read ({problem.strerror}).")
            return []
        readable = [entry for entry in found if self._is_readable(entry, below + entry.name)]
        return sorted(readable, key=lambda entry: (entry.is_symlink(), entry.name))

    def _counted(self, entries: Iterator[os.DirEntry[str]]) -> list[os.DirEntry[str]]:
        if self._files_left is None:
            return list(entries)
        found = list(islice(entries, self._files_left + 1))
        self._files_left -= len(found)
        if self._files_left < 0:
            raise TooManyFiles
        return found

    def _is_readable(self, entry: os.DirEntry[str], name: str) -> bool:
        """Whether its type can be read; a link may point to itself, or to a folder that may not be read."""
        try:
            entry.is_dir()
        except OSError as problem:
            if not self._exclude.match_file(name) and not entry.name.startswith("."):
                self._skip(entry.path, name, f"It cannot be read ({problem.strerror}).")
            return False
        return True

    def _has_nothing(self, entry: os.DirEntry[str], name: str) -> bool:
        """A folder that no pattern leads into: a source of one file in a large folder is read quickly."""
        return bool(self._anchored) and entry.is_dir() and not patterns.leads_into(self._anchored, name)

    def _is_wanted(self, entry: os.DirEntry[str], name: str, rules: Rules) -> bool:
        path = f"{name}/" if entry.is_dir() else name
        if self._exclude.match_file(path) or _is_ignored(rules, entry):
            return False
        wanted = entry.is_dir() or self._include.match_file(name)
        if wanted and entry.name.startswith(".") and not self._hidden.match_file(entry.name):
            self.hidden.append(_printable(path))
            return False
        if wanted and entry.is_symlink() and not _points_inside(self._root, entry.path):
            self.skipped.append(Skipped(_printable(entry.path), OUTSIDE))
            return False
        return wanted

    def _add_file(self, path: str, name: str) -> None:
        real = os.path.realpath(path)
        if real in self.found:
            return
        try:
            name.encode()
            status = os.stat(real)
        except UnicodeEncodeError:
            self.skipped.append(Skipped(_printable(path), "Its name is not UTF-8; rename it."))
        except OSError as problem:
            self._skip(path, name, f"It cannot be read ({problem.strerror}).")
        else:
            if not stat.S_ISREG(status.st_mode):
                self._skip(path, name, NOT_REGULAR)
            elif status.st_size > self._most_bytes:
                self._skip(path, name, TOO_LARGE.format(status.st_size, self._most_bytes))
            else:
                self.found[real] = Listed(f"{self._source.name}/{name}", real, modified_at(status), status.st_size)

    def _skip(self, path: str, name: str, reason: str) -> None:
        """Skip what cannot be read; its documents, and those below it, do not count as deleted."""
        self.unreadable.append(f"{self._source.name}/{name}")
        self.skipped.append(Skipped(_printable(path), reason))

    def _rules_in(self, folder: str) -> Rules:
        """The rules of a folder's .gitignore. As in git, a link is not followed."""
        if self._source.ignored:
            return ()
        path = os.path.join(folder, IGNORE_FILE)
        try:
            lines = regular_files.read_text(path, IGNORE_FILE_BYTES, errors="replace").splitlines()
        except FileNotFoundError:
            return ()
        except OSError as problem:
            self.skipped.append(Skipped(_printable(path), NOT_APPLIED.format(problem.strerror)))
            return ()
        lines = [line for line in lines if patterns.is_meant_as_pattern(line)]
        if len(lines) > self._rules_left:
            self.skipped.append(Skipped(_printable(path), NOT_APPLIED.format(TOO_MANY_RULES)))
            return ()
        self._rules_left -= len(lines)
        if bad := sum(not patterns.usable(line) for line in lines):
            self.skipped.append(Skipped(_printable(path), f"{bad} of its lines are not valid patterns."))
        return ((folder, patterns.compiled(lines)),)

    def _rules_above(self) -> Rules:
        """The rules of the repository that the root is in."""
        git = above(self._root, ".git")
        if git is None or git.parent == self._root:
            return ()
        between = [folder for folder in reversed(self._root.parents) if folder.is_relative_to(git.parent)]
        return tuple(rule for folder in between for rule in self._rules_in(str(folder)))


def _is_ignored(rules: Rules, entry: os.DirEntry[str]) -> bool:
    """The innermost .gitignore with a matching rule decides."""
    for folder, spec in reversed(rules):
        path = os.path.relpath(entry.path, folder).replace(os.sep, "/")
        verdict = spec.check_file(f"{path}/" if entry.is_dir() else path).include
        if verdict is not None:
            return verdict
    return False


def _printable(path: str) -> str:
    """A path that can be printed: file names may be any bytes."""
    return path.encode("utf-8", "backslashreplace").decode()


def _points_inside(root: Path, path: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(root)
