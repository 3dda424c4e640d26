"""Sessions and open requests: a session ends when it is idle, and one token cannot use all of either."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrubjay.interfaces.http.answers import Refuse, refusal
from scrubjay.interfaces.mcp.callers import GRANT

__all__ = [
    "IDLE_SECONDS",
    "MAX_REQUESTS_PER_TOKEN",
    "MAX_SESSIONS",
    "MAX_SESSIONS_PER_TOKEN",
    "RETRY",
    "LimitRequests",
    "LimitSessions",
    "OpenRequests",
]

IDLE_SECONDS = 30 * 60
MAX_SESSIONS = 1_000
MAX_SESSIONS_PER_TOKEN = 200
MAX_REQUESTS_PER_TOKEN = 200  # at once; of 512 connections
TOO_MANY_REQUESTS = "This token has {} requests open; try again when one of them has been answered."
RETRY = {"Retry-After": "1"}
TOO_MANY = (
    "This token has {} open sessions; end one of them (DELETE /mcp), or wait until one has been idle for {} minutes."
)


class OpenRequests:
    """How many requests of each token are open: one count for all doors."""

    def __init__(self, most: int = MAX_REQUESTS_PER_TOKEN) -> None:
        self._max = most
        self._open: Counter[str] = Counter()
        self.too_many = TOO_MANY_REQUESTS.format(most)

    @contextmanager
    def counted(self, token: str) -> Iterator[bool]:
        """Whether this token may have one more; then it is counted until the end."""
        if self._open[token] >= self._max:
            yield False
            return
        self._open[token] += 1
        try:
            yield True
        finally:
            self._open[token] -= 1


class LimitRequests:
    """Refuses a token more requests at once than its share: some are streams, which stay open as long as they like."""

    def __init__(self, app: ASGIApp, open: OpenRequests, refuse: Refuse = refusal) -> None:
        self._app = app
        self._open = open
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._open.counted(scope[GRANT].token) as has_room:
            refused = self._refuse(429, self._open.too_many, RETRY)
            await (self._app if has_room else refused)(scope, receive, send)


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
