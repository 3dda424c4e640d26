"""The life of a memory, as any client of the MCP server can drive it."""

from __future__ import annotations

from typing import Any

from mcp import Client
from mcp_types import TextContent

__all__ = ["live", "said"]


async def said(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    (block,) = answer.content
    assert isinstance(block, TextContent)
    return f"Error: {block.text}" if answer.is_error else block.text


async def live(client: Client) -> None:
    """Add, search, get, supersede, look into the history, delete."""
    text = await said(client, "memory_add", text="The staging port is 8080", kind="fact", subject="staging")
    old = int(text.split()[1])
    assert f"[{old}] fact" in await said(client, "memory_search", query="which staging port")
    assert "The staging port is 8080" in await said(client, "memory_get", ids=[old])
    text = await said(client, "memory_supersede", id=old, text="The staging port is 9090", reason="moved")
    new = int(text.split()[4])
    assert f"[{old}]" not in await said(client, "memory_search", query="which staging port")
    history = await said(client, "memory_history", id=new)
    assert f"was [{old}]" in history and f"is [{new}]" in history and "moved" in history
    assert await said(client, "memory_delete", id=new) == f"Deleted {new}."
    assert (await said(client, "memory_get", ids=[new])).startswith("Error: There is no memory")
