"""Where the files of a git repository lie: a `.git` may lead to another folder, in several ways."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from scrubjay.files import regular_files

__all__ = ["history_lies_in"]

MOST_BYTES = 1_000_000
POINTER = "gitdir:"
WORKTREE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)


def history_lies_in(folder: Path, root: Path) -> bool:
    """Whether git reads only what lies in a folder, or in a repository that itself says that this is a worktree of it
    or a submodule."""
    git = root / ".git"
    own = git if git.is_dir() else git.parent / _text(git).removeprefix(POINTER).strip()
    if not git.is_dir() and _says_so_itself(own, git):
        return True
    inside = os.path.realpath(folder)
    return all(Path(os.path.realpath(path)).is_relative_to(inside) for path in _leading_elsewhere(own))


def _says_so_itself(own: Path, git: Path) -> bool:
    of_worktree = _text(own / "gitdir").strip()
    of_submodule = [found + "/.git" for found in WORKTREE.findall(_text(own / "config"))]
    told = [of_worktree, *of_submodule] if of_worktree else of_submodule
    return os.path.realpath(git) in [os.path.realpath(own / path) for path in told]


def _leading_elsewhere(own: Path) -> Iterator[Path]:
    """What git follows to other folders: links, the folder that worktrees share, and more folders of objects."""
    yield own
    yield own / _text(own / "commondir").strip()
    for folder in (own, own / "objects", own / "refs"):
        with suppress(OSError):
            yield from (folder / name for name in os.listdir(folder) if (folder / name).is_symlink())
    for line in _text(own / "objects" / "info" / "alternates").splitlines():
        yield own / "objects" / line.strip('"')


def _text(path: Path) -> str:
    with suppress(OSError, ValueError):
        return regular_files.read_text(path, MOST_BYTES, follow=True, errors="replace")
    return ""
