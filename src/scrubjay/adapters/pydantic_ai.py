"""Pydantic AI: the MCP tools as a toolset of an agent."""

from __future__ import annotations

from typing import Any

from pydantic_ai import FunctionToolset, Tool

from scrubjay.adapters.tools import Tools
from scrubjay.api import Scrubjay
from scrubjay.interfaces.mcp.tools import chosen_sets

__all__ = ["memory_toolset"]

CLIENT = "pydantic-ai"


def memory_toolset(jay: Scrubjay, *, sets: str = "core") -> FunctionToolset[Any]:
    """The `toolsets=[…]` of an agent. `sets` names sets of tools as `scrubjay mcp --tools` does."""
    memory = Tools("openai", jay.lend(source=CLIENT, client=CLIENT, actor=CLIENT, trust="agent"), chosen_sets(sets))

    def made(name: str, description: str, parameters: dict[str, Any]) -> Tool[Any]:
        def call(**arguments: Any) -> str:  # no coroutine: Pydantic AI calls it in a worker thread
            return memory.run(name, arguments)

        return Tool.from_schema(call, name, description, parameters)

    return FunctionToolset([made(**tool["function"]) for tool in memory], id="scrubjay")
