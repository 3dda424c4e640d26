"""The ASGI application: the routes, and the checks that every request passes. To add a route: `make_app`."""

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
from scrubjay.interfaces.http.access import RequireToken, Verify
from scrubjay.interfaces.http.answers import refusal
from scrubjay.interfaces.http.hosts import RequireKnownHost
from scrubjay.interfaces.http.log import AccessLog

__all__ = ["make_app"]

BODY_BYTES = 4 * 1024 * 1024


def make_app(
    server: MCPServer[Any], verify: Verify, hosts: Iterable[str] = (), *, json_response: bool = True
) -> Starlette:
    """The MCP server at /mcp for those who hold a token, and /healthz for anybody."""
    # Answers are plain JSON: our tools send nothing before their result, and a stream could be cut off when the
    # server stops. RequireKnownHost checks every path, so the SDK's own check is not needed.
    server.streamable_http_app(
        json_response=json_response,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=BODY_BYTES,
        session_idle_timeout=sessions.IDLE_SECONDS,
        max_sessions=sessions.MAX_SESSIONS,
    )
    manager = server.session_manager
    limited = RequestBodyLimitMiddleware(StreamableHTTPASGIApp(manager), BODY_BYTES)
    mcp = RequireToken(sessions.LimitSessions(limited), verify)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    return Starlette(
        routes=[Route("/healthz", _health), Route("/mcp", mcp)],
        middleware=[Middleware(AccessLog), Middleware(RequireKnownHost, hosts=hosts)],
        exception_handlers={404: _not_found, 405: _not_found},
        lifespan=lifespan,
    )


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": scrubjay.__version__})


async def _not_found(request: Request, problem: Exception) -> Response:
    return refusal(404, "Not found; the MCP server is at /mcp.")
