"""What the server offers, in the words of the protocol: tools, resources, prompts. The same over a pipe and HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from logging import getLogger
from typing import Any

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.mcp import replies, resources
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import ToolDefinition
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.protocol import INVALID_PARAMS, JSON_KEY, RequestError
from scrubjay.interfaces.mcp.tools import tools_of
from scrubjay.text.nearest import nearest
from scrubjay.text.secret_scan.quoting import shown

__all__ = ["TITLE", "Catalog", "make_catalog", "unknown_tool"]

TITLE = "Scrubjay memory"
ERROR_CHARACTERS = 200

Listed = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Catalog:
    """The tools, resources and prompts; lists have only what the caller may use."""

    opener: Opener
    tools: Mapping[str, ToolDefinition]

    def list_tools(self) -> Listed:
        return [tool.listed for tool in self.tools.values() if caller().may(*tool.scopes)]

    def list_resources(self) -> Listed:
        return list(resources.RESOURCES) if caller().may(resources.RESOURCE_SCOPE) else []

    def list_templates(self) -> Listed:
        return list(resources.TEMPLATES) if caller().may(resources.RESOURCE_SCOPE) else []

    def list_prompts(self) -> Listed:
        return [one for name, one in resources.PROMPTS.items() if caller().may(*resources.PROMPT_SCOPES[name])]

    def call_tool(self, name: str, arguments: Mapping[str, Any], meta: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of a tool; an error is an answer, too, which the model reads.

        Data come with the text only if the request's `_meta` asks for them: a client that is given both may show its
        model nothing but the data, which no fence marks as such.
        """
        if name not in self.tools:
            return _said(unknown_tool(name, self.tools), is_error=True)
        tool, asks_json = self.tools[name], meta.get(JSON_KEY) is True
        try:
            reply = tool.answer(self.opener, arguments)
            return _said(reply.text, tool.in_json(reply) if asks_json else None)
        except ScrubjayError as problem:
            sentence = caller().error_text(problem)
            refused = {"error": sentence, "type": type(problem).__name__}
            return _said(sentence, refused if asks_json else None, is_error=True)
        except Exception:
            getLogger("scrubjay").exception("Tool %r raised an unexpected exception", name)
            return _said(f"{name} failed; the server's log says why.", is_error=True)

    def read_resource(self, uri: str) -> dict[str, Any]:
        content = {"uri": uri, "mimeType": "text/plain", "text": resources.read(self.opener, uri)}
        return {"contents": [content]}

    def get_prompt(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
        if name not in resources.PROMPTS:
            raise RequestError(INVALID_PARAMS, replies.one_line(f"Unknown prompt: {shown(name)}."))
        content = {"type": "text", "text": resources.prompt(self.opener, name, arguments)}
        return {
            "description": resources.PROMPTS[name]["description"],
            "messages": [{"role": "user", "content": content}],
        }

    def complete(self, argument: Mapping[str, str]) -> dict[str, Any]:
        return {"completion": resources.complete(self.opener, argument)}


def make_catalog(opener: Opener, sets: Sequence[str]) -> Catalog:
    return Catalog(opener, {definition.name: definition for definition in tools_of(sets)})


def unknown_tool(name: str, known: Iterable[str]) -> str:
    meant = nearest(name, known)
    return replies.one_line(
        f"Unknown tool: {shown(name)}; {f'did you mean {meant}?' if meant else 'tools/list has them.'}"
    )


def _said(text: str, data: Mapping[str, Any] | None = None, *, is_error: bool = False) -> dict[str, Any]:
    structured = {} if data is None else {"structuredContent": data}
    return {"content": [{"type": "text", "text": text}], **structured, "isError": is_error}
