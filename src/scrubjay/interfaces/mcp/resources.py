"""Resources, prompts and completions: for people who choose themselves what their agent reads."""

from __future__ import annotations

from typing import Any, cast

from anyio import to_thread
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import (
    INVALID_PARAMS,
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from scrubjay import Invalid, Scrubjay, ScrubjayError
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.types.tokens import Scope

__all__ = ["PROMPT_SCOPES", "RESOURCE_SCOPE", "add_completions", "add_prompts", "add_resources"]

COMPLETIONS = 100
RESOURCE_SCOPE: Scope = "read"
PROMPT_SCOPES: dict[str, tuple[Scope, ...]] = {"recall": ("read",), "remember": ("write",)}
ABOUT_TOPIC = """\
What do you remember about {topic}? Call memory_search with it, and with other words for it; read what bears on it \
with memory_get. Then tell me what is known, from when, and what seems uncertain or contradictory. Say so if there is \
nothing.

{known}"""
THIS_SESSION = """\
Remember this session. Go through our conversation and keep what will matter later: preferences I stated, decisions \
with their reasons, facts about people and projects, what went wrong and how it was solved, what is left to do. Search \
first; supersede what has changed instead of adding beside it. One memory_add for each statement, clear on its own. \
Leave out secrets and what the code already says. Then list what you remembered, with ids."""


def add_resources(server: MCPServer, opener: Opener) -> None:
    @server.resource("scrubjay://memory/startup", name="startup", mime_type="text/plain")
    def startup() -> str:
        """What to know at a session's start: open tasks, preferences, decisions, the last summary."""
        return _startup(_memory_to_read(opener))

    @server.resource("scrubjay://memory/{id}", name="memory", mime_type="text/plain")
    def memory(id: str) -> str:
        """One memory, in full."""
        jay = _memory_to_read(opener)
        found = jay.get(int(id)) if id.isdecimal() and len(id) < 19 else None
        if found is None:
            raise ResourceNotFoundError(f"There is no memory {id[:40]} in space {jay.space!r}.")
        return replies.card(found)

    @server.resource("scrubjay://space/{space}/startup", name="startup of a space", mime_type="text/plain")
    def startup_of(space: str) -> str:
        """The same for another space."""
        if not caller().may_see(space):
            raise ResourceNotFoundError(f"There is no space {space[:40]!r}.")
        try:
            return _startup(_memory_to_read(opener).lend(space=space))
        except Invalid as problem:
            raise ResourceNotFoundError(replies.one_line(str(problem))) from None


def add_prompts(server: MCPServer, opener: Opener) -> None:
    @server.prompt(
        name="recall", title="What do you remember about …", description="Recall all that is known about it."
    )
    def recall(topic: str) -> str:
        try:
            known = replies.results(_memory_to_read(opener).search(topic))
        except ResourceError as problem:
            raise MCPError(INVALID_PARAMS, replies.one_line(str(problem))) from None
        return ABOUT_TOPIC.format(topic=replies.one_line(topic), known=known)

    @server.prompt(name="remember", title="Remember this session", description="Keep what will matter later.")
    def remember() -> str:
        try:
            caller().need(*PROMPT_SCOPES["remember"])
        except Invalid as problem:
            raise MCPError(INVALID_PARAMS, str(problem)) from None
        return THIS_SESSION


def add_completions(server: MCPServer, opener: Opener) -> None:
    async def complete(
        reference: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        return await to_thread.run_sync(_completion, opener, argument)

    cast("Any", server).completion()(complete)  # the SDK's decorator has no types


def _completion(opener: Opener, argument: CompletionArgument) -> Completion | None:
    if not caller().may(RESOURCE_SCOPE):
        return None
    jay = _memory_to_read(opener)
    if argument.name == "space":
        names = [space for space in jay.spaces() if caller().may_see(space)]
    elif argument.name == "topic":
        names = [subject for subject in jay.subjects() if subject == replies.one_line(subject)]
    else:
        return None
    typed = argument.value.casefold()
    matching = [name for name in names if name.casefold().startswith(typed)]
    return Completion(values=matching[:COMPLETIONS], total=len(matching), has_more=len(matching) > COMPLETIONS)


def _memory_to_read(opener: Opener) -> Scrubjay:
    """The caller's memory, if it may read."""
    try:
        caller().need(RESOURCE_SCOPE)
        return opener.memory_for(caller())
    except ScrubjayError as problem:
        raise ResourceError(caller().error_text(problem)) from None


def _startup(jay: Scrubjay) -> str:
    return jay.context().text or "There is nothing to show."
