"""The MCP tools for programs that call a model themselves: defined as an API takes them, and run on request."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from scrubjay.api import Scrubjay
from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.interfaces.mcp.arguments import Arguments, arguments_of
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import ToolDefinition
from scrubjay.interfaces.mcp.tools import chosen_sets, tools_of
from scrubjay.opening import open
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["Api", "Tools", "tools"]

Api = Literal["anthropic", "openai", "openai-responses"]


class Tools(list[dict[str, Any]]):
    """Definitions of tools, to be given to an API as they are; `run` does what a model asks for."""

    def __init__(self, api: Api, memory: Scrubjay, sets: Sequence[str]) -> None:
        self._tools = {one.name: (one, arguments_of(one.function)) for one in tools_of(sets)}
        self._memory = memory
        shape = SHAPES[api]
        super().__init__(shape(name, one.description, takes.schema) for name, (one, takes) in self._tools.items())

    def run(self, name: str, arguments: Mapping[str, Any] | str) -> str:
        """The answer for the model; of a call that is wrong, one sentence that says so and begins with "Error:".

        OpenAI gives the arguments as a JSON text.
        """
        try:
            definition, takes = self._named(name)
            return definition.function(self._memory, **takes.check(_object(arguments))).text
        except ScrubjayError as problem:
            return f"Error: {caller().error_text(problem)}"

    def _named(self, name: str) -> tuple[ToolDefinition, Arguments]:
        if name not in self._tools:
            raise Invalid(f"There is no tool {quoted(name)}; there are {', '.join(self._tools)}.")
        return self._tools[name]


def tools(api: Api, memory: Scrubjay | None = None, *, sets: str = "core") -> Tools:
    """The tools of the MCP server for Anthropic's Messages API (`anthropic`), or for OpenAI's chat completions
    (`openai`) or responses (`openai-responses`).

    Without a memory: the one in the user's data folder. `sets` names sets of tools as `scrubjay mcp --tools` does.
    """
    if api not in SHAPES:
        raise Invalid(f"There are no tools for {api!r}; there are some for {', '.join(SHAPES)}.")
    own = open() if memory is None else memory
    return Tools(api, own.lend(source=api, trust="agent", client=api, actor=api), chosen_sets(sets))


def _anthropic(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "description": description, "input_schema": schema}


def _openai(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def _openai_responses(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "name": name, "description": description, "parameters": schema, "strict": False}


SHAPES = {"anthropic": _anthropic, "openai": _openai, "openai-responses": _openai_responses}


def _object(arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    try:
        found = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        raise Invalid("The arguments of a tool are a JSON object.")
    return found
