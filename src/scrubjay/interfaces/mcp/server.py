"""The MCP server: its tools and instructions, and how it runs and ends over standard input and output."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import INVALID_PARAMS, Prompt, Resource, ResourceTemplate, Tool

import scrubjay
from scrubjay import Invalid, Scrubjay, config
from scrubjay.interfaces.mcp import replies, resources
from scrubjay.interfaces.mcp.callers import caller, caller_middleware
from scrubjay.interfaces.mcp.definition import MemoryTool
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.tools import SETS, tools_of
from scrubjay.project.identity import identify
from scrubjay.text.safe_text import visible
from scrubjay.types.tokens import Scope

__all__ = ["MemoryServer", "VisibleLines", "chosen_sets", "make_server", "serve_stdio"]

PARENT_CHECK_SECONDS = 1.0
NAME_CHARACTERS = 40  # of a name that an error repeats
ERROR_CHARACTERS = 200


def chosen_sets(names: str) -> tuple[str, ...]:
    """The sets in `core,tasks`, or all of them for `all`; core is always included."""
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if unknown := [name for name in asked if name not in (*SETS, "all")]:
        raise Invalid(f"There is no set of tools {unknown[0]!r}; there are {', '.join(SETS)}, or all.")
    return tuple(name for name in SETS if name == "core" or name in asked or "all" in asked)


class MemoryServer(MCPServer[Any]):
    """Lists only what its caller may use."""

    def __init__(self, tools: Sequence[MemoryTool], **options: Any) -> None:
        self._scopes = {tool.name: tool.scopes for tool in tools} | resources.PROMPT_SCOPES
        super().__init__("scrubjay", tools=list(tools), **options)

    def scopes_of(self, name: str) -> tuple[Scope, ...]:
        """The scopes that a tool or prompt needs; for one that was added from outside, read and write."""
        return self._scopes.get(name, ("read", "write"))

    async def list_tools(self) -> list[Tool]:
        return [tool for tool in await super().list_tools() if caller().may(*self.scopes_of(tool.name))]

    async def list_prompts(self) -> list[Prompt]:
        return [prompt for prompt in await super().list_prompts() if caller().may(*self.scopes_of(prompt.name))]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        if self._tool_manager.get_tool(name) is None:
            raise ToolError(replies.one_line(f"Unknown tool: {name[:NAME_CHARACTERS]}; tools/list has them."))
        return await super().call_tool(name, arguments, context)

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as problem:  # an unknown name or a missing argument: not a crash
            raise MCPError(INVALID_PARAMS, replies.one_line(f"{problem}."[:ERROR_CHARACTERS])) from None

    async def list_resources(self) -> list[Resource]:
        return await super().list_resources() if caller().may(resources.RESOURCE_SCOPE) else []

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        return await super().list_resource_templates() if caller().may(resources.RESOURCE_SCOPE) else []


def make_server(opener: Opener, sets: Sequence[str] = ("core",)) -> MemoryServer:
    """A server for a memory that is opened after the first client's handshake."""
    _log_to_stderr()
    server = MemoryServer(
        [definition.build(opener) for definition in tools_of(sets)],
        title="Scrubjay memory",
        instructions=replies.INSTRUCTIONS,
        version=scrubjay.__version__,
        middleware=[caller_middleware(opener.begin)],
        log_level="WARNING",
    )
    resources.add_resources(server, opener)
    resources.add_prompts(server, opener)
    resources.add_completions(server, opener)
    return server


def serve_stdio(store: str | None, space: str | None, sets: Sequence[str]) -> None:
    """Serve one client over standard input and output, until it or our parent process ends."""
    opener = Opener(lambda: _opened(store, space), answers_hooks=True)
    anyio.run(_serve_until_closed, make_server(opener, sets), os.getppid())
    opener.close()


def _opened(store: str | None, space: str | None) -> Scrubjay:
    here = Path.cwd()
    jay = scrubjay.open(store, space=space, project=identify(here), folder=here, trust="agent")
    for note in jay.notes:
        logging.getLogger("scrubjay").warning("%s", note)
    return jay


async def _serve_until_closed(server: MCPServer[Any], parent: int) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_exit_with_parent, parent)
        await server.run_stdio_async()
        tasks.cancel_scope.cancel()


async def _exit_with_parent(parent: int) -> None:
    """If a client is killed, another process may keep its end of the pipe open, and the input never ends."""
    while os.getppid() == parent:
        await anyio.sleep(PARENT_CHECK_SECONDS)
    os._exit(0)  # a thread waits for standard input for ever; every acknowledged write is on disk


def _log_to_stderr() -> None:
    """Plain lines of the level that is set; before the SDK sets its own logging."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(VisibleLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=config.load().get("log.level").upper(), handlers=[handler])


class VisibleLines(logging.Formatter):
    """Escapes control characters: a log line may quote a memory, and be read at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))
