"""How long a request may be; and it says so in one way, so that a proxy and this server agree where the next begins."""

from __future__ import annotations

from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrubjay.interfaces.http.answers import Refuse, refusal
from scrubjay.text.plural import counted

__all__ = ["BODY_BYTES", "LimitBodies", "RequireOneLength"]

BODY_BYTES = 4 * 1024 * 1024
TOO_LARGE = 413
TOO_LONG = f"The body of this request is larger than {counted(BODY_BYTES, 'byte')}; send less at once."
STILL_SENDING = {"Connection": "keep-alive"}  # closed now, a client that is still sending might never read the answer
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


class LimitBodies:
    """A body is read whole before it is answered; one that is sent to the path of `files` is not held in memory."""

    def __init__(self, app: ASGIApp, refuse: Refuse = refusal, files: str = "") -> None:
        self._app = app
        self._limited = RequestBodyLimitMiddleware(app, BODY_BYTES)
        self._refuse = refuse
        self._files = files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == self._files:
            return await self._app(scope, receive, send)
        refused = False

        async def without_refusal(message: Message) -> None:  # that of the SDK is plain text
            nonlocal refused
            refused = refused or message.get("status") == TOO_LARGE
            if not refused:
                await send(message)

        await self._limited(scope, receive, without_refusal)
        if refused:
            await self._refuse(TOO_LARGE, TOO_LONG, STILL_SENDING)(scope, receive, send)
