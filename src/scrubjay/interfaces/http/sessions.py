"""MCP sessions: each ends when it is idle, and one token cannot use all of them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable

from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrubjay.interfaces.http.answers import refusal
from scrubjay.interfaces.mcp.callers import GRANT

__all__ = ["IDLE_SECONDS", "MAX_SESSIONS", "MAX_SESSIONS_PER_TOKEN", "LimitSessions"]

IDLE_SECONDS = 30 * 60
MAX_SESSIONS = 1_000
MAX_SESSIONS_PER_TOKEN = 200
TOO_MANY = (
    "This token has {} open sessions; end one of them (DELETE /mcp), or wait until one has been idle for {} minutes."
)


class LimitSessions:
    """Refuses new sessions to a token that has too many open, so that other tokens can still start theirs."""

    def __init__(
        self, app: ASGIApp, most: int = MAX_SESSIONS_PER_TOKEN, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._max = most
        self._clock = clock
        self._used_at: defaultdict[str, dict[str, float]] = defaultdict(
            dict
        )  # {token: {session: when it was last used}}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, own = Headers(scope=scope), self._open(scope[GRANT].token)
        if _may_start_session(headers) and len(own) >= self._max:
            return await refusal(503, TOO_MANY.format(len(own), IDLE_SECONDS // 60))(scope, receive, send)

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(own, scope["method"], message)
            await send(message)

        await self._app(scope, receive, watched)

    def _open(self, token: str) -> dict[str, float]:
        own, oldest = self._used_at[token], self._clock() - IDLE_SECONDS
        for ended in [session for session, used in own.items() if used < oldest]:
            del own[ended]
        return own

    def _note(self, own: dict[str, float], method: str, answer: Message) -> None:
        """Read the session's id from the headers of an answer."""
        session = Headers(raw=answer["headers"]).get(MCP_SESSION_ID_HEADER)
        if session and (method == "DELETE" or answer["status"] == 404):
            own.pop(session, None)
        elif session and answer["status"] < 400:
            own[session] = self._clock()


def _may_start_session(headers: Headers) -> bool:
    """Only clients of the older protocol have sessions; a request without a session id may start one."""
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    return MCP_SESSION_ID_HEADER not in headers and (version is None or version in HANDSHAKE_PROTOCOL_VERSIONS)
