"""What the work is about: the identity of a repository, the same in every clone and worktree of it."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["above", "identify"]

# Only a URL has a port: in git@host:123/name, 123 is the owner.
REMOTE = re.compile(
    r"^(?P<scheme>[\w+.-]+://)?(?:[^/]*@)?(?P<host>\[[^\]/]+\]|[^/:]+)(?(scheme)(?::\d+)?/|:)(?P<path>.+?)(?:\.git)?/?$"
)
ORIGIN = re.compile(r'\[remote "origin"\][^\[]*?^\s*url\s*=\s*(\S+)', re.MULTILINE)


def above(folder: Path, name: str) -> Path | None:
    """The nearest entry of that name in this folder or one above it."""
    return next((path / name for path in (folder, *folder.parents) if (path / name).exists()), None)


def identify(folder: Path) -> str | None:
    """host/owner/name of the repository's origin, else its root folder; None outside of any."""
    git = above(folder.resolve(), ".git")
    if git is None:
        return None
    try:
        common = _common_folder(git)
        origin = ORIGIN.search((common / "config").read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError):  # a broken repository is still a place
        return str(git.parent)
    remote = REMOTE.match(origin[1]) if origin else None
    if remote:
        return f"{remote['host']}/{remote['path'].lstrip('/')}".lower()
    return str(common.parent if common.name == ".git" else git.parent)


def _common_folder(git: Path) -> Path:
    """Follow a worktree's pointer file to the folder that all worktrees share."""
    if git.is_dir():
        return git
    pointer = git.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()
    own = (git.parent / pointer).resolve()
    shared = own / "commondir"
    return (own / shared.read_text(encoding="utf-8").strip()).resolve() if shared.is_file() else own
