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
from mcp.server import MCPServer
from mcp.server.mcpserver.tools import Tool

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.doors.mcp import reading, wording
from scrubjay.doors.mcp.callers import introducing
from scrubjay.doors.mcp.lending import Lending
from scrubjay.project import identify
from scrubjay.safe_text import visible

__all__ = ["SETS", "VisibleLines", "chosen_sets", "make_server", "serve_stdio"]

SETS = ("core", "knowledge", "tasks", "sessions", "sources", "admin")  # each a module of that name
PARENT_WATCHED_EVERY_SECONDS = 1.0


def chosen_sets(names: str) -> tuple[str, ...]:
    """The sets of `core,tasks`, or of `all`; core is always among them."""
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if unknown := [name for name in asked if name not in (*SETS, "all")]:
        raise Invalid(f"There is no set of tools {unknown[0]!r}; there are {', '.join(SETS)}, or all.")
    return tuple(name for name in SETS if name == "core" or name in asked or "all" in asked)


def make_server(lending: Lending, sets: Sequence[str] = ("core",)) -> MCPServer[Any]:
    """A server over a memory that is opened once the first client has shaken hands."""
    _log_to_stderr()
    server: MCPServer[Any] = MCPServer(
        "scrubjay",
        title="Scrubjay memory",
        instructions=wording.INSTRUCTIONS,
        version=scrubjay.__version__,
        tools=_tools(lending, sets),
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
    return scrubjay.open(store, space=space, project=identify(here), folder=here, trust="agent")


def _tools(lending: Lending, sets: Sequence[str]) -> list[Tool]:
    modules = [import_module(f"scrubjay.doors.mcp.{name}") for name in sets]
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
