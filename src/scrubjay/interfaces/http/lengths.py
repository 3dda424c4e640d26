"""Requests say their length in one way, so that a proxy and this server agree where the next one begins."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from scrubjay.interfaces.http.answers import refusal

__all__ = ["RequireOneLength"]

TWO_LENGTHS = "A request has either Content-Length or Transfer-Encoding."


class RequireOneLength:
    """Refuses requests that say their length in two ways, and closes their connection.

    A proxy that reads the other one would take what follows for the request of somebody else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if "content-length" in headers and "transfer-encoding" in headers:
                return await refusal(400, TWO_LENGTHS)(scope, receive, send)
        await self._app(scope, receive, send)
