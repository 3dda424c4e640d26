"""VS Code with Copilot: MCP servers in `mcp.json`, under `servers`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scrubjay.clients import NAME, Client, Place, Server, Setting, merge_server, stdio_entry
from scrubjay.clients.settings.edits import Entry

__all__ = ["CLIENT"]


def _folders(place: Place) -> Iterable[Path]:
    return (place.applications / "Code",)


def _mcp(place: Place, server: Server) -> Setting:
    folder = place.project / ".vscode" if place.project else place.applications / "Code" / "User"
    return Setting(folder / "mcp.json", Entry(("servers", NAME), _entry(server), merge=merge_server))


def _entry(server: Server) -> dict[str, Any]:
    if server.url:
        return {"type": "http", "url": server.url, "headers": server.headers}
    return {"type": "stdio", **stdio_entry(server)}


CLIENT = Client(name="vscode", title="VS Code (Copilot)", programs=("code",), folders=_folders, mcp=_mcp)
