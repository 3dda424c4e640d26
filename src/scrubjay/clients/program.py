"""The command that clients run: by its full path, because a desktop application has no PATH of a shell."""

from __future__ import annotations

import os
import shlex
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from scrubjay.errors import Invalid

__all__ = ["hook_command", "our_program"]

SCRIPT = "scrubjay.exe" if os.name == "nt" else "scrubjay"
TEMPORARY = (
    "This Scrubjay is in a temporary environment of uv; `uv tool install scrubjay`, then run `scrubjay install`."
)


def our_program() -> tuple[str, ...]:
    """The installed script of this environment, else its Python with this package.

    In a virtual environment, and for pipx and uv tool, the script is beside the Python that runs now; otherwise it is
    in the system's or in the user's folder of scripts.
    """
    if _is_temporary(Path(sys.prefix)):
        raise Invalid(TEMPORARY)
    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    folders = [Path(sys.executable).parent, *(Path(sysconfig.get_path("scripts", scheme)) for scheme in schemes)]
    found = next((folder / SCRIPT for folder in folders if os.access(folder / SCRIPT, os.X_OK)), None)
    # -P: a folder named `scrubjay` in a cloned repository must not be run instead of this package.
    return (str(found.absolute()),) if found else (sys.executable, "-P", "-m", "scrubjay")


def hook_command(program: Sequence[str], client: str, system: str = os.name) -> str:
    """`scrubjay hook CLIENT` as a line for the shell that a client runs hooks in."""
    words = [*program, "hook", client]
    if system != "nt":
        return shlex.join(words)
    # Both cmd.exe and the shell of Git take forward slashes, and double quotes around a path with blanks.
    return " ".join(f'"{word}"' if " " in word else word for word in (word.replace("\\", "/") for word in words))


def _is_temporary(prefix: Path) -> bool:
    """Whether uvx made this environment: it is in uv's cache and is removed at some time."""
    return any(part.startswith(("archive-v", "environments-v", "builds-v")) for part in prefix.parts)
