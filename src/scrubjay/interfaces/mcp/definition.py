"""How a plain function over a memory becomes an MCP tool: a short schema, a text for a model, data for a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scrubjay.interfaces.mcp.arguments import arguments_of
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.replies import MOST_ROWS
from scrubjay.types.tokens import Scope

__all__ = ["Ids", "Reply", "Texts", "ToolDefinition", "given", "row_count", "tool"]

ALWAYS_LOAD = {"anthropic/alwaysLoad": True}  # Claude Code defers every other tool behind a search

Shape = Mapping[str, str]  # as in shapes.py, which imports more than the list of tools needs
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
class Reply:
    """What a tool answers: a text for a model, and the same as data for a program that asks for it."""

    text: str
    data: Any  # a noun of shapes.py, or a mapping of keys to such; it becomes JSON only when asked for


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A function that becomes a tool, with the scopes it needs, the shapes of its data, and hints for the client."""

    function: Callable[..., Reply]
    scopes: tuple[Scope, ...]
    answers: tuple[str | Shape, ...]
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

    def answer(self, opener: Opener, arguments: Mapping[str, Any]) -> Reply:
        """Run the function with the caller's memory."""
        checked = arguments_of(self.function).check(arguments)
        caller().need(*self.scopes)
        return self.function(opener.memory_for(caller()), **checked)

    def in_json(self, reply: Reply) -> dict[str, Any]:
        """The data of an answer; a caller that may not read gets the ids in it, and nothing else."""
        from scrubjay.interfaces.formatting import to_json  # not needed for the list of tools
        from scrubjay.interfaces.seen import ids_in

        shown: dict[str, Any] = to_json(reply.data)
        return shown if caller().may("read") or self.scopes != ("write",) else {"ids": ids_in(shown)}


def tool(
    *scopes: Scope, answers: str | tuple[str | Shape, ...], destroys: bool = False, changes: bool = False,
    always_load: bool = False,
) -> Callable[[Callable[..., Reply]], ToolDefinition]:  # fmt: skip
    """Make a tool of a function `(jay, …) -> Reply`, for callers with these scopes.

    `answers` names the commands whose JSON its data become, or has a shape of its own. A tool that needs only the
    scope read changes nothing, unless `changes` is set. The answer of any other tool must not contain stored text
    unless its caller may read, too; of the data of a tool that needs only write, such a caller gets the ids.
    """
    shapes = (answers,) if isinstance(answers, str) else answers
    reads = scopes == ("read",) and not changes
    hints = {"readOnlyHint": True} if reads else {"destructiveHint": destroys}
    return lambda function: ToolDefinition(function, scopes, shapes, hints, always_load)
