"""Agent clients: where the settings of each are, how its MCP entry looks, and which of its hooks we use.

A client is a module of this folder with a `CLIENT`. It says what belongs into which file; reading, merging, writing and
giving back are done once for all, in `install.py` and `settings/`.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from scrubjay.clients.settings.edits import Entry
from scrubjay.errors import Invalid
from scrubjay.text.secret_scan.quoting import quoted

__all__ = [
    "NAME",
    "NAMES",
    "Client",
    "OwnFile",
    "Place",
    "Server",
    "Setting",
    "hook_groups",
    "is_our_hook",
    "load",
    "merge_server",
    "stdio_entry",
]

NAME = "scrubjay"  # of the MCP server, in every client
NAMES = ("claude-code", "claude-desktop", "codex", "gemini", "cursor", "vscode", "windsurf", "opencode")
# Our command in a hook, whatever its folder: `/home/ann/bin/scrubjay hook codex`, `python -P -m scrubjay hook codex`.
OUR_HOOK = re.compile(r"\bscrubjay(?:\.exe)?[\"']?\s+hook\s+[a-z-]+(?:\s+[a-z-]+)?\s*$")


@dataclass(frozen=True, slots=True)
class Place:
    """The machine whose settings are meant, and the project, if they are not the user's own."""

    home: Path
    environ: Mapping[str, str]
    system: str = sys.platform
    project: Path | None = None

    @staticmethod
    def here(project: Path | None = None) -> Place:
        return Place(Path.home(), os.environ, sys.platform, project)

    def folder(self, variable: str, default: Path) -> Path:
        """The folder that a variable names, else the default."""
        given = self.environ.get(variable)
        return Path(given).expanduser() if given else default

    @property
    def config(self) -> Path:
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def applications(self) -> Path:
        """Where desktop applications keep their settings on this system."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.folder("APPDATA", self.home / "AppData" / "Roaming")
        return self.config

    def has_program(self, name: str) -> bool:
        return shutil.which(name, path=self.environ.get("PATH", "")) is not None


@dataclass(frozen=True, slots=True)
class Server:
    """What an MCP entry leads to: a command on this machine, or a server with its token."""

    command: tuple[str, ...] = ()
    url: str = ""
    token: str = field(default="", repr=False)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


@dataclass(frozen=True, slots=True)
class Setting:
    """An entry of ours in a file of the client."""

    file: Path
    entry: Entry


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that is ours as a whole, in a folder of the client."""

    file: Path
    text: str


Written: TypeAlias = Setting | OwnFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One agent client.

    `mcp` gives None where the client has no settings of that scope, or cannot use a server by its address.
    """

    name: str
    title: str
    programs: tuple[str, ...] = ()  # commands that show that the client is on this machine
    folders: Callable[[Place], Iterable[Path]]  # and folders that do
    mcp: Callable[[Place, Server], Setting | None]
    hooks: Callable[[Place, str, Sequence[str]], list[Written]] = lambda place, client, program: []
    events: tuple[str, ...] = ()  # its names of the hooks that we use; hooks/events.py has what they mean
    after_install: str = ""  # what the user still has to do

    def is_here(self, place: Place) -> bool:
        return any(path.exists() for path in self.folders(place)) or any(map(place.has_program, self.programs))


def load(name: str) -> Client:
    """The client of this name."""
    if name not in NAMES:
        raise Invalid(f"There is no client {quoted(name)}; known are {', '.join(NAMES)}.")
    client: Client = import_module(f"scrubjay.clients.{name.replace('-', '_')}").CLIENT
    return client


def stdio_entry(server: Server) -> dict[str, Any]:
    """The entry that most clients share: a program with its arguments."""
    return {"command": server.command[0], "args": list(server.command[1:])}


def merge_server(existing: Any, ours: Any) -> Any:
    """Our entry, with what the user has added to an older one: options after `mcp`, environment, other keys."""
    if not isinstance(existing, dict) or ("command" in existing) != ("command" in ours):
        return ours
    merged = {**existing, **ours}
    for key in ("args", "command"):
        old, new = existing.get(key), ours.get(key)
        if isinstance(new, list) and isinstance(old, list) and "mcp" in old:
            merged[key] = [*new, *old[old.index("mcp") + 1 :]]
    return merged


def is_our_hook(item: Any) -> bool:
    """Whether a hook, or a group of hooks, runs our command and nothing else."""
    commands = list(_commands(item))
    return bool(commands) and all(OUR_HOOK.search(command) for command in commands)


def hook_groups(file: Path, hooks: Mapping[str, Mapping[str, Any]]) -> list[Written]:
    """Entries for clients with Claude Code's form: under each event, groups with a list of hooks."""
    return [
        Setting(file, Entry(("hooks", event), {"hooks": [dict(hook)]}, is_our_hook)) for event, hook in hooks.items()
    ]


def _commands(item: Any) -> Iterable[str]:
    if isinstance(item, dict):
        if isinstance(command := item.get("command"), str):
            yield command
        item = list(item.values())
    if isinstance(item, list):
        for each in item:
            yield from _commands(each)
