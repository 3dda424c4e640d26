"""Resources, prompts and completions: for people who choose themselves what their agent reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from logging import getLogger
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.protocol import INTERNAL_ERROR, INVALID_PARAMS, RequestError
from scrubjay.text.secret_scan.quoting import quoted, shown
from scrubjay.types.limits import is_id
from scrubjay.types.tokens import Scope

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = [
    "PROMPTS",
    "PROMPT_SCOPES",
    "RESOURCES",
    "RESOURCE_SCOPE",
    "SCHEME",
    "TEMPLATES",
    "complete",
    "prompt",
    "read",
]

SCHEME = "scrubjay://"
COMPLETIONS = 100
RESOURCE_SCOPE: Scope = "read"
PROMPT_SCOPES: dict[str, tuple[Scope, ...]] = {"recall": ("read",), "remember": ("write",)}
RESOURCES = (
    {
        "uri": f"{SCHEME}memory/startup",
        "name": "startup",
        "description": "What to know at a session's start: open tasks, preferences, decisions, the last summary.",
        "mimeType": "text/plain",
    },
)
TEMPLATES = (
    {
        "uriTemplate": f"{SCHEME}memory/{{id}}",
        "name": "memory",
        "description": "One memory, in full.",
        "mimeType": "text/plain",
    },
    {
        "uriTemplate": f"{SCHEME}space/{{space}}/startup",
        "name": "startup of a space",
        "description": "The same for another space.",
        "mimeType": "text/plain",
    },
)
PROMPTS: dict[str, dict[str, Any]] = {
    "recall": {
        "name": "recall",
        "title": "What do you remember about …",
        "description": "Recall all that is known about it.",
        "arguments": [{"name": "topic", "required": True}],
    },
    "remember": {
        "name": "remember",
        "title": "Remember this session",
        "description": "Keep what will matter later.",
        "arguments": [],
    },
}
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


def read(opener: Opener, uri: str) -> str:
    """The text of a resource."""
    with _errors_answered(INTERNAL_ERROR, {"uri": uri}):
        match uri.removeprefix(SCHEME).split("/") if uri.startswith(SCHEME) else []:
            case ["memory", "startup"]:
                return _startup(_memory_to_read(opener))
            case ["memory", id]:
                return _memory(_memory_to_read(opener), unquote(id))
            case ["space", space, "startup"]:
                return _startup_of(_memory_to_read(opener), unquote(space))
        raise NotThere(f"Unknown resource: {uri}")


def prompt(opener: Opener, name: str, given: Mapping[str, str]) -> str:
    """The text of a prompt."""
    with _errors_answered(INVALID_PARAMS):
        takes = [one["name"] for one in PROMPTS[name]["arguments"]]
        if missing := [one for one in takes if one not in given]:
            raise Invalid(f"The prompt {name} needs the argument {missing[0]}.")
        if unknown := sorted(set(given) - set(takes)):
            raise Invalid(f"The prompt {name} has no argument {quoted(unknown[0])}.")
        caller().need(*PROMPT_SCOPES[name])
        if name == "remember":
            return THIS_SESSION
        known = replies.results(_memory_to_read(opener).search(given["topic"]))
        return ABOUT_TOPIC.format(topic=replies.one_line(given["topic"]), known=known)


def complete(opener: Opener, argument: Mapping[str, str]) -> dict[str, Any]:
    """The names that an argument may have, of those that begin with what is typed."""
    with _errors_answered(INTERNAL_ERROR):
        names = _names(opener, argument["name"]) if caller().may(RESOURCE_SCOPE) else None
    if names is None:
        return {"values": []}
    typed = argument["value"].casefold()
    matching = [name for name in names if name.casefold().startswith(typed)]
    return {"values": matching[:COMPLETIONS], "total": len(matching), "hasMore": len(matching) > COMPLETIONS}


class NotThere(Exception):
    """There is no such resource."""


@contextmanager
def _errors_answered(code: int, data: Any = None) -> Iterator[None]:
    """Answer errors with one sentence; what is unexpected is only in the log."""
    try:
        yield
    except NotThere as problem:
        raise RequestError(INVALID_PARAMS, replies.one_line(str(problem)), data) from None
    except ScrubjayError as problem:
        raise RequestError(code, caller().error_text(problem), data) from None
    except Exception:
        getLogger("scrubjay").exception("A resource, prompt or completion failed")
        raise RequestError(INTERNAL_ERROR, "This failed; the server's log says why.", data) from None


def _memory(jay: Scrubjay, id: str) -> str:
    found = jay.get(int(id)) if is_id(id) else None
    if found is None:
        raise NotThere(f"There is no memory {shown(id)} in space {jay.space!r}.")
    return replies.card(found)


def _startup_of(jay: Scrubjay, space: str) -> str:
    if not caller().may_see(space):
        raise NotThere(f"There is no space {quoted(space)}.")
    try:
        return _startup(jay.lend(space=space))
    except Invalid as problem:
        raise NotThere(str(problem)) from None


def _startup(jay: Scrubjay) -> str:
    return jay.context().text or replies.NOTHING_TO_SHOW


def _names(opener: Opener, argument: str) -> list[str] | None:
    jay = _memory_to_read(opener)
    if argument == "space":
        return [space for space in jay.spaces() if caller().may_see(space)]
    if argument == "topic":
        return [subject for subject in jay.subjects() if subject == replies.one_line(subject)]
    return None


def _memory_to_read(opener: Opener) -> Scrubjay:
    """The caller's memory, if it may read."""
    caller().need(RESOURCE_SCOPE)
    return opener.memory_for(caller())
