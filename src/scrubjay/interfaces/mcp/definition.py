"""How a plain function over a memory becomes an MCP tool: a short schema, and errors of one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from anyio import to_thread
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata, func_metadata
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BeforeValidator, ValidationError

from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.interfaces.mcp.callers import Caller, caller
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.types.tokens import Scope

__all__ = ["Arguments", "Ids", "MemoryTool", "Texts", "ToolDefinition", "given", "tool"]

ALWAYS_LOAD = {"anthropic/alwaysLoad": True}  # Claude Code defers every other tool behind a search
TYPE_NAMES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "object": "an object",
    "boolean": "true or false",
}


def _listed(value: Any) -> Any:
    """A list of one, if a model gives a single value."""
    return [value] if isinstance(value, str | int) else value


Ids = Annotated[list[int], BeforeValidator(_listed)]
Texts = Annotated[list[str], BeforeValidator(_listed)]


def given(**arguments: Any) -> dict[str, Any]:
    """The arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


class MemoryTool(Tool):
    """Runs its function with the caller's memory, in a worker thread."""

    scopes: tuple[Scope, ...]
    opener: Any  # Opener

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            known = Arguments(self.name, self.parameters, self.fn_metadata).check(arguments)
            text = await to_thread.run_sync(self._answer, caller(), known)
        except ScrubjayError as problem:
            raise ToolError(caller().error_text(problem)) from None
        except Exception as crash:
            raise UnexpectedToolError(f"{self.name} failed; the server's log says why.") from crash
        return CallToolResult(content=[TextContent(type="text", text=text)])

    def _answer(self, who: Caller, arguments: Mapping[str, Any]) -> str:
        who.need(*self.scopes)
        answer: str = self.fn(self.opener.memory_for(who), **arguments)
        return answer


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a tool; `check` raises one sentence if they are wrong."""

    tool: str
    schema: dict[str, Any]
    metadata: FuncMetadata

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        takes = self.schema["properties"]
        if unknown := sorted(set(arguments) - set(takes)):
            raise Invalid(f"{self.tool} has no argument {unknown[0][:40]!r}; it has {', '.join(takes) or 'none'}.")
        try:
            return self.metadata.validate_arguments(dict(arguments))
        except ValidationError as wrong:
            problem = wrong.errors(include_url=False, include_input=False)[0]
            name = str(problem["loc"][0])
            if problem["type"] == "missing":
                raise Invalid(f"{self.tool} needs the argument {name}.") from None
            raise Invalid(f"{name} must be {_type_in_words(takes[name])}.") from None


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A function that becomes a tool, with the scopes it needs and hints for the client."""

    function: Callable[..., str]
    scopes: tuple[Scope, ...]
    annotations: ToolAnnotations
    always_load: bool

    @property
    def name(self) -> str:
        return self.function.__name__

    def arguments(self) -> Arguments:
        found = func_metadata(self.function, skip_names=["jay"], structured_output=False)
        return Arguments(self.name, _lean(found.arg_model.model_json_schema(by_alias=True)), found)

    def build(self, opener: Opener) -> MemoryTool:
        arguments = self.arguments()
        return MemoryTool(
            fn=self.function,
            name=self.name,
            title=None,
            context_kwarg=None,
            description=" ".join((self.function.__doc__ or "").split()),
            parameters=arguments.schema,
            fn_metadata=arguments.metadata,
            is_async=False,
            annotations=self.annotations,
            meta=ALWAYS_LOAD if self.always_load else None,
            scopes=self.scopes,
            opener=opener,
        )


def tool(
    *scopes: Scope, destroys: bool = False, changes: bool = False, always_load: bool = False
) -> Callable[[Callable[..., str]], ToolDefinition]:
    """Make a tool of a function `(jay, …) -> text`, for callers with these scopes.

    A tool that needs only the scope read changes nothing, unless `changes` is set. The answer of any other tool must
    not contain stored text unless its caller may read, too.
    """
    reads = scopes == ("read",) and not changes
    hints = ToolAnnotations(read_only_hint=True) if reads else ToolAnnotations(destructive_hint=destroys)
    return lambda function: ToolDefinition(function, scopes, hints, always_load)


def _lean(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without what a model does not need: titles, null for optional values, additionalProperties."""
    properties = {name: _lean_property(about) for name, about in schema.get("properties", {}).items()}
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"type": "object", "properties": properties, **required}


def _lean_property(about: Mapping[str, Any]) -> dict[str, Any]:
    variant = next((each for each in about.get("anyOf", ()) if each != {"type": "null"}), about)
    kept = {key: value for key, value in variant.items() if key not in ("title", "default", "additionalProperties")}
    return {**kept, "items": _lean_property(kept["items"])} if "items" in kept else kept


def _type_in_words(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if schema.get("type") == "array":
        return f"a list, each {TYPE_NAMES.get(schema['items'].get('type', ''), 'a value')}"
    return TYPE_NAMES.get(schema.get("type", ""), "a value of another type")
