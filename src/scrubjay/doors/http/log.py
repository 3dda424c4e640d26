"""A line for each request, on standard error: never a token, a query or a text."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrubjay.doors.mcp.callers import GRANT
from scrubjay.guard import redact
from scrubjay.safe_text import one_line

__all__ = ["Logged"]

PATH_CHARACTERS = 80


class Logged:
    """Writes down who asked for what, and how it went."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        status, start = 0, time.perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            print(_line(scope, status, time.perf_counter() - start), file=sys.stderr, flush=True)


def _line(scope: Scope, status: int, seconds: float) -> str:
    address = scope["client"][0] if scope.get("client") else "-"
    grant = scope.get(GRANT)
    who = f" token {grant.token}" if grant else ""
    path = ascii(redact(scope["path"]))[1:-1][:PATH_CHARACTERS]
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return one_line(f"{now} {address} {scope['method']} {path} {status or 'dropped'} {seconds * 1000:.0f} ms{who}")
