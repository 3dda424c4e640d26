"""How a plain function over a memory becomes an MCP tool: a short schema, and errors of one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scrubjay.interfaces.mcp.arguments import arguments_of
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.replies import MOST_ROWS
from scrubjay.types.tokens import Scope

__all__ = ["Ids", "Texts", "ToolDefinition", "given", "row_count", "tool"]

ALWAYS_LOAD = {"anthropic/alwaysLoad": True}  # Claude Code defers every other tool behind a search

Ids = list[int]
Texts = list[str]


def given(**arguments: Any) -> dict[str, Any]:
    """The arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


def row_count(name: str, value: int) -> int:
    """The value of an argument that says how many rows to read; raises if it is more than one answer may have."""
    from scrubjay.memory.arguments import count  # not needed for the list of tools

    return count(name, value, MOST_ROWS)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A function that becomes a tool, with the scopes it needs and hints for the client."""

    function: Callable[..., str]
    scopes: tuple[Scope, ...]
    hints: Mapping[str, bool]
    always_load: bool

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def description(self) -> str:
        return " ".join((self.function.__doc__ or "").split())

    @property
    def listed(self) -> dict[str, Any]:
        """The tool as `tools/list` has it."""
        about = {
            "name": self.name,
            "description": self.description,
            "inputSchema": arguments_of(self.function).schema,
            "annotations": dict(self.hints),
        }
        return {**about, "_meta": ALWAYS_LOAD} if self.always_load else about

    def answer(self, opener: Opener, arguments: Mapping[str, Any]) -> str:
        """Run the function with the caller's memory."""
        checked = arguments_of(self.function).check(arguments)
        caller().need(*self.scopes)
        return self.function(opener.memory_for(caller()), **checked)


def tool(
    *scopes: Scope, destroys: bool = False, changes: bool = False, always_load: bool = False
) -> Callable[[Callable[..., str]], ToolDefinition]:
    """Make a tool of a function `(jay, …) -> text`, for callers with these scopes.

    A tool that needs only the scope read changes nothing, unless `changes` is set. The answer of any other tool must
    not contain stored text unless its caller may read, too.
    """
    reads = scopes == ("read",) and not changes
    hints = {"readOnlyHint": True} if reads else {"destructiveHint": destroys}
    return lambda function: ToolDefinition(function, scopes, hints, always_load)
