"""The server itself: which tools, which words, and how it lives and ends at a pipe."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import INVALID_PARAMS, Prompt, Resource, ResourceTemplate, Tool

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces.mcp import reading, replies
from scrubjay.interfaces.mcp.callers import caller, introducing
from scrubjay.interfaces.mcp.opener import Lending
from scrubjay.interfaces.mcp.tool import MemoryTool
from scrubjay.project.identity import identify
from scrubjay.text.safe_text import visible
from scrubjay.types.tokens import Scope

__all__ = ["SETS", "MemoryServer", "VisibleLines", "chosen_sets", "make_server", "serve_stdio"]

SETS = ("core", "knowledge", "tasks", "sessions", "sources", "admin")  # each a module of that name
PARENT_WATCHED_EVERY_SECONDS = 1.0
NAME_CHARACTERS = 40  # of a name that an error repeats
ERROR_CHARACTERS = 200


def chosen_sets(names: str) -> tuple[str, ...]:
    """The sets of `core,tasks`, or of `all`; core is always among them."""
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if unknown := [name for name in asked if name not in (*SETS, "all")]:
        raise Invalid(f"There is no set of tools {unknown[0]!r}; there are {', '.join(SETS)}, or all.")
    return tuple(name for name in SETS if name == "core" or name in asked or "all" in asked)


class MemoryServer(MCPServer[Any]):
    """Lists what its caller may use, and nothing else."""

    def __init__(self, tools: Sequence[MemoryTool], **options: Any) -> None:
        self._scopes = {tool.name: tool.scopes for tool in tools} | reading.PROMPT_SCOPES
        super().__init__("scrubjay", tools=list(tools), **options)

    def scopes_of(self, name: str) -> tuple[Scope, ...]:
        """What a tool or a prompt needs; one that was added from outside has not said so."""
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
        except ValueError as problem:  # an unknown name, or an argument that is missing: else it counts as a crash
            raise MCPError(INVALID_PARAMS, replies.one_line(f"{problem}."[:ERROR_CHARACTERS])) from None

    async def list_resources(self) -> list[Resource]:
        return await super().list_resources() if caller().may(reading.RESOURCE_SCOPE) else []

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        return await super().list_resource_templates() if caller().may(reading.RESOURCE_SCOPE) else []


def make_server(lending: Lending, sets: Sequence[str] = ("core",)) -> MemoryServer:
    """A server over a memory that is opened once the first client has shaken hands."""
    _log_to_stderr()
    server = MemoryServer(
        _tools(lending, sets),
        title="Scrubjay memory",
        instructions=replies.INSTRUCTIONS,
        version=scrubjay.__version__,
        middleware=[introducing(lending.begin)],
        log_level="WARNING",
    )
    reading.add_resources(server, lending)
    reading.add_prompts(server, lending)
    reading.add_completions(server, lending)
    return server


def serve_stdio(store: str | None, space: str | None, sets: Sequence[str]) -> None:
    """Serve one client at standard input and output, until it or the process that started us is gone."""
    lending = Lending(lambda: _opened(store, space))
    anyio.run(_until_abandoned, make_server(lending, sets), os.getppid())
    lending.close()


def _opened(store: str | None, space: str | None) -> Scrubjay:
    here = Path.cwd()
    jay = scrubjay.open(store, space=space, project=identify(here), folder=here, trust="agent")
    for note in jay.notes:
        logging.getLogger("scrubjay").warning("%s", note)
    return jay


def _tools(lending: Lending, sets: Sequence[str]) -> list[MemoryTool]:
    modules = [import_module(f"scrubjay.interfaces.mcp.tools.{name}") for name in sets]
    return [offer.tool(lending) for module in modules for offer in module.TOOLS]


async def _until_abandoned(server: MCPServer[Any], parent: int) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_leave_with, parent)
        await server.run_stdio_async()
        tasks.cancel_scope.cancel()


async def _leave_with(parent: int) -> None:
    """A client that was killed may leave its end of the pipe open in some other process: then no end is ever read."""
    while os.getppid() == parent:
        await anyio.sleep(PARENT_WATCHED_EVERY_SECONDS)
    os._exit(0)  # a thread waits for standard input, and would for ever; every acknowledged write is on disk


def _log_to_stderr() -> None:
    """Warnings only, as plain lines; set first, so that the SDK does not set its own."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(VisibleLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class VisibleLines(logging.Formatter):
    """What is logged may quote a memory, and be read at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))
