"""MCP sessions: each ends when it is not used, and no token may take them all."""

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

__all__ = ["IDLE_SECONDS", "MOST_SESSIONS", "MOST_SESSIONS_OF_A_TOKEN", "SessionsOfTokens"]

IDLE_SECONDS = 30 * 60
MOST_SESSIONS = 1_000
MOST_SESSIONS_OF_A_TOKEN = 200
TOO_MANY = "This token has {} open sessions; end one of them (DELETE /mcp), or wait until it is {} minutes idle."


class SessionsOfTokens:
    """Refuses a token that has too many sessions open, so that the others can still begin theirs."""

    def __init__(
        self, app: ASGIApp, most: int = MOST_SESSIONS_OF_A_TOKEN, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._most = most
        self._clock = clock
        self._used_at: defaultdict[str, dict[str, float]] = defaultdict(dict)  # by token, the sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, own = Headers(scope=scope), self._open(scope[GRANT].token)
        if _may_begin(headers) and len(own) >= self._most:
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
        """The answers of a session name it."""
        session = Headers(raw=answer["headers"]).get(MCP_SESSION_ID_HEADER)
        if session and (method == "DELETE" or answer["status"] == 404):
            own.pop(session, None)
        elif session and answer["status"] < 400:
            own[session] = self._clock()


def _may_begin(headers: Headers) -> bool:
    """Only clients of the older protocol have sessions; a request that names none may begin one."""
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    return MCP_SESSION_ID_HEADER not in headers and (version is None or version in HANDSHAKE_PROTOCOL_VERSIONS)
