"""Starts the MCP server that a client's settings name, and asks it who it is."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["ask_command", "ask_url"]

SECONDS = 30
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "scrubjay-doctor", "version": "1"},
    },
}


def ask_command(command: Sequence[str], environ: Mapping[str, str]) -> str:
    """Why the command is not a server that answers; empty if it is."""
    try:
        done = subprocess.run(
            list(command),
            input=json.dumps(INITIALIZE) + "\n",
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=dict(environ),
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"it does not end within {SECONDS} s"
    except OSError as problem:
        return problem.strerror or str(problem)
    if any(_is_answer(line) for line in done.stdout.splitlines()):
        return ""
    said = done.stderr.strip().splitlines()
    return said[-1] if said else "it says nothing"


def ask_url(url: str, headers: Mapping[str, str]) -> str:
    """Why the address is not a server that answers; empty if it is."""
    import httpx

    accepts = {"Accept": "application/json, text/event-stream", **headers}
    try:
        answer = httpx.post(url, json=INITIALIZE, headers=accepts, timeout=SECONDS, follow_redirects=False)
    except (httpx.HTTPError, httpx.InvalidURL) as problem:
        return str(problem) or type(problem).__name__
    if answer.status_code == 401:
        return "the token is not valid there"
    lines = [line.removeprefix("data:") for line in answer.text.splitlines()]
    return "" if any(map(_is_answer, lines)) else f"it answers with status {answer.status_code}"


def _is_answer(line: str) -> bool:
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and "serverInfo" in (message.get("result") or {})
