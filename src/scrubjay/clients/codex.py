"""Codex: MCP servers in `config.toml`, hooks in `hooks.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scrubjay.clients import NAME, Client, Place, Server, Setting, Written, hook_groups, merge_server, stdio_entry
from scrubjay.clients.program import hook_command
from scrubjay.clients.settings.edits import Entry

__all__ = ["CLIENT", "hooks_of"]

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", "PostCompact")
SECONDS, END_SECONDS = 10, 3  # Codex gives the end of a session no more than 3


def hooks_of(command: str) -> dict[str, dict[str, Any]]:
    return {
        event: {"type": "command", "command": command, "timeout": END_SECONDS if event == "SessionEnd" else SECONDS}
        for event in EVENTS
    }


def _folder(place: Place) -> Path:
    return place.project / ".codex" if place.project else place.folder("CODEX_HOME", place.home / ".codex")


def _folders(place: Place) -> Iterable[Path]:
    return (_folder(place),)


def _mcp(place: Place, server: Server) -> Setting:
    entry = {"url": server.url, "http_headers": server.headers} if server.url else stdio_entry(server)
    return Setting(_folder(place) / "config.toml", Entry(("mcp_servers", NAME), entry, merge=merge_server))


def _hooks(place: Place, client: str, program: Sequence[str]) -> list[Written]:
    return hook_groups(_folder(place) / "hooks.json", hooks_of(hook_command(program, client)))


CLIENT = Client(
    name="codex",
    title="Codex",
    programs=("codex",),
    folders=_folders,
    mcp=_mcp,
    hooks=_hooks,
    events=EVENTS,
    after_install="Codex runs hooks only after you have approved them: open it and type /hooks.",
)
