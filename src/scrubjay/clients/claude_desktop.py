"""Claude Desktop: MCP servers in `claude_desktop_config.json`; it has no hooks and takes no server's address."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scrubjay.clients import NAME, Client, Place, Server, Setting, merge_server, stdio_entry
from scrubjay.clients.settings.edits import Entry

__all__ = ["CLIENT"]


def _folders(place: Place) -> Iterable[Path]:
    return (place.applications / "Claude",)


def _mcp(place: Place, server: Server) -> Setting | None:
    if server.url or place.project:
        return None
    file = place.applications / "Claude" / "claude_desktop_config.json"
    return Setting(file, Entry(("mcpServers", NAME), stdio_entry(server), merge=merge_server))


CLIENT = Client(
    name="claude-desktop",
    title="Claude Desktop",
    folders=_folders,
    mcp=_mcp,
    after_install="Restart Claude Desktop.",
)
