"""The id of a request, on whatever answers it: the API, or a check before it."""

from __future__ import annotations

import os

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["RequestIds"]

HEADER = "X-Request-Id"
MOST_CHARACTERS = 64


class RequestIds:
    """Gives every answer the id of its request: the request's own, or a new one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = Headers(scope=scope).get(HEADER, "")
        usable = given.isascii() and given.isprintable() and 0 < len(given) <= MOST_CHARACTERS
        id = given if usable else os.urandom(8).hex()

        async def with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = id
            await send(message)

        await self._app(scope, receive, with_id)
