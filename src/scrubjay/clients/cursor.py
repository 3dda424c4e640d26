"""Cursor: MCP servers in `mcp.json`, hooks in `hooks.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scrubjay.clients import NAME, Client, Place, Server, Setting, Written, is_our_hook, merge_server, stdio_entry
from scrubjay.clients.program import hook_command
from scrubjay.clients.settings.edits import Entry

__all__ = ["CLIENT"]

EVENTS = ("sessionStart", "beforeSubmitPrompt", "stop", "sessionEnd", "preCompact")
VERSION = Entry(("version",), 1, is_shared=True)


def _folder(place: Place) -> Path:
    return (place.project or place.home) / ".cursor"


def _folders(place: Place) -> Iterable[Path]:
    return (_folder(place), place.applications / "Cursor")


def _mcp(place: Place, server: Server) -> Setting:
    entry: dict[str, Any] = {"url": server.url, "headers": server.headers} if server.url else stdio_entry(server)
    return Setting(_folder(place) / "mcp.json", Entry(("mcpServers", NAME), entry, merge=merge_server))


def _hooks(place: Place, client: str, program: Sequence[str]) -> list[Written]:
    file, command = _folder(place) / "hooks.json", hook_command(program, client)
    ours = [Entry(("hooks", event), {"command": command}, is_our_hook) for event in EVENTS]
    return [Setting(file, entry) for entry in (VERSION, *ours)]


CLIENT = Client(
    name="cursor",
    title="Cursor",
    programs=("cursor", "cursor-agent"),
    folders=_folders,
    mcp=_mcp,
    hooks=_hooks,
    events=EVENTS,
)
