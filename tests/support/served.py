"""A real `scrubjay serve` process on a port that the system chose, and clients of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import scrubjay

__all__ = ["Answer", "Served", "asked", "client_of", "serving"]

PROGRAM = "from scrubjay.interfaces.cli import program; program()"
SECONDS = 30


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    process: subprocess.Popen[str]
    url: str
    store: Path
    log: Path

    @property
    def port(self) -> int:
        return int(re.findall(r":(\d+)/", self.url)[0])

    def token(self, name: str, **options: Any) -> str:
        with scrubjay.open(self.store) as jay:
            return jay.tokens.create(name, **options)[1]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: str


@contextmanager
def serving(folder: Path, *options: str, embedder: str = "hashing") -> Iterator[Served]:
    """Serve a new memory in that folder."""
    store, log = folder / "memory.db", folder / "log"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCRUBJAY_")}
    environment = {**kept, "SCRUBJAY_HOME": str(folder), "SCRUBJAY_EMBEDDER": embedder}
    words = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--store", str(store), "--tools", "all", *options]
    with log.open("w") as errors:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment, cwd=folder)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("Serving"), log.read_text()
        yield Served(process, first.split()[-1], store, log)
    finally:
        process.kill()
        process.communicate()


def asked(
    served: Served, method: str = "POST", path: str = "/mcp", body: bytes | str = b"", **headers: str | None
) -> Answer:
    """One request, as raw as the standard library makes it; a header that is None is left out."""
    usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    given = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection = HTTPConnection("127.0.0.1", served.port, timeout=SECONDS)
    try:
        connection.request(method, path, body, {name: value for name, value in given.items() if value is not None})
        answer = connection.getresponse()
        return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode())
    finally:
        connection.close()


@asynccontextmanager
async def client_of(served: Served, secret: str, mode: str = "auto", space: str | None = None) -> AsyncIterator[Client]:
    """The SDK's own client, with a token."""
    headers = {"Authorization": f"Bearer {secret}", **({"X-Scrubjay-Space": space} if space else {})}
    async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http:
        async with Client(streamable_http_client(served.url, http_client=http), mode=mode) as client:
            yield client
