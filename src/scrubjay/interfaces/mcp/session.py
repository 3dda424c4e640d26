"""One client at a pipe: its requests are checked and answered, in the version of the protocol that it begins with.

A client begins with `initialize` (versions up to 2025-11-25), or with a request whose `_meta` has an envelope
(2026-07-28): every request then has one, and there is no handshake. The other way is refused from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import scrubjay
from scrubjay.interfaces.mcp import protocol
from scrubjay.interfaces.mcp.callers import Caller, calling, client_name
from scrubjay.interfaces.mcp.catalog import TITLE, Catalog
from scrubjay.interfaces.mcp.protocol import MODERN_VERSIONS, Params, RequestError, fits
from scrubjay.interfaces.mcp.replies import INSTRUCTIONS

__all__ = ["LISTEN", "QUICK", "Session"]

LISTEN = "subscriptions/listen"  # answered by a notification; the request itself stays open

SERVER = {"name": "scrubjay", "title": TITLE, "version": scrubjay.__version__}
QUICK = frozenset(
    {"initialize", "ping", "server/discover", LISTEN}
    | {"tools/list", "resources/list", "resources/templates/list", "prompts/list"}
)  # answered without opening the memory
IS_HANDSHAKE = (
    "this connection serves the handshake protocol era;"
    " requests carrying the 2026-07-28 envelope are not accepted on it"
)
IS_MODERN = "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted"

Work = Callable[[], dict[str, Any]]


class Session:
    """The state of the conversation with one client."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._is_modern: bool | None = None  # known from the first request on
        self._is_ready = False
        self._client: str | None = None

    def initialized(self) -> None:
        """The client has said that the handshake is over."""
        self._is_ready = True

    def work(self, method: str, params: Params | None) -> Work:
        """Check a request; what is returned computes its result, and may take long."""
        if self._is_modern is None:
            self._is_modern = method != "initialize" and _has_envelope(params)
        return (self._modern if self._is_modern else self._at_handshake)(method, params or {})

    def _at_handshake(self, method: str, params: Params) -> Work:
        if method != "initialize" and _has_envelope(params):
            raise RequestError(protocol.INVALID_REQUEST, IS_HANDSHAKE)
        _check(method, params, protocol.HANDSHAKE, meta={})
        if method == "initialize":
            return partial(self._initialize, params)
        if method not in RESULTS:
            raise protocol.not_found(method)
        if not self._is_ready and method != "ping":
            raise protocol.wrong_params()
        return partial(self._result, Caller(self._client), method, params)

    def _initialize(self, params: Params) -> dict[str, Any]:
        self._is_ready = True
        self._client = client_name(params["clientInfo"]["name"])
        asked, known = params["protocolVersion"], protocol.HANDSHAKE_VERSIONS
        return {
            "protocolVersion": asked if asked in known else known[-1],
            "capabilities": _capabilities(notifies=False),
            "serverInfo": SERVER,
            "instructions": INSTRUCTIONS,
        }

    def _modern(self, method: str, params: Params) -> Work:
        if method == "initialize":
            asked = params.get("protocolVersion")
            requested = {"requested": asked} if isinstance(asked, str) else {}
            raise RequestError(
                protocol.UNSUPPORTED_VERSION, IS_MODERN, {"supported": list(MODERN_VERSIONS), **requested}
            )
        _check_envelope(params.get("_meta"))
        _check(method, params, protocol.MODERN, meta=protocol.ENVELOPE)
        if method == LISTEN:
            return partial(_honoured, params["notifications"])
        client = params["_meta"].get(protocol.CLIENT_KEY)
        who = Caller(client_name(client["name"]) if client else None)
        return partial(self._modern_result, who, method, params)

    def _modern_result(self, who: Caller, method: str, params: Params) -> dict[str, Any]:
        cache = {"ttlMs": 0, "cacheScope": "private"} if method in protocol.CACHEABLE else {}
        stamp = {"resultType": "complete", "_meta": {protocol.SERVER_KEY: SERVER}}
        return {**self._result(who, method, params), **cache, **stamp}

    def _result(self, who: Caller, method: str, params: Params) -> dict[str, Any]:
        with calling(who):
            return RESULTS[method](self._catalog, params)


def _has_envelope(params: Params | None) -> bool:
    meta = (params or {}).get("_meta")
    return isinstance(meta, dict) and protocol.VERSION_KEY in meta


def _check_envelope(meta: Any) -> None:
    needed = (protocol.VERSION_KEY, protocol.CAPABILITIES_KEY)
    if not isinstance(meta, dict):
        names = " and ".join(map(repr, needed))
        wrong = f"params._meta must be an object carrying the required {names} envelope keys"
    elif missing := [key for key in needed if key not in meta]:
        wrong = f"params._meta is missing the required envelope key(s): {', '.join(missing)}"
    elif not isinstance(asked := meta[protocol.VERSION_KEY], str):
        wrong = "the protocol-version envelope value must be a string"
    elif asked not in MODERN_VERSIONS:
        known = {"supported": list(MODERN_VERSIONS), "requested": asked}
        raise RequestError(protocol.UNSUPPORTED_VERSION, "Unsupported protocol version", known)
    else:
        return
    raise RequestError(protocol.INVALID_PARAMS, wrong)


def _check(method: str, params: Params, shapes: dict[str, Any], meta: dict[str, Any]) -> None:
    """Check that there is such a request, and that it has the parameters that it needs."""
    if method in protocol.STATEFUL and params.get("requestState") is not None:  # we never ask the user, and give none
        why = {"reason": "invalid_request_state"}
        raise RequestError(protocol.INVALID_PARAMS, "Invalid or expired requestState", why)
    if method not in shapes:
        raise protocol.not_found(method)
    if not fits(params, {**shapes[method], "_meta?": meta}):
        raise protocol.wrong_params()


def _capabilities(*, notifies: bool) -> dict[str, Any]:
    return {
        "completions": {},
        "prompts": {"listChanged": notifies},
        "resources": {"listChanged": notifies, "subscribe": notifies},
        "tools": {"listChanged": notifies},
    }


def _honoured(asked: Params) -> dict[str, Any]:
    """Of which changes the client will be notified. There are none: what the server offers stays the same."""
    kinds = protocol.MODERN[LISTEN]["notifications"]
    return {name: asked[name] for name in (kind.rstrip("?") for kind in kinds) if asked.get(name)}


def _discovered(catalog: Catalog, params: Params) -> dict[str, Any]:
    return {
        "supportedVersions": list(MODERN_VERSIONS),
        "capabilities": _capabilities(notifies=True),
        "instructions": INSTRUCTIONS,
    }


RESULTS: dict[str, Callable[[Catalog, Params], dict[str, Any]]] = {
    "ping": lambda catalog, params: {},
    "server/discover": _discovered,
    "tools/list": lambda catalog, params: {"tools": catalog.list_tools()},
    "tools/call": lambda catalog, params: catalog.call_tool(
        params["name"], params.get("arguments") or {}, params.get("_meta") or {}
    ),
    "resources/list": lambda catalog, params: {"resources": catalog.list_resources()},
    "resources/templates/list": lambda catalog, params: {"resourceTemplates": catalog.list_templates()},
    "resources/read": lambda catalog, params: catalog.read_resource(params["uri"]),
    "prompts/list": lambda catalog, params: {"prompts": catalog.list_prompts()},
    "prompts/get": lambda catalog, params: catalog.get_prompt(params["name"], params.get("arguments") or {}),
    "completion/complete": lambda catalog, params: catalog.complete(params["argument"]),
}
