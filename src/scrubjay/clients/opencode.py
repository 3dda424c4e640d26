"""OpenCode: MCP servers in `opencode.json`; instead of hooks, a plugin in JavaScript that calls our command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from scrubjay.clients import NAME, Client, OwnFile, Place, Server, Setting, Written, merge_server
from scrubjay.clients.settings.edits import Entry

__all__ = ["CLIENT", "plugin"]

EVENTS = ("session.created", "chat.message", "session.idle", "session.compacted")
PLUGIN = "scrubjay.js"


def plugin(program: Sequence[str]) -> str:
    """The plugin, with the command that it runs."""
    text = resources.files("scrubjay.clients").joinpath("opencode.js").read_text(encoding="utf-8")
    return text.replace('["scrubjay"]', json.dumps(list(program)))


def _user_folder(place: Place) -> Path:
    return place.config / "opencode"


def _folders(place: Place) -> Iterable[Path]:
    return (_user_folder(place),)


def _file(place: Place) -> Path:
    """The settings with comments, if the user has those, else the plain ones."""
    folder = place.project or _user_folder(place)
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.exists() else folder / "opencode.json"


def _mcp(place: Place, server: Server) -> Setting:
    return Setting(_file(place), Entry(("mcp", NAME), _entry(server), merge=merge_server))


def _entry(server: Server) -> dict[str, Any]:
    if server.url:
        return {"type": "remote", "url": server.url, "headers": server.headers, "enabled": True}
    return {"type": "local", "command": list(server.command), "enabled": True}


def _hooks(place: Place, client: str, program: Sequence[str]) -> list[Written]:
    folder = place.project / ".opencode" if place.project else _user_folder(place)
    return [OwnFile(folder / "plugins" / PLUGIN, plugin(program))]


CLIENT = Client(
    name="opencode",
    title="OpenCode",
    programs=("opencode",),
    folders=_folders,
    mcp=_mcp,
    hooks=_hooks,
    events=EVENTS,
)
