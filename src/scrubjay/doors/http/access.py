"""Who is let in: a bearer token for each request, and few wrong guesses for each address."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable

from anyio import to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from scrubjay.doors.http.answers import refusal
from scrubjay.doors.mcp.callers import GRANT, Grant
from scrubjay.grants import Token
from scrubjay.tokens import digest

__all__ = ["SPACE_HEADER", "Failures", "TokenHolders"]

SPACE_HEADER = "x-scrubjay-space"
SCHEME = "bearer "
MOST_FAILURES = 10
WINDOW_SECONDS = 60
ADDRESSES = 10_000
NO_TOKEN = "A token is needed: send `Authorization: Bearer scrubjay_…`; `scrubjay token create NAME` makes one."
WRONG_TOKEN = "This token opens nothing: it is unknown, revoked or expired; `scrubjay token create NAME` makes another."
TOO_MANY = "Too many wrong tokens from this address; try again later."

Verify = Callable[[str], Token | None]


class Failures:
    """Wrong guesses of late, by address; only so many addresses are remembered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def add(self, address: str) -> None:
        times = self._times.setdefault(address, deque(maxlen=MOST_FAILURES))
        times.append(self._clock())
        self._times.move_to_end(address)
        if len(self._times) > ADDRESSES:
            self._times.popitem(last=False)

    def wait(self, address: str) -> int:
        """In how many seconds this address may guess again; 0 is now."""
        times = self._times.get(address, deque())
        if len(times) < MOST_FAILURES:
            return 0
        return max(0, int(times[0] + WINDOW_SECONDS - self._clock()) + 1)


class TokenHolders:
    """Lets in who has a token, and leaves word of what it opens."""

    def __init__(self, app: ASGIApp, verify: Verify, failures: Failures | None = None) -> None:
        self._app = app
        self._verify = verify
        self._failures = failures or Failures()
        self._seen: OrderedDict[bytes, None] = OrderedDict()  # digests of tokens that were right before

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = scope["client"][0] if scope.get("client") else ""
        secret = _secret(Headers(scope=scope))
        token, refused = await self._let_in(secret, address)
        if token is not None:
            refused = _granted(scope, token)
        await (refused or self._app)(scope, receive, send)

    async def _let_in(self, secret: str, address: str) -> tuple[Token | None, Response | None]:
        own = digest(secret)
        # Those who are known go on working while somebody at their address guesses.
        if own not in self._seen and (wait := self._failures.wait(address)):
            return None, refusal(429, TOO_MANY, {"Retry-After": str(wait)})
        token = await to_thread.run_sync(self._verify, secret) if secret else None
        if token is not None:
            self._know(own)
            return token, None
        self._seen.pop(own, None)
        self._failures.add(address)
        return None, refusal(401, WRONG_TOKEN if secret else NO_TOKEN, {"WWW-Authenticate": "Bearer"})

    def _know(self, own: bytes) -> None:
        self._seen[own] = None
        if len(self._seen) > ADDRESSES:
            self._seen.popitem(last=False)


def _secret(headers: Headers) -> str:
    given = headers.get("authorization", "")
    return given[len(SCHEME) :].strip() if given.lower().startswith(SCHEME) else ""


def _granted(scope: Scope, token: Token) -> Response | None:
    """Leave the grant in the request, or refuse a space that the token is not for."""
    named = Headers(scope=scope).get(SPACE_HEADER)
    space = next(iter(token.spaces), None) if named is None else named
    if space is not None and token.spaces and space not in token.spaces:
        return refusal(403, f"This token is not for that space; it is for {', '.join(token.spaces)}.")
    scope[GRANT] = Grant(token.name, space, token.scopes, token.spaces)
    # The SDK ties a session to who began it; it needs no more of the token than a name.
    owner = f"{token.name} {token.created_at.isoformat()}"
    scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=list(token.scopes)))
    return None
