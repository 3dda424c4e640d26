"""Looking through a folder: what belongs to a source, and nothing that lies outside of its root."""

from __future__ import annotations

import os
import shlex
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from scrubjay.errors import ScrubjayError
from scrubjay.files import regular_files
from scrubjay.project.identity import above
from scrubjay.sources import Listed, Listing, patterns
from scrubjay.types.documents import Skipped, Source

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    Rules: TypeAlias = tuple[tuple[str, GitIgnoreSpec], ...]  # what each folder's .gitignore says, outermost first

__all__ = ["UNSETTLED", "inside", "look", "opened", "read_bytes", "settled"]

IGNORE_FILE = ".gitignore"
IGNORE_FILE_BYTES = 100_000
NOT_APPLIED = "Its rules are not applied: {}."
TOO_MANY_RULES = f"with them there would be more than {patterns.MOST_PATTERNS:,} in this source"
NEVER = (".git", ".scrubjay")  # are looked into
DEEPEST = 100  # folders within folders
TOO_DEEP = f"It lies more than {DEEPEST} folders deep, and is left out."
NOT_REGULAR = "It is not a regular file."
TOO_LARGE = "It has {:,} bytes; files over {:,} are left out (sync.max_file_bytes)."
GONE = "{} is not there. What was read of it is kept; `scrubjay sources remove {}` would forget all of that."
OUTSIDE = "It leads out of the source's folder."
UNSETTLED = 0  # the time of a document that is to be read again
TICK, SECOND = 20_000_000, 1_000_000_000  # nanoseconds; some file systems count only (every other) second


def look(source: Source, most_bytes: int) -> Listing:
    """Walk a source's folder. A folder that cannot be read hides nothing that was known."""
    root = Path(source.root)
    if not root.is_dir():
        raise ScrubjayError(GONE.format(root, shlex.quote(source.name)))
    if not os.access(root, os.R_OK | os.X_OK):
        raise ScrubjayError(f"{root} may not be looked into; allow it, e.g. with chmod.")
    walk = Walk(source, root.resolve(), most_bytes)
    walk.through()
    documents = sorted(walk.found.values(), key=lambda listed: (listed.mtime, listed.name))
    return Listing(documents, walk.skipped, tuple(walk.unseen), tuple(walk.hidden))


def inside(root: Path, path: Path) -> Path:
    """The real path of something below a root; what leads out of it is refused."""
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
    """A file by its real path; a pipe or a link, put there since it was listed, is neither awaited nor followed."""
    try:
        with regular_files.open_to_read(path) as file:
            yield file
    except OSError as problem:
        raise ScrubjayError(f"It cannot be read ({problem.strerror}).") from None


def settled(mtime: int) -> int:
    """Wait out the tick in which a file was changed: in it, it may change again without its time telling."""
    age = time.time_ns() - mtime
    if mtime % SECOND == 0 and 0 <= age < 2 * SECOND:
        return UNSETTLED  # this would be long to wait for: it is read again next time
    if 0 <= age < TICK:
        time.sleep((TICK - age) / SECOND)
    return mtime


def read_bytes(path: Path, most_bytes: int) -> bytes:
    """A file's content."""
    with opened(path) as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise ScrubjayError(TOO_LARGE.format(path.stat().st_size, most_bytes))
    return data


