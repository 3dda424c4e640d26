"""The MCP tools, one file for each set of them.

To add a tool, write a function over a memory in the file of its set, and put it into that file's `TOOLS`. To add a set,
write a file with `TOOLS`, and its name into `SETS`. What a definition says about a tool is in `definition.py` beside
this folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from scrubjay.errors import Invalid

if TYPE_CHECKING:
    from scrubjay.interfaces.mcp.definition import ToolDefinition

__all__ = ["SETS", "chosen_sets", "tools_of"]

SETS = (
    "core",
    "knowledge",
    "connections",
    "tasks",
    "sessions",
    "records",
    "sources",
    "admin",
)  # each a module of that name


def chosen_sets(names: str) -> tuple[str, ...]:
    """The sets in `core,tasks`, or all of them for `all`; core is always included."""
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if unknown := [name for name in asked if name not in (*SETS, "all")]:
        raise Invalid(f"There is no set of tools {unknown[0]!r}; there are {', '.join(SETS)}, or all.")
    return tuple(name for name in SETS if name == "core" or name in asked or "all" in asked)


def tools_of(sets: Sequence[str]) -> list[ToolDefinition]:
    """The tools of some sets, in order; only the modules of these are imported."""
    modules = [import_module(f"{__name__}.{name}") for name in sets]
    return [tool for module in modules for tool in module.TOOLS]
