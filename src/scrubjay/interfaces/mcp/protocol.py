"""The words of the protocol: its versions and errors, and the parameters that each request must have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = [
    "CACHEABLE",
    "CAPABILITIES_KEY",
    "CLIENT_KEY",
    "ENVELOPE",
    "HANDSHAKE",
    "HANDSHAKE_VERSIONS",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "JSON_KEY",
    "MODERN",
    "MODERN_VERSIONS",
    "OPENING",
    "PARSE_ERROR",
    "SERVER_KEY",
    "STATEFUL",
    "SUBSCRIPTION_KEY",
    "UNSUPPORTED_VERSION",
    "VERSION_KEY",
    "Params",
    "RequestError",
    "fits",
    "not_found",
    "wrong_params",
]

Params = Mapping[str, Any]

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")  # the last one is offered
MODERN_VERSIONS = ("2026-07-28",)  # no handshake: each request has an envelope in its `_meta`

PARSE_ERROR = -32700
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32600, -32601, -32602, -32603
UNSUPPORTED_VERSION = -32022

PREFIX = "io.modelcontextprotocol/"
VERSION_KEY, CLIENT_KEY = f"{PREFIX}protocolVersion", f"{PREFIX}clientInfo"
CAPABILITIES_KEY, SERVER_KEY = f"{PREFIX}clientCapabilities", f"{PREFIX}serverInfo"
SUBSCRIPTION_KEY = f"{PREFIX}subscriptionId"
JSON_KEY = "io.github.scrubjay/json"  # our own: true in a call's `_meta` asks for the answer's data beside its text


class RequestError(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    @property
    def shown(self) -> dict[str, Any]:
        """The error as it is sent."""
        data = {} if self.data is None else {"data": self.data}
        return {"code": self.code, "message": str(self), **data}


def not_found(method: str) -> RequestError:
    return RequestError(METHOD_NOT_FOUND, "Method not found", method)


def wrong_params() -> RequestError:
    return RequestError(INVALID_PARAMS, "Invalid request parameters", "")


# What parameters must look like. `name?` may be left out or null; a set has the words that are allowed, and {str: …}
# stands for any names. What the server does not read is not checked.
LEVELS = {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
IMPLEMENTATION = {"name": str, "version": str}
ENVELOPE = {CAPABILITIES_KEY: dict, f"{CLIENT_KEY}?": IMPLEMENTATION}
PAGE = {"cursor?": str}
URI = {"uri": str}
COMPLETE = {
    "ref": [{"type": {"ref/prompt"}, "name": str}, {"type": {"ref/resource"}, "uri": str}],
    "argument": {"name": str, "value": str},
    "context?": {"arguments?": {str: str}},
}
LISTEN = {
    "notifications": {
        "toolsListChanged?": bool,
        "promptsListChanged?": bool,
        "resourcesListChanged?": bool,
        "resourceSubscriptions?": (list,),
    }
}
ALWAYS: dict[str, Any] = {
    "completion/complete": COMPLETE,
    "prompts/get": {"name": str, "arguments?": {str: str}},
    "prompts/list": PAGE,
    "resources/list": PAGE,
    "resources/read": URI,
    "resources/templates/list": PAGE,
    "tools/call": {"name": str, "arguments?": dict},
    "tools/list": PAGE,
}
HANDSHAKE: dict[str, Any] = {
    **ALWAYS,
    "initialize": {"protocolVersion": str, "capabilities": dict, "clientInfo": IMPLEMENTATION},
    "logging/setLevel": {"level": LEVELS},
    "ping": {},
    "resources/subscribe": URI,
    "resources/unsubscribe": URI,
}
MODERN: dict[str, Any] = {**ALWAYS, "server/discover": {}, "subscriptions/listen": LISTEN}
CACHEABLE = frozenset(
    {"prompts/list", "resources/list", "resources/read", "resources/templates/list", "server/discover", "tools/list"}
)
OPENING = frozenset({"initialize", "server/discover", "ping"})  # before these are over, nothing of the memory is needed
STATEFUL = frozenset({"tools/call", "prompts/get", "resources/read"})  # which may go on after a question to the user


def fits(value: Any, shape: Any) -> bool:
    """Whether a value looks like this: a type, several, a set of words, a list of alternatives, or an object."""
    if isinstance(shape, set):
        return isinstance(value, str) and value in shape
    if isinstance(shape, list):
        return any(fits(value, one) for one in shape)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(_has(value, name, one) for name, one in shape.items())
    return isinstance(value, shape) and (not isinstance(value, bool) or shape is bool)


def _has(value: Params, name: Any, shape: Any) -> bool:
    if name is str:
        return all(fits(one, shape) for one in value.values())
    if name.endswith("?"):
        return value.get(name[:-1]) is None or fits(value[name[:-1]], shape)
    return name in value and fits(value[name], shape)
