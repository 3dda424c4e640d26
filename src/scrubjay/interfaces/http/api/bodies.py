"""How large the body of a request to the API may be."""

from __future__ import annotations

from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrubjay.interfaces.http.api.files import UPLOAD
from scrubjay.interfaces.http.api.problems import refusal_as_problem
from scrubjay.text.plural import counted

__all__ = ["LimitBodies"]

TOO_LARGE = 413
SENTENCE = "The body of this request is larger than {}; send less at once."


class LimitBodies:
    """A body is read whole before it is answered; that of an import is a file, which is not held in memory."""

    def __init__(self, api: ASGIApp, most_bytes: int) -> None:
        self._api = api
        self._limited = RequestBodyLimitMiddleware(api, most_bytes)
        self._sentence = SENTENCE.format(counted(most_bytes, "byte"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == UPLOAD:
            return await self._api(scope, receive, send)
        refused = False

        async def without_refusal(message: Message) -> None:  # that of the SDK is plain text
            nonlocal refused
            refused = refused or message.get("status") == TOO_LARGE
            if not refused:
                await send(message)

        await self._limited(scope, receive, without_refusal)
        if refused:
            await refusal_as_problem(TOO_LARGE, self._sentence)(scope, receive, send)
