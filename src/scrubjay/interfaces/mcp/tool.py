"""A tool: a plain function over a memory, a schema of few bytes, and complaints of one sentence."""

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
from scrubjay.interfaces.mcp.opener import Lending
from scrubjay.types.tokens import Scope

__all__ = ["Arguments", "Ids", "MemoryTool", "Offer", "Texts", "given", "offered"]

AT_HAND = {"anthropic/alwaysLoad": True}  # Claude Code defers every other tool behind a search
WORDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "object": "an object",
    "boolean": "true or false",
}


def _listed(value: Any) -> Any:
    """A model that means one often does not say it as a list."""
    return [value] if isinstance(value, str | int) else value


Ids = Annotated[list[int], BeforeValidator(_listed)]
Texts = Annotated[list[str], BeforeValidator(_listed)]


def given(**arguments: Any) -> dict[str, Any]:
    """The arguments that were given."""
    return {name: value for name, value in arguments.items() if value is not None}


class MemoryTool(Tool):
    """Lends the memory to its function, in a worker thread."""

    scopes: tuple[Scope, ...]
    lending: Any

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        try:
            known = Arguments(self.name, self.parameters, self.fn_metadata).check(arguments)
            text = await to_thread.run_sync(self._answer, caller(), known)
        except ScrubjayError as problem:
            raise ToolError(caller().told(problem)) from None
        except Exception as crash:
            raise UnexpectedToolError(f"{self.name} failed inside; the server's log says why.") from crash
        return CallToolResult(content=[TextContent(type="text", text=text)])

    def _answer(self, who: Caller, arguments: Mapping[str, Any]) -> str:
        who.need(*self.scopes)
        answer: str = self.fn(self.lending.lend(who), **arguments)
        return answer


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a tool takes, and one sentence for what is wrong with what it is given."""

    tool: str
    schema: dict[str, Any]
    metadata: FuncMetadata

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        takes = self.schema["properties"]
        if strange := sorted(set(arguments) - set(takes)):
            raise Invalid(f"{self.tool} has no argument {strange[0][:40]!r}; it has {', '.join(takes) or 'none'}.")
        try:
            return self.metadata.validate_arguments(dict(arguments))
        except ValidationError as wrong:
            problem = wrong.errors(include_url=False, include_input=False)[0]
            name = str(problem["loc"][0])
            if problem["type"] == "missing":
                raise Invalid(f"{self.tool} needs the argument {name}.") from None
            raise Invalid(f"{name} must be {_in_words(takes[name])}.") from None


@dataclass(frozen=True, slots=True)
class Offer:
    """A function to be offered as a tool, and what its callers need and should know."""

    function: Callable[..., str]
    scopes: tuple[Scope, ...]
    annotations: ToolAnnotations
    at_hand: bool

    @property
    def name(self) -> str:
        return self.function.__name__

    def arguments(self) -> Arguments:
        found = func_metadata(self.function, skip_names=["jay"], structured_output=False)
        return Arguments(self.name, _lean(found.arg_model.model_json_schema(by_alias=True)), found)

    def tool(self, lending: Lending) -> MemoryTool:
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
            meta=AT_HAND if self.at_hand else None,
            scopes=self.scopes,
            lending=lending,
        )


def offered(
    *scopes: Scope, destroys: bool = False, changes: bool = False, at_hand: bool = False
) -> Callable[[Callable[..., str]], Offer]:
    """Offer a function `(jay, …) -> text` to those who have these scopes.

    What needs only the scope read changes nothing, unless it says so. The answers of other tools hold no text that
    their caller did not send, unless the caller may read, too.
    """
    reads = scopes == ("read",) and not changes
    hints = ToolAnnotations(read_only_hint=True) if reads else ToolAnnotations(destructive_hint=destroys)
    return lambda function: Offer(function, scopes, hints, at_hand)


def _lean(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without what a model knows anyway: titles, that optional values may be null, that objects are open."""
    properties = {name: _lean_property(about) for name, about in schema.get("properties", {}).items()}
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"type": "object", "properties": properties, **required}


def _lean_property(about: Mapping[str, Any]) -> dict[str, Any]:
    chosen = next((each for each in about.get("anyOf", ()) if each != {"type": "null"}), about)
    said = {key: value for key, value in chosen.items() if key not in ("title", "default", "additionalProperties")}
    return {**said, "items": _lean_property(said["items"])} if "items" in said else said


def _in_words(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if schema.get("type") == "array":
        return f"a list, each {WORDS.get(schema['items'].get('type', ''), 'a value')}"
    return WORDS.get(schema.get("type", ""), "a value of another type")
