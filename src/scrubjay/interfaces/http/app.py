"""The ASGI application: the checks that every request passes, and what lies behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import MCPServer
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import scrubjay
from scrubjay.interfaces.http import sessions
from scrubjay.interfaces.http.access import TokenHolders, Verify
from scrubjay.interfaces.http.answers import refusal
from scrubjay.interfaces.http.hosts import KnownHosts
from scrubjay.interfaces.http.log import Logged

__all__ = ["make_app"]

BODY_BYTES = 4 * 1024 * 1024


def make_app(
    server: MCPServer[Any], verify: Verify, hosts: Iterable[str] = (), *, json_response: bool = True
) -> Starlette:
    """The MCP server at /mcp for those who hold a token, and /healthz for anybody."""
    # Answers are plain JSON: no tool of ours sends anything before its result, and a stream could be cut off when
    # the server leaves. Our own check of hosts holds for every path, so the SDK's is not needed.
    server.streamable_http_app(
        json_response=json_response,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=BODY_BYTES,
        session_idle_timeout=sessions.IDLE_SECONDS,
        max_sessions=sessions.MOST_SESSIONS,
    )
    manager = server.session_manager
    limited = RequestBodyLimitMiddleware(StreamableHTTPASGIApp(manager), BODY_BYTES)
    mcp = TokenHolders(sessions.SessionsOfTokens(limited), verify)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    return Starlette(
        routes=[Route("/healthz", _health), Route("/mcp", mcp)],
        middleware=[Middleware(Logged), Middleware(KnownHosts, hosts=hosts)],
        exception_handlers={404: _nothing_here, 405: _nothing_here},
        lifespan=lifespan,
    )


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": scrubjay.__version__})


async def _nothing_here(request: Request, problem: Exception) -> Response:
    return refusal(404, "There is nothing here; the MCP server is at /mcp.")
