"""Where git would read a repository's data: a `.git` can point to other folders in several ways."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from scrubjay.files import regular_files

__all__ = ["git_data_is_inside"]

MAX_BYTES = 1_000_000
POINTER = "gitdir:"
WORKTREE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)


def git_data_is_inside(folder: Path, root: Path) -> bool:
    """Whether git would read data only from inside `folder`, or from a repository that lists `root` as its own worktree
    or submodule."""
    git = root / ".git"
    git_folder = git if git.is_dir() else git.parent / _text(git).removeprefix(POINTER).strip()
    if not git.is_dir() and _lists_as_its_own(git_folder, git):
        return True
    inside = os.path.realpath(folder)
    return all(Path(os.path.realpath(path)).is_relative_to(inside) for path in _folders_read_by_git(git_folder))


def _lists_as_its_own(git_folder: Path, git: Path) -> bool:
    """Whether the git folder that `git` points to names `git` in return."""
    of_worktree = _text(git_folder / "gitdir").strip()
    of_submodule = [found + "/.git" for found in WORKTREE.findall(_text(git_folder / "config"))]
    listed = [of_worktree, *of_submodule] if of_worktree else of_submodule
    return os.path.realpath(git) in [os.path.realpath(git_folder / path) for path in listed]


def _folders_read_by_git(git_folder: Path) -> Iterator[Path]:
    """The git folder and every path by which git leaves it: links, the folder that worktrees share, object folders."""
    yield git_folder
    yield git_folder / _text(git_folder / "commondir").strip()
    for folder in (git_folder, git_folder / "objects", git_folder / "refs"):
        with suppress(OSError):
            yield from (folder / name for name in os.listdir(folder) if (folder / name).is_symlink())
    for line in _text(git_folder / "objects" / "info" / "alternates").splitlines():
        yield git_folder / "objects" / line.strip('"')


def _text(path: Path) -> str:
    with suppress(OSError, ValueError):
        return regular_files.read_text(path, MAX_BYTES, follow=True, errors="replace")
    return ""
