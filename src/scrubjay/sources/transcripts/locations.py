"""Where agent clients keep their transcripts, and which of them wrote a given one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Place", "guess", "places"]


@dataclass(frozen=True, slots=True)
class Place:
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
# The product was renamed, and its forks keep folders of their own.
OPENCLAW_FOLDERS = {
    "OPENCLAW_STATE_DIR": ".openclaw",
    "GIMLI_STATE_DIR": ".gimli",
    "MOLTBOT_STATE_DIR": ".moltbot",
    "CLAWDBOT_STATE_DIR": ".clawdbot",
}
FOLDERS = {"agent-transcripts": "cursor", "chats": "gemini", "projects": "claude-code"}
# A record with all of these keys can only be of that client; the first that fits is it.
KEYS = (
    ("codex", {"timestamp", "type", "payload"}),
    ("gemini", {"sessionId", "projectHash"}),
    ("claude-code", {"sessionId", "type"}),
    ("cursor", {"role", "message"}),
)


def places(home: Path, environ: Mapping[str, str]) -> list[Place]:
    """The usual places, whether or not they exist."""
    settings = _folder(environ, "XDG_CONFIG_HOME", home / ".config")
    found = [
        Place("claude-code", _folder(environ, "CLAUDE_CONFIG_DIR", home / ".claude") / "projects", CLAUDE_CODE),
        Place("claude-code", settings / "claude" / "projects", CLAUDE_CODE),
        Place("codex", _folder(environ, "CODEX_HOME", home / ".codex"), CODEX),
        Place("gemini", _folder(environ, "GEMINI_CLI_HOME", home) / ".gemini" / "tmp", GEMINI),
        Place("cursor", home / ".cursor" / "projects", CURSOR),
    ]
    for variable, name in OPENCLAW_FOLDERS.items():
        otherwise = _folder(environ, "OPENCLAW_HOME", home) / name
        found.append(Place("openclaw", _folder(environ, variable, otherwise), OPENCLAW))
    return found


def guess(path: Path, head: bytes) -> str | None:
    """Which client wrote this, from its first lines and, where these say nothing, from its path."""
    for line in head.splitlines()[:10]:
        client = _writer(line)
        if client:
            return client
    return _writer_of_much(head) or _owner(path)


def _folder(environ: Mapping[str, str], variable: str, otherwise: Path) -> Path:
    return Path(environ[variable]).expanduser() if environ.get(variable) else otherwise


def _writer(line: bytes) -> str | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    if _is_tree(record):
        return "openclaw"
    return next((client for client, keys in KEYS if keys <= record.keys()), None)


def _writer_of_much(head: bytes) -> str | None:
    """Who opens an object that does not end here: a first line with all instructions, or one over many lines."""
    if not head.startswith(b"{"):
        return None
    return next((client for client, keys in KEYS if all(f'"{key}"'.encode() in head for key in keys)), None)


def _is_tree(record: Mapping[str, Any]) -> bool:
    return (record.get("type") == "session" and "id" in record) or {"parentId", "id", "type"} <= record.keys()


def _owner(path: Path) -> str | None:
    if path.name.startswith("rollout-"):
        return "codex"
    if "sessions" in path.parts and "agents" in path.parts:
        return "openclaw"
    return next((FOLDERS[part] for part in reversed(path.parts[:-1]) if part in FOLDERS), None)
