"""Where agent clients keep their transcripts, and which of them wrote a given one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Location", "guess", "locations", "writer_of"]


@dataclass(frozen=True, slots=True)
class Location:
    """A folder with one client's transcripts."""

    client: str
    root: Path
    patterns: tuple[str, ...]  # globs below root, gitignore style


CLAUDE_CODE = ("*/*.jsonl",)
CODEX = (
    "sessions/**/rollout-*.jsonl",
    "sessions/**/rollout-*.jsonl.zst",
    "archived_sessions/**/rollout-*.jsonl",
    "archived_sessions/**/rollout-*.jsonl.zst",
)
GEMINI = ("*/chats/session-*.jsonl", "*/chats/session-*.json")
CURSOR = ("*/agent-transcripts/*.jsonl", "*/agent-transcripts/*/*.jsonl")
OPENCLAW = (
    "agents/*/sessions/*.jsonl",
    "agents/*/sessions/*.jsonl.reset.*",
    "agents/*/sessions/*.jsonl.deleted.*",
)
# The product was renamed several times, and its forks use their own folders.
OPENCLAW_FOLDERS = {
    "OPENCLAW_STATE_DIR": ".openclaw",
    "GIMLI_STATE_DIR": ".gimli",
    "MOLTBOT_STATE_DIR": ".moltbot",
    "CLAWDBOT_STATE_DIR": ".clawdbot",
}
FOLDERS = {"agent-transcripts": "cursor", "chats": "gemini", "projects": "claude-code"}
# A record with all of these keys was written by that client; the first match counts.
KEYS = (
    ("codex", {"timestamp", "type", "payload"}),
    ("gemini", {"sessionId", "projectHash"}),
    ("claude-code", {"sessionId", "type"}),
    ("cursor", {"role", "message"}),
)


def locations(home: Path, environ: Mapping[str, str]) -> list[Location]:
    """The usual folders, whether or not they exist."""
    settings = _folder(environ, "XDG_CONFIG_HOME", home / ".config")
    found = [
        Location("claude-code", _folder(environ, "CLAUDE_CONFIG_DIR", home / ".claude") / "projects", CLAUDE_CODE),
        Location("claude-code", settings / "claude" / "projects", CLAUDE_CODE),
        Location("codex", _folder(environ, "CODEX_HOME", home / ".codex"), CODEX),
        Location("gemini", _folder(environ, "GEMINI_CLI_HOME", home) / ".gemini" / "tmp", GEMINI),
        Location("cursor", home / ".cursor" / "projects", CURSOR),
    ]
    for variable, name in OPENCLAW_FOLDERS.items():
        default = _folder(environ, "OPENCLAW_HOME", home) / name
        found.append(Location("openclaw", _folder(environ, variable, default), OPENCLAW))
    return found


def guess(path: Path, head: bytes) -> str | None:
    """Which client wrote this, judged by its first lines or else by its path."""
    return writer_of(head) or _writer_of_unfinished(head) or _client_from_path(path)


def writer_of(head: bytes) -> str | None:
    """Which client wrote this, if one of its first lines says so."""
    return next(filter(None, map(_writer, head.splitlines()[:10])), None)


def _folder(environ: Mapping[str, str], variable: str, default: Path) -> Path:
    return Path(environ[variable]).expanduser() if environ.get(variable) else default


def _writer(line: bytes) -> str | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    if _is_openclaw(record):
        return "openclaw"
    return next((client for client, keys in KEYS if keys <= record.keys()), None)


def _writer_of_unfinished(head: bytes) -> str | None:
    """The client of an object that does not end in `head`: a very long first line, or an object over several lines."""
    if not head.startswith(b"{"):
        return None
    return next((client for client, keys in KEYS if all(f'"{key}"'.encode() in head for key in keys)), None)


def _is_openclaw(record: Mapping[str, Any]) -> bool:
    return (record.get("type") == "session" and "id" in record) or {"parentId", "id", "type"} <= record.keys()


def _client_from_path(path: Path) -> str | None:
    if path.name.startswith("rollout-"):
        return "codex"
    if "sessions" in path.parts and "agents" in path.parts:
        return "openclaw"
    return next((FOLDERS[part] for part in reversed(path.parts[:-1]) if part in FOLDERS), None)
