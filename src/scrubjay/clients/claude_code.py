"""Claude Code: MCP servers in `.claude.json`, hooks in `settings.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from scrubjay.clients import NAME, Client, Place, Server, Setting, Written, hook_groups, merge_server, stdio_entry
from scrubjay.clients.program import hook_command
from scrubjay.clients.settings.edits import Entry

__all__ = ["CLIENT", "hooks_of"]

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", "PostCompact")
ANSWERED = ("SessionStart", "UserPromptSubmit")  # the client waits for what these print
SECONDS, BACKGROUND_SECONDS = 10, 60


def hooks_of(command: str) -> dict[str, dict[str, Any]]:
    """Each event with its hook; those that only keep something run in the background, except at the end."""
    return {event: {"type": "command", "command": command, **_timing(event)} for event in EVENTS}


def _timing(event: str) -> dict[str, Any]:
    if event in ANSWERED:
        return {"timeout": SECONDS}
    return {"timeout": BACKGROUND_SECONDS, **({"async": True} if event != "SessionEnd" else {})}


def _folders(place: Place) -> Iterable[Path]:
    return (_folder(place), _user_file(place))


def _folder(place: Place) -> Path:
    return place.folder("CLAUDE_CONFIG_DIR", place.home / ".claude")


def _user_file(place: Place) -> Path:
    return place.folder("CLAUDE_CONFIG_DIR", place.home) / ".claude.json"


def _mcp(place: Place, server: Server) -> Setting:
    file = place.project / ".mcp.json" if place.project else _user_file(place)
    return Setting(file, Entry(("mcpServers", NAME), _entry(server), merge=merge_server))


def _entry(server: Server) -> dict[str, Any]:
    if server.url:
        return {"type": "http", "url": server.url, "headers": server.headers}
    return {"type": "stdio", **stdio_entry(server), "env": {}}


def _hooks(place: Place, client: str, program: Sequence[str]) -> list[Written]:
    # A project's hooks name a program on this machine: they are for this user, not for everybody who clones it.
    file = place.project / ".claude" / "settings.local.json" if place.project else _folder(place) / "settings.json"
    return hook_groups(file, hooks_of(hook_command(program, client)))


CLIENT = Client(
    name="claude-code",
    title="Claude Code",
    programs=("claude",),
    folders=_folders,
    mcp=_mcp,
    hooks=_hooks,
    events=EVENTS,
)
