"""The identity of a project: the same in every clone and worktree of a repository."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath, PureWindowsPath

from scrubjay.files import regular_files

__all__ = ["IGNORE_FILE", "above", "identify", "identity_of", "is_excluded"]

# Only a URL can have a port: in git@host:123/name, 123 is the owner.
REMOTE = re.compile(
    r"^(?P<scheme>[\w+.-]+://)?(?:[^/]*@)?(?P<host>\[[^\]/]+\]|[^/:]+)(?(scheme)(?::\d+)?/|:)(?P<path>.+?)(?:\.git)?/?$"
)
WHITESPACE = re.compile(r"\s")
SECTION = '[remote "origin"]'
URL = re.compile(r"\s*url\s*=\s*(\S+)")
LONGEST_LINE = 1_000  # characters; no address is longer, and REMOTE would be slow on it
IGNORE_FILE = ".scrubjay-ignore"
CONFIG_BYTES, POINTER_BYTES = 1_000_000, 10_000


def above(folder: Path, name: str) -> Path | None:
    """The nearest entry of that name in this folder or one above it; folders that cannot be read count as empty."""
    return next((path / name for path in (folder, *folder.parents) if os.path.exists(path / name)), None)


def is_excluded(folder: Path) -> bool:
    """Whether a file in this folder or above says that nothing of it is to be kept or told."""
    return above(folder, IGNORE_FILE) is not None


def identify(folder: Path) -> str | None:
    """host/owner/name of the repository's origin, else its root folder; None outside of any."""
    if len(str(folder)) > regular_files.LONGEST_PATH:
        return None
    git = above(Path(os.path.realpath(folder)), ".git")
    if git is None:
        return None
    try:
        common = _common_folder(git)
        origin = _origin(regular_files.read_text(common / "config", CONFIG_BYTES, follow=True, errors="replace"))
    except (OSError, ValueError):  # a broken repository is still a project
        return str(git.parent)
    if origin and (found := _of_remote(origin)):
        return found
    return str(common.parent if common.name == ".git" else git.parent)


def identity_of(address: str) -> str | None:
    """The identity of the repository at an address; of one without an origin it is its folder's path. Else None."""
    if PurePosixPath(address).is_absolute() or PureWindowsPath(address).is_absolute():
        return address
    if len(address) > LONGEST_LINE or WHITESPACE.search(address):
        return None
    return _of_remote(address) or (address.lower() if _is_identity(address) else None)


def _is_identity(address: str) -> bool:
    """Whether it is host/owner/name; a path in the present folder begins with a dot."""
    parts = address.split("/")
    return len(parts) > 1 and all(parts) and not address.startswith(".")


def _of_remote(origin: str) -> str | None:
    remote = REMOTE.match(origin)
    return f"{remote['host']}/{remote['path'].lstrip('/')}".lower() if remote else None


def _origin(config: str) -> str | None:
    """The address that a repository was cloned from."""
    inside = False
    for line in config.splitlines():
        if line.lstrip().startswith("["):
            inside = line.strip() == SECTION
        elif inside and len(line) <= LONGEST_LINE and (found := URL.match(line)):
            return found[1]
    return None


def _common_folder(git: Path) -> Path:
    """Follow a worktree's pointer file to the folder that all worktrees share."""
    if git.is_dir():
        return git
    pointer = regular_files.read_text(git, POINTER_BYTES, follow=True, errors="replace").removeprefix("gitdir:").strip()
    own = (git.parent / pointer).resolve()
    shared = own / "commondir"
    if not shared.is_file():
        return own
    return (own / regular_files.read_text(shared, POINTER_BYTES, follow=True).strip()).resolve()
