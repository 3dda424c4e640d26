"""A conversation with the MCP server, by the SDK's own client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client
from mcp_types import Implementation, TextContent

import scrubjay
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.interfaces.mcp.tools import SETS

__all__ = ["Talk", "talk", "text_of"]


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


@asynccontextmanager
async def talk(path: Path, mode: str = "auto", sets: tuple[str, ...] = SETS) -> AsyncIterator[Talk]:
    opener = Opener(lambda: scrubjay.open(path, embedder="hashing", trust="agent"))
    me = Implementation(name="test-client", version="1")
    async with Client(make_server(opener, sets), mode=mode, client_info=me) as client:
        yield Talk(client)
    opener.close()
