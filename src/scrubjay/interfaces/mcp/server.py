"""The MCP server for HTTP, by the official SDK; what it offers is in the catalog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from anyio import to_thread
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    Completion,
    CompletionArgument,
    CompletionContext,
    GetPromptResult,
    Prompt,
    PromptReference,
    Resource,
    ResourceTemplate,
    ResourceTemplateReference,
    Tool,
)

import scrubjay
from scrubjay.interfaces.log_lines import log_to_stderr
from scrubjay.interfaces.mcp import replies, resources
from scrubjay.interfaces.mcp.callers import GRANT, Caller, Grant, caller, calling, client_name
from scrubjay.interfaces.mcp.catalog import ERROR_CHARACTERS, TITLE, Catalog, make_catalog, unknown_tool
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.protocol import OPENING, RequestError
from scrubjay.types.tokens import Scope

__all__ = ["MemoryServer", "make_server"]

FOREIGN: tuple[Scope, ...] = ("read", "write")  # the scopes for a tool or prompt that was added from outside

Answer = TypeVar("Answer")


class MemoryServer(MCPServer[Any]):
    """Offers what is in the catalog, and what is added to it from outside."""

    def __init__(self, catalog: Catalog, opener: Opener, **options: Any) -> None:
        self.opener = opener
        self._catalog = catalog
        super().__init__("scrubjay", **options)
        cast("Any", self).completion()(self._complete)  # the SDK's decorator has no types

    async def list_tools(self) -> list[Tool]:
        added = await super().list_tools() if caller().may(*FOREIGN) else []
        return [*map(Tool.model_validate, self._catalog.list_tools()), *added]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        if name in self._catalog.tools:
            meta = context.request_context.meta if context else None
            return CallToolResult.model_validate(await _answered(self._catalog.call_tool, name, arguments, meta or {}))
        if self._tool_manager.get_tool(name) is None:
            raise ToolError(unknown_tool(name, self._catalog.tools))
        return await super().call_tool(name, arguments, context)

    async def list_resources(self) -> list[Resource]:
        added = await super().list_resources() if caller().may(resources.RESOURCE_SCOPE) else []
        return [*map(Resource.model_validate, self._catalog.list_resources()), *added]

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        added = await super().list_resource_templates() if caller().may(resources.RESOURCE_SCOPE) else []
        return [*map(ResourceTemplate.model_validate, self._catalog.list_templates()), *added]

    async def read_resource(self, uri: Any, context: Any = None) -> Any:
        if not str(uri).startswith(resources.SCHEME):
            return await super().read_resource(uri, context)
        (found,) = (await _answered(self._catalog.read_resource, str(uri)))["contents"]
        return [ReadResourceContents(content=found["text"], mime_type=found["mimeType"])]

    async def list_prompts(self) -> list[Prompt]:
        added = await super().list_prompts() if caller().may(*FOREIGN) else []
        return [*map(Prompt.model_validate, self._catalog.list_prompts()), *added]

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        if self._prompt_manager.get_prompt(name) is None:
            return GetPromptResult.model_validate(await _answered(self._catalog.get_prompt, name, arguments or {}))
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as problem:  # a missing argument: not a crash
            raise MCPError(INVALID_PARAMS, replies.one_line(f"{problem}."[:ERROR_CHARACTERS])) from None

    async def _complete(
        self,
        reference: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion:
        found = await _answered(self._catalog.complete, {"name": argument.name, "value": argument.value})
        return Completion.model_validate(found["completion"])


def make_server(opener: Opener, sets: Sequence[str] = ("core",)) -> MemoryServer:
    """A server for a memory that is opened after the first client's handshake."""
    log_to_stderr()  # before the SDK sets its own logging
    return MemoryServer(
        make_catalog(opener, sets),
        opener,
        title=TITLE,
        instructions=replies.INSTRUCTIONS,
        version=scrubjay.__version__,
        middleware=[_caller_middleware(opener.begin)],
        log_level="WARNING",
    )


async def _answered(answer: Callable[..., Answer], *arguments: Any) -> Answer:
    """Run a method of the catalog in a worker thread."""
    try:
        return await to_thread.run_sync(answer, *arguments)
    except RequestError as problem:
        raise MCPError(problem.code, str(problem), problem.data) from None


def _caller_middleware(after_handshake: Callable[[], None]) -> ServerMiddleware[Any]:
    """Middleware that sets the caller of each request, and calls back after the first one that is not a handshake."""

    async def with_caller(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        try:
            with calling(_caller_of(ctx)):
                return await call_next(ctx)
        finally:
            if ctx.method not in OPENING:
                after_handshake()

    return with_caller


def _caller_of(context: ServerRequestContext[Any, Any]) -> Caller:
    client = context.session.client_params
    request = context.request
    # An HTTP request without a grant has not passed RequireToken, and may do nothing.
    grant = None if request is None else request.scope.get(GRANT) or Grant("", None, ())
    return Caller(client_name(client.client_info.name) if client else None, grant)
