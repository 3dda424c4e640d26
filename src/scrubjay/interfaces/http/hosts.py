"""The host names this server answers to, so that a web page cannot reach it by DNS rebinding."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from scrubjay.interfaces.http.answers import refusal

__all__ = ["LOOPBACK", "RequireKnownHost"]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class RequireKnownHost:
    """Refuses requests with an unknown Host or Origin: DNS rebinding, and pages of other sites."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        self._app = app
        self._hosts = {*LOOPBACK, *(host.lower() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        if not self._knows(f"//{headers.get('host', '')}"):
            wrong = refusal(
                421, "This server does not accept that host name; `scrubjay serve --allow-host NAME` adds it."
            )
            return await wrong(scope, receive, send)
        if not all(self._knows(origin) for origin in headers.getlist("origin")):
            return await refusal(403, "Pages of that origin may not use this server.")(scope, receive, send)
        await self._app(scope, receive, send)

    def _knows(self, url: str) -> bool:
        try:
            name = urlsplit(url).hostname or ""
        except ValueError:
            return False
        return (f"[{name}]" if ":" in name else name) in self._hosts
