"""Windsurf: MCP servers in `mcp_config.json`, hooks in `hooks.json`. Its hooks take in, but can tell nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scrubjay.clients import NAME, Client, Place, Server, Setting, Written, is_our_hook, merge_server, stdio_entry
from scrubjay.clients.program import hook_command
from scrubjay.clients.settings.edits import Entry

__all__ = ["CLIENT"]

EVENTS = ("pre_user_prompt", "post_cascade_response")


def _user_folder(place: Place) -> Path:
    return place.home / ".codeium" / "windsurf"


def _folders(place: Place) -> Iterable[Path]:
    return (_user_folder(place),)


def _mcp(place: Place, server: Server) -> Setting | None:
    if place.project:
        return None
    entry: dict[str, Any] = {"serverUrl": server.url, "headers": server.headers} if server.url else stdio_entry(server)
    file = _user_folder(place) / "mcp_config.json"
    return Setting(file, Entry(("mcpServers", NAME), entry, merge=merge_server))


def _hooks(place: Place, client: str, program: Sequence[str]) -> list[Written]:
    file = (place.project / ".windsurf" if place.project else _user_folder(place)) / "hooks.json"
    value = {"command": hook_command(program, client), "show_output": False}
    return [Setting(file, Entry(("hooks", event), value, is_our_hook)) for event in EVENTS]


CLIENT = Client(
    name="windsurf",
    title="Windsurf",
    programs=("windsurf",),
    folders=_folders,
    mcp=_mcp,
    hooks=_hooks,
    events=EVENTS,
)
