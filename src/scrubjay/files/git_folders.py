"""Where git would read a repository's data: a `.git` can point to other folders in several ways."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from scrubjay.files import regular_files

__all__ = ["first_irregular", "git_data_is_inside"]

MAX_BYTES = 1_000_000
POINTER = "gitdir:"
INCLUDED = re.compile(r"(?im)(?:^|\])[ \t]*path[ \t]*=[ \t]*(\S.*)")  # another file with settings
WORKTREE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*(\S.*)", re.MULTILINE)
# The folders of a repository in which git opens files to read its history; `refs` has more folders in it.
READ_BY_GIT = ("", "info", "objects", "objects/info", "objects/pack")
SETTINGS = ("config", "config.worktree")
LOOSE = re.compile("[0-9a-f]{2}")  # folders of single objects
MOST_INCLUDED = 100  # files with settings that others name
ALTERNATES = "objects/info/alternates"  # a list of other folders with objects, which may have such lists, too


def git_data_is_inside(folder: Path, root: Path) -> bool:
    """Whether git would read data only from inside `folder`, or from a repository that lists `root` as its own worktree
    or submodule. No path in the repository that is read may lead to another one."""
    own, shared = _own(root), _shared(root)
    is_known = _is_within(own, folder) or _lists_as_its_own(own, root / ".git")
    is_its_own = _is_within(shared, folder) or shared == own or shared / "worktrees" == own.parent
    return is_known and is_its_own and not any(_leads_out(place, (folder, own, shared)) for place in (own, shared))


def first_irregular(root: Path) -> Path | None:
    """The first file that git would read and that is a pipe, a device or a socket: git might wait for it for ever."""
    if _is_irregular(root / ".git"):
        return root / ".git"
    places = dict.fromkeys((_own(root), _shared(root)))
    read = (path for place in places for path in (*_read_by_git(place), *_included(place)))
    return next((path for path in read if _is_irregular(path)), None)


def _own(root: Path) -> Path:
    """The folder of a repository, or of one of its worktrees."""
    git = root / ".git"
    return _real(git if git.is_dir() else root / _text(git).removeprefix(POINTER).strip())


def _shared(root: Path) -> Path:
    """The folder that all worktrees of a repository share; without any, its only one."""
    own = _own(root)
    return _real(own / _text(own / "commondir").strip())


def _lists_as_its_own(own: Path, git: Path) -> bool:
    """Whether the git folder that `git` points to names `git` in return."""
    of_worktree = _text(own / "gitdir").strip()
    of_submodule = [found.rstrip(" \t") + "/.git" for found in WORKTREE.findall(_text(own / "config"))]
    listed = [path for path in (of_worktree, *of_submodule[-1:]) if path]  # as in git, the last setting holds
    return _real(git) in [_real(own / path) for path in listed]


def _leads_out(place: Path, allowed: tuple[Path, ...]) -> bool:
    """Whether git would read objects or references outside of all these folders."""
    if os.path.lexists(place / ALTERNATES):
        return True
    links = (path for path in _read_by_git(place) if path.is_symlink())
    return any(not any(_is_within(_real(path), folder) for folder in allowed) for path in links)


def _read_by_git(place: Path) -> Iterator[Path]:
    for name in READ_BY_GIT:
        with suppress(OSError):
            yield from map(Path, sorted(entry.path for entry in os.scandir(place / name)))
    for folder, folders, files in os.walk(place / "refs"):
        yield from (Path(folder, name) for name in (*folders, *files))
    yield from _strange_objects(place / "objects")


def _strange_objects(objects: Path) -> Iterator[Path]:
    """Single objects that are no plain files; there may be thousands that are."""
    with suppress(OSError):
        for name in filter(LOOSE.fullmatch, os.listdir(objects)):
            with suppress(OSError):
                yield from (
                    Path(one.path) for one in os.scandir(objects / name) if not one.is_file(follow_symlinks=False)
                )


def _included(place: Path) -> Iterator[Path]:
    """The files that the settings name to be read as well, and those that these name."""
    waiting, seen = [place / name for name in SETTINGS], set[Path]()
    while waiting and len(seen) < MOST_INCLUDED:
        settings = waiting.pop()
        for name in INCLUDED.findall(_text(settings)):
            path = settings.parent / os.path.expanduser(name.rstrip(" \t").replace('"', ""))
            yield path
            if path not in seen:
                seen.add(path)
                waiting.append(path)


def _is_irregular(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:  # nothing, or nothing that git could open
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _is_within(path: Path, folder: Path) -> bool:
    return path.is_relative_to(_real(folder))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(str(path)[: regular_files.LONGEST_PATH]))


def _text(path: Path) -> str:
    """A file's text up to the first NUL, which no path contains; empty if there is no such file."""
    with suppress(OSError, ValueError):
        return regular_files.read_text(path, MAX_BYTES, follow=True, errors="replace").partition("\0")[0]
    return ""
