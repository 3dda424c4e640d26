"""Gemini CLI: MCP servers and hooks, both in `settings.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scrubjay.clients import NAME, Client, Place, Server, Setting, Written, hook_groups, merge_server, stdio_entry
from scrubjay.clients.program import hook_command
from scrubjay.clients.settings.edits import Entry

__all__ = ["CLIENT", "hooks_of"]

EVENTS = ("SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd", "PreCompress")
MILLISECONDS = 10_000
START_MILLISECONDS = 30_000  # of the server


def hooks_of(command: str) -> dict[str, dict[str, Any]]:
    return {event: {"name": NAME, "type": "command", "command": command, "timeout": MILLISECONDS} for event in EVENTS}


def _file(place: Place) -> Path:
    return (place.project or place.folder("GEMINI_CLI_HOME", place.home)) / ".gemini" / "settings.json"


def _folders(place: Place) -> Iterable[Path]:
    return (_file(place).parent,)


def _mcp(place: Place, server: Server) -> Setting:
    entry = {"httpUrl": server.url, "headers": server.headers} if server.url else stdio_entry(server)
    value = {**entry, "timeout": START_MILLISECONDS}
    return Setting(_file(place), Entry(("mcpServers", NAME), value, merge=merge_server))


def _hooks(place: Place, client: str, program: Sequence[str]) -> list[Written]:
    return hook_groups(_file(place), hooks_of(hook_command(program, client)))


CLIENT = Client(
    name="gemini",
    title="Gemini CLI",
    programs=("gemini",),
    folders=_folders,
    mcp=_mcp,
    hooks=_hooks,
    events=EVENTS,
)
