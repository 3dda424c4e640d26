"""The MCP tools, one file for each set of them.

To add a tool, write a function over a memory in the file of its set, and put it into that file's `TOOLS`. To add a set,
write a file with `TOOLS`, and its name into `SETS`. What a definition says about a tool is in `definition.py` beside
this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrubjay.interfaces.mcp.definition import ToolDefinition

__all__ = ["SETS", "tools_of"]

SETS = ("core", "knowledge", "tasks", "sessions", "sources", "admin")  # each a module of that name


def tools_of(sets: Sequence[str]) -> list[ToolDefinition]:
    """The tools of some sets, in order; only the modules of these are imported."""
    modules = [import_module(f"{__name__}.{name}") for name in sets]
    return [tool for module in modules for tool in module.TOOLS]
