"""The ASGI application: the routes, and the checks that every request passes. To add a route: `make_app`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from scrubjay.agents.logins import OwnLogins
from scrubjay.interfaces.http import sessions
from scrubjay.interfaces.http.access import FailedAttempts, RequireToken, Verify
from scrubjay.interfaces.http.answers import refusal
from scrubjay.interfaces.http.api.files import UPLOAD
from scrubjay.interfaces.http.api.problems import refusal_as_problem
from scrubjay.interfaces.http.api.request_ids import RequestIds
from scrubjay.interfaces.http.api.routes import make_api
from scrubjay.interfaces.http.hosts import RequireKnownHost
from scrubjay.interfaces.http.lengths import BODY_BYTES, LimitBodies, RequireOneLength
from scrubjay.interfaces.http.log import AccessLog
from scrubjay.interfaces.http.monitoring import Metrics, alive, ready
from scrubjay.interfaces.mcp.callers import Caller
from scrubjay.interfaces.mcp.server import MemoryServer
from scrubjay.interfaces.page.app import make_page

__all__ = ["make_app"]


def make_app(
    server: MemoryServer, verify: Verify, hosts: Iterable[str] = (), *, json_response: bool = True,
    most_requests_per_token: int = sessions.MAX_REQUESTS_PER_TOKEN, has_sessions: bool = True,
    figures: Path | None = None, at_end: Callable[[], None] | None = None, own: OwnLogins | None = None,
) -> Starlette:  # fmt: skip
    """The MCP server at /mcp and the API at /api/v1 for those who hold a token; /healthz and /readyz for anybody.

    The page is at /, for those who log in by a token and for whoever runs the program (`own`). One of several processes
    has no sessions of MCP, since the next request may come to another one, and counts in a folder of all of them
    (`figures`).
    """
    mcp, manager = _mcp(server, json_response, has_sessions)
    open_requests = sessions.OpenRequests(most_requests_per_token)
    limited = partial(sessions.LimitRequests, open=open_requests)
    bodies = LimitBodies(make_api(server.opener), refusal_as_problem, files=UPLOAD)
    api = limited(bodies, refuse=refusal_as_problem)
    metrics = Metrics(figures)
    failures = FailedAttempts(lambda: server.opener.memory_for(Caller()))
    known = partial(RequireToken, verify=verify, failures=failures)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield
        if at_end is not None:
            at_end()

    return Starlette(
        routes=[
            Route("/healthz", alive),
            Route("/readyz", ready(server.opener)),
            Route("/metrics", known(metrics)),
            Route("/mcp", known(limited(mcp))),
            Route("/api/{path:path}", RequestIds(known(api, refuse=refusal_as_problem))),
            Mount("/", make_page(server.opener, open_requests, own)),
        ],
        middleware=[
            Middleware(AccessLog),
            Middleware(metrics.counting),
            Middleware(RequireOneLength),
            Middleware(RequireKnownHost, hosts=hosts),
        ],
        exception_handlers={404: _not_found, 405: _not_found},
        lifespan=lifespan,
    )


def _mcp(server: MemoryServer, json_response: bool, has_sessions: bool) -> tuple[ASGIApp, StreamableHTTPSessionManager]:
    """The MCP server as an application, and what runs its sessions.

    Answers are plain JSON: our tools send nothing before their result, and a stream could be cut off when the server
    stops. RequireKnownHost checks every path, so the SDK's own check is not needed.
    """
    server.streamable_http_app(
        json_response=json_response,
        stateless_http=not has_sessions,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=BODY_BYTES,
        session_idle_timeout=sessions.IDLE_SECONDS,
        max_sessions=sessions.MAX_SESSIONS,
    )
    manager = server.session_manager
    return sessions.LimitSessions(LimitBodies(StreamableHTTPASGIApp(manager))), manager


async def _not_found(request: Request, problem: Exception) -> Response:
    refuse = refusal_as_problem if request.url.path.startswith("/api/") else refusal
    return refuse(404, "Not found; the MCP server is at /mcp, the API at /api/v1.", None)
