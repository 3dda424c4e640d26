"""Conversations with the MCP server: by the SDK's own client, and line by line at either of its two doors."""

from __future__ import annotations

import io
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO, Literal

import anyio
from mcp import Client
from mcp.client._transport import TransportStreams
from mcp.server.stdio import stdio_server
from mcp_types import Implementation, TextContent

import scrubjay
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.interfaces.mcp.stdio import Loop
from scrubjay.interfaces.mcp.tools import SETS

__all__ = ["DOORS", "Door", "Lines", "Talk", "lines", "opener_of", "talk", "talk_at", "text_of"]

Door = Literal["pipe", "sdk"]
DOORS: tuple[Door, ...] = ("pipe", "sdk")  # our own loop, and the SDK's server, which HTTP uses


def text_of(content: Any) -> str:
    (block,) = content
    assert isinstance(block, TextContent)
    return block.text


@dataclass(frozen=True)
class Talk:
    """A conversation with the server."""

    client: Client

    async def call(self, tool: str, **arguments: Any) -> str:
        answer = await self.client.call_tool(tool, arguments)
        assert not answer.is_error, answer
        assert answer.structured_content is None
        return text_of(answer.content)

    async def refused(self, tool: str, **arguments: Any) -> str:
        answer = await self.client.call_tool(tool, arguments)
        assert answer.is_error
        return text_of(answer.content)


def opener_of(path: Path) -> Opener:
    return Opener(lambda: scrubjay.open(path, embedder="hashing", trust="agent"))


@asynccontextmanager
async def talk(
    path: Path, mode: str = "auto", sets: tuple[str, ...] = SETS, door: Door = "pipe"
) -> AsyncIterator[Talk]:
    opener = opener_of(path)
    async with talk_at(opener, mode, sets, door) as talking:
        yield talking
    opener.close()


@asynccontextmanager
async def talk_at(opener: Opener, mode: str, sets: tuple[str, ...], door: Door) -> AsyncIterator[Talk]:
    server: Any = at_a_pipe(opener, sets) if door == "pipe" else make_server(opener, sets)
    me = Implementation(name="test-client", version="1")
    async with Client(server, mode=mode, client_info=me) as client:
        yield Talk(client)


@asynccontextmanager
async def at_a_pipe(opener: Opener, sets: tuple[str, ...]) -> AsyncIterator[TransportStreams]:
    """Our loop, for the SDK's client: its own reader and writer of lines, at the other ends of two pipes."""
    with serving("pipe", opener, sets) as (source, target):
        read = anyio.wrap_file(io.TextIOWrapper(target, encoding="utf-8"))
        write = anyio.wrap_file(io.TextIOWrapper(source, encoding="utf-8"))
        async with stdio_server(read, write) as streams:
            try:
                yield streams
            finally:
                await streams[1].aclose()
                with anyio.CancelScope(shield=True):
                    await write.aclose()


@contextmanager
def serving(door: Door, opener: Opener, sets: tuple[str, ...]) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """A server in a thread: where to write to, and where to read from."""
    (their_source, our_target), (our_source, their_target) = os.pipe(), os.pipe()
    serve = _serve_by_loop if door == "pipe" else _serve_by_sdk
    ends = (os.fdopen(their_source, "rb"), os.fdopen(their_target, "wb"))
    thread = Thread(target=serve, args=(opener, sets, *ends), daemon=True)
    thread.start()
    with os.fdopen(our_source, "rb") as source, os.fdopen(our_target, "wb") as target:
        yield target, source
    thread.join(30)
    assert not thread.is_alive()


def _serve_by_loop(opener: Opener, sets: tuple[str, ...], source: BinaryIO, target: BinaryIO) -> None:
    with source, target:
        Loop(opener, sets).run(source, target)


def _serve_by_sdk(opener: Opener, sets: tuple[str, ...], source: BinaryIO, target: BinaryIO) -> None:
    async def serve() -> None:
        server = make_server(opener, sets)._lowlevel_server
        read = anyio.wrap_file(io.TextIOWrapper(source, encoding="utf-8", errors="replace"))
        write = anyio.wrap_file(io.TextIOWrapper(target, encoding="utf-8"))
        async with read, write, stdio_server(read, write) as (received, sent):
            await server.run(received, sent, server.create_initialization_options())

    anyio.run(serve)


@dataclass
class Lines:
    """A conversation in lines, as they are on the wire."""

    target: BinaryIO
    source: BinaryIO
    answers: list[dict[str, Any]] = field(default_factory=list)

    def say(self, line: object) -> None:
        """Send a message, or bytes that are none."""
        self.target.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        self.target.flush()

    def ask(self, line: object) -> dict[str, Any]:
        """The same, and wait for the next message from there."""
        self.say(line)
        self.answers.append(json.loads(self.source.readline()))
        return self.answers[-1]

    def ask_until_answered(self, line: dict[str, Any]) -> None:
        """The same, and wait for the answer to this one; what else comes before it is kept."""
        self.say(line)
        self.wait_for(line["id"])

    def wait_for(self, id: int | str) -> None:
        """Read on until a request is answered, if it is not yet."""
        while id not in [answer.get("id") for answer in self.answers]:
            self.answers.append(json.loads(self.source.readline()))

    def end(self) -> list[dict[str, Any]]:
        """End the input; everything that was answered."""
        self.target.close()
        self.answers += map(json.loads, self.source)
        return self.answers


@contextmanager
def lines(path: Path, door: Door = "pipe") -> Iterator[Lines]:
    opener = opener_of(path)
    with serving(door, opener, SETS) as (target, source):
        yield Lines(target, source)
    opener.close()
