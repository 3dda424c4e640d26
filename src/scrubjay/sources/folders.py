"""Looking through a folder: what belongs to a source, and nothing that lies outside of its root."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from scrubjay.documents import Skipped, Source
from scrubjay.errors import ScrubjayError
from scrubjay.project import above
from scrubjay.sources import Listed, Listing

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    Rules: TypeAlias = tuple[tuple[str, GitIgnoreSpec], ...]  # what each folder's .gitignore says, outermost first

__all__ = ["UNSETTLED", "inside", "look", "opened", "read_bytes", "settled"]

IGNORE_FILE = ".gitignore"
TOO_LARGE = "It has {:,} bytes; files over {:,} are left out (sync.max_file_bytes)."
OUTSIDE = "It leads out of the source's folder."
UNSETTLED = 0  # the time of a document that is to be read again
OPEN_FLAGS = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"))
TICK, SECOND = 20_000_000, 1_000_000_000  # nanoseconds; some file systems count only (every other) second


def look(source: Source, most_bytes: int) -> Listing:
    """Walk a source's folder. A folder that cannot be read hides nothing that was known."""
    root = Path(source.root)
    if not root.is_dir():
        raise ScrubjayError(f"{root} is not there; bring it back, or `scrubjay sources remove {source.name}`.")
    walk = Walk(source, root.resolve(), most_bytes)
    walk.through(_rules_above(root) if not source.ignored else ())
    documents = sorted(walk.found.values(), key=lambda listed: (listed.mtime, listed.name))
    return Listing(documents, walk.skipped, tuple(walk.unseen))


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
        with open(os.open(path, OPEN_FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ScrubjayError("It is no ordinary file.")
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
        self._source = source
        self._root = root
        self._most_bytes = most_bytes
        self._visited: set[str] = set()
        self._include = _patterns(source.include)
        self._exclude = _patterns(source.exclude)

    def through(self, rules: Rules) -> None:
        """Folders first, then links to folders, then to files: one is known by its own name rather than a link's."""
        folders: list[tuple[str, str, Rules]] = [(str(self._root), "", rules)]
        links: list[tuple[str, str, Rules]] = []
        linked: list[tuple[str, str]] = []
        while folders or links:
            folder, below, rules = (folders or links).pop()
            real = os.path.realpath(folder)
            if real in self._visited:
                continue
            self._visited.add(real)
            rules = rules if self._source.ignored else (*rules, *_rules_in(folder))
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

    def _entries(self, folder: str, below: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                visible = [entry for entry in entries if not entry.name.startswith(".")]
        except OSError as problem:
            self.unseen.append(f"{self._source.name}/{below}")
            self.skipped.append(Skipped(_told(folder), f"It cannot be looked into ({problem.strerror})."))
            return []
        return sorted(visible, key=lambda entry: (entry.is_symlink(), entry.name))

    def _belongs(self, entry: os.DirEntry[str], name: str, rules: Rules) -> bool:
        path = f"{name}/" if entry.is_dir() else name
        if self._exclude.match_file(path) or _is_ignored(rules, entry):
            return False
        wanted = entry.is_dir() or self._include.match_file(name)
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
            self.skipped.append(Skipped(path, f"It cannot be read ({problem.strerror})."))
        else:
            if not stat.S_ISREG(status.st_mode):
                return
            if status.st_size > self._most_bytes:
                self.skipped.append(Skipped(path, TOO_LARGE.format(status.st_size, self._most_bytes)))
                return
            self.found[real] = Listed(f"{self._source.name}/{name}", real, status.st_mtime_ns, status.st_size)


def _patterns(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)


def _rules_in(folder: str) -> Rules:
    try:
        with open(os.path.join(folder, IGNORE_FILE), encoding="utf-8", errors="replace") as file:
            return ((folder, _patterns(file.read().splitlines())),)
    except OSError:
        return ()


def _rules_above(root: Path) -> Rules:
    """What the repository around a folder says about it."""
    git = above(root, ".git")
    if git is None or git.parent == root:
        return ()
    between = [folder for folder in reversed(root.parents) if folder.is_relative_to(git.parent)]
    return tuple(rule for folder in between for rule in _rules_in(str(folder)))


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