class Walk:
    """One walk through a folder. What it finds is kept by real path, so that nothing is found twice."""

    def __init__(self, source: Source, root: Path, most_bytes: int) -> None:
        self.found: dict[str, Listed] = {}
        self.skipped: list[Skipped] = []
        self.unseen: list[str] = []
        self.hidden: list[str] = []  # files and folders that were left out because of their names
        self._source = source
        self._root = root
        self._most_bytes = most_bytes
        self._visited: set[str] = set()
        self._rules_left = patterns.MOST_PATTERNS
        self._include = patterns.compiled(source.include)
        self._exclude = patterns.compiled(source.exclude)
        self._hidden = patterns.hidden_names(source.include)

    def through(self) -> None:
        """Folders first, then links to folders, then to files: one is known by its own name rather than a link's."""
        folders: list[tuple[str, str, Rules]] = [(str(self._root), "", self._rules_above())]
        links: list[tuple[str, str, Rules]] = []
        linked: list[tuple[str, str]] = []
        while folders or links:
            folder, below, rules = (folders or links).pop()
            if not self._is_new(folder, below):
                continue
            rules = (*rules, *self._rules_in(folder))
            for entry in self._entries(folder, below):
                name = below + entry.name
                if not self._belongs(entry, name, rules):
                    continue
                if entry.is_dir():
                    (links if entry.is_symlink() else folders).append((entry.path, f"{name}/", rules))
                elif entry.is_symlink():
                    linked.append((entry.path, name))
                else:
                    self._take(entry.path, name)
        for path, name in linked:
            self._take(path, name)

    def _is_new(self, folder: str, below: str) -> bool:
        real = os.path.realpath(folder)
        if real in self._visited:
            return False
        self._visited.add(real)
        if below.count("/") > DEEPEST:
            self._leave_out(folder, below, TOO_DEEP)
            return False
        return True

    def _entries(self, folder: str, below: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                found = [entry for entry in entries if entry.name not in NEVER]
        except OSError as problem:
            self._leave_out(folder, below, f"It cannot be looked into ({problem.strerror}).")
            return []
        readable = [entry for entry in found if self._can_be_looked_at(entry, below + entry.name)]
        return sorted(readable, key=lambda entry: (entry.is_symlink(), entry.name))

    def _can_be_looked_at(self, entry: os.DirEntry[str], name: str) -> bool:
        """Whether it can be told what it is; a link may lead in a circle, or to where nobody may look."""
        try:
            entry.is_dir()
        except OSError as problem:
            if not self._exclude.match_file(name) and not entry.name.startswith("."):
                self._leave_out(entry.path, name, f"It cannot be read ({problem.strerror}).")
            return False
        return True

    def _belongs(self, entry: os.DirEntry[str], name: str, rules: Rules) -> bool:
        path = f"{name}/" if entry.is_dir() else name
        if self._exclude.match_file(path) or _is_ignored(rules, entry):
            return False
        wanted = entry.is_dir() or self._include.match_file(name)
        if wanted and entry.name.startswith(".") and not self._hidden.match_file(entry.name):
            self.hidden.append(_told(path))
            return False
        if wanted and entry.is_symlink() and not _leads_into(self._root, entry.path):
            self.skipped.append(Skipped(_told(entry.path), OUTSIDE))
            return False
        return wanted

    def _take(self, path: str, name: str) -> None:
        real = os.path.realpath(path)
        if real in self.found:
            return
        try:
            name.encode()
            status = os.stat(real)
        except UnicodeEncodeError:
            self.skipped.append(Skipped(_told(path), "Its name is not UTF-8; rename it."))
        except OSError as problem:
            self._leave_out(path, name, f"It cannot be read ({problem.strerror}).")
        else:
            if not stat.S_ISREG(status.st_mode):
                self._leave_out(path, name, NOT_REGULAR)
            elif status.st_size > self._most_bytes:
                self._leave_out(path, name, TOO_LARGE.format(status.st_size, self._most_bytes))
            else:
                self.found[real] = Listed(f"{self._source.name}/{name}", real, status.st_mtime_ns, status.st_size)

    def _leave_out(self, path: str, name: str, reason: str) -> None:
        """Pass over what cannot be read; what is known of it, or of what lies below it, is not gone."""
        self.unseen.append(f"{self._source.name}/{name}")
        self.skipped.append(Skipped(_told(path), reason))

    def _rules_in(self, folder: str) -> Rules:
        """What a folder's .gitignore says. As in git, one that is a link is not followed."""
        if self._source.ignored:
            return ()
        path = os.path.join(folder, IGNORE_FILE)
        try:
            lines = regular_files.read_text(path, IGNORE_FILE_BYTES, errors="replace").splitlines()
        except FileNotFoundError:
            return ()
        except OSError as problem:
            self.skipped.append(Skipped(_told(path), NOT_APPLIED.format(problem.strerror)))
            return ()
        lines = [line for line in lines if patterns.says_something(line)]
        if len(lines) > self._rules_left:
            self.skipped.append(Skipped(_told(path), NOT_APPLIED.format(TOO_MANY_RULES)))
            return ()
        self._rules_left -= len(lines)
        if bad := sum(not patterns.usable(line) for line in lines):
            self.skipped.append(Skipped(_told(path), f"{bad} of its lines are no patterns."))
        return ((folder, patterns.compiled(lines)),)

    def _rules_above(self) -> Rules:
        """What the repository around a folder says about it."""
        git = above(self._root, ".git")
        if git is None or git.parent == self._root:
            return ()
        between = [folder for folder in reversed(self._root.parents) if folder.is_relative_to(git.parent)]
        return tuple(rule for folder in between for rule in self._rules_in(str(folder)))


def _is_ignored(rules: Rules, entry: os.DirEntry[str]) -> bool:
    """The innermost .gitignore that says anything about it decides."""
    for folder, spec in reversed(rules):
        path = os.path.relpath(entry.path, folder).replace(os.sep, "/")
        verdict = spec.check_file(f"{path}/" if entry.is_dir() else path).include
        if verdict is not None:
            return verdict
    return False


def _told(path: str) -> str:
    """A path as it can be printed: a name may be any bytes."""
    return path.encode("utf-8", "backslashreplace").decode()


def _leads_into(root: Path, path: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(root)
