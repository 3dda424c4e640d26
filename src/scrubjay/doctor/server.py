"""Starts the MCP server that a client's settings name, and asks it who it is."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import urlsplit

from scrubjay.models.connections import Connections
from scrubjay.models.providers import is_this_machine

__all__ = ["ask_command", "ask_url"]

SECONDS = 30
MOST_BYTES = 1_000_000  # that are read of an answer; ours has a thousandth of it
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
    with TemporaryFile() as output, TemporaryFile() as errors:
        try:
            asked = json.dumps(INITIALIZE).encode() + b"\n"
            subprocess.run(list(command), input=asked, stdout=output, stderr=errors, env=dict(environ), timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"it does not end within {SECONDS} s"
        except (OSError, ValueError) as problem:  # ValueError: a zero byte
            return getattr(problem, "strerror", None) or str(problem)
        if any(map(_is_answer, _lines(output))):
            return ""
        said = _lines(errors)
        return said[-1] if said else "it says nothing"


def ask_url(url: str, headers: Mapping[str, str]) -> str:
    """Why the address is not a server that answers; empty if it is."""
    import httpx

    accepts = {"Accept": "application/json, text/event-stream", "Accept-Encoding": "identity", **headers}
    connections = Connections()
    try:
        # As for models: what is for this machine goes through no proxy, and no redirect is followed.
        with (
            httpx.Client(trust_env=not is_this_machine(urlsplit(url).hostname or ""), timeout=SECONDS) as client,
            connections.at_most(SECONDS),
            client.stream("POST", url, json=INITIALIZE, headers=accepts, extensions=connections.extensions) as answer,
        ):
            return _why_not(answer)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as problem:  # ValueError: a header that is none
        return str(problem) or type(problem).__name__


def _why_not(answer: Any) -> str:
    if answer.status_code == 401:
        return "the token is not valid there"
    data = bytearray()
    for part in answer.iter_raw():
        data += part
        if len(data) > MOST_BYTES:
            break
    lines = (line.removeprefix("data:") for line in _decoded(data))
    return "" if any(map(_is_answer, lines)) else f"it answers with status {answer.status_code}"


def _lines(file: IO[bytes]) -> list[str]:
    file.seek(0)
    return _decoded(file.read(MOST_BYTES))


def _decoded(data: bytes | bytearray) -> list[str]:
    return data.decode("utf-8", "replace").strip().splitlines()


def _is_answer(line: str) -> bool:
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError):
        return False
    result = message.get("result") if isinstance(message, dict) else None
    return isinstance(result, dict) and "serverInfo" in result
