"""Access control: each request needs a bearer token, and wrong tokens are rate-limited."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable

from anyio import CapacityLimiter, to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from scrubjay.agents.tokens import beginning, is_token
from scrubjay.errors import Invalid
from scrubjay.interfaces.http.answers import refusal
from scrubjay.interfaces.mcp.callers import GRANT, Grant
from scrubjay.memory.arguments import space_name
from scrubjay.types.tokens import Token

__all__ = ["SPACE_HEADER", "FailedAttempts", "RequireToken"]

SPACE_HEADER = "x-scrubjay-space"
SCHEME = "bearer "
MAX_FAILURES = 10  # wrong tokens with the same beginning, from one address, per minute
MAX_FAILURES_PER_ADDRESS = 30
WINDOW_SECONDS = 60
MAX_ORIGINS = 10_000
CHECKS_AT_ONCE = 4  # tokens; guessed tokens must not use the threads that answer valid requests
NO_TOKEN = "A token is needed: send `Authorization: Bearer scrubjay_…`; `scrubjay token create NAME` makes one."
WRONG_TOKEN = "This token is unknown, revoked or expired; `scrubjay token create NAME` makes another."
TOO_MANY = "Too many wrong tokens from this address; try again later."

Verify = Callable[[str], Token | None]


class FailedAttempts:
    """Counts wrong tokens of the last minute by where they come from, for a limited number of origins."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MAX_FAILURES) -> None:
        self._clock = clock
        self._max = most
        self._times: OrderedDict[Hashable, deque[float]] = OrderedDict()

    def add(self, origin: Hashable) -> None:
        times = self._times.setdefault(origin, deque(maxlen=self._max))
        times.append(self._clock())
        self._times.move_to_end(origin)
        if len(self._times) > MAX_ORIGINS:
            self._times.popitem(last=False)

    def wait(self, origin: Hashable) -> int:
        """Seconds until another wrong token from there gets an answer; 0 is now."""
        times = self._times.get(origin, deque())
        if len(times) < self._max:
            return 0
        return max(0, int(times[0] + WINDOW_SECONDS - self._clock()) + 1)


class RequireToken:
    """Refuses requests without a valid token; others get a grant that says what the token allows.

    A token is checked before failures are counted: a valid one is always accepted, however many wrong ones came from
    the same address.
    """

    def __init__(self, app: ASGIApp, verify: Verify) -> None:
        self._app = app
        self._verify = verify
        self._by_prefix = FailedAttempts()
        self._by_address = FailedAttempts(most=MAX_FAILURES_PER_ADDRESS)
        self._threads = CapacityLimiter(CHECKS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        secret = _secret(Headers(scope=scope))
        token = await self._verified(secret)
        rejected = self._refusal(secret, _address(scope)) if token is None else _grant_or_refuse(scope, token)
        await (rejected or self._app)(scope, receive, send)

    async def _verified(self, secret: str) -> Token | None:
        if not is_token(secret):
            return None
        return await to_thread.run_sync(self._verify, secret, limiter=self._threads)

    def _refusal(self, secret: str, address: str) -> Response:
        """A missing token is not counted; wrong ones are, and above the limit the answer is 429."""
        if not secret:
            return refusal(401, NO_TOKEN, {"WWW-Authenticate": "Bearer"})
        prefix = (address, beginning(secret))
        if wait := max(self._by_prefix.wait(prefix), self._by_address.wait(address)):
            return refusal(429, TOO_MANY, {"Retry-After": str(wait)})
        self._by_prefix.add(prefix)
        self._by_address.add(address)
        return refusal(401, WRONG_TOKEN, {"WWW-Authenticate": "Bearer"})


def _address(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""


def _secret(headers: Headers) -> str:
    given = headers.get("authorization", "")
    return given[len(SCHEME) :].strip() if given.lower().startswith(SCHEME) else ""


def _grant_or_refuse(scope: Scope, token: Token) -> Response | None:
    """Add the grant to the request, or refuse a space that the token is not for."""
    asked = Headers(scope=scope).getlist(SPACE_HEADER)
    if len(asked) > 1:  # one may be a proxy's: the client's own must not win
        return refusal(400, f"{SPACE_HEADER} is sent more than once; name one space.")
    try:
        space = space_name(asked[0].strip()) if asked else next(iter(token.spaces), None)
    except Invalid as problem:
        return refusal(400, str(problem))
    if space is not None and token.spaces and space not in token.spaces:
        return refusal(403, f"This token is not for that space; it is for {', '.join(token.spaces)}.")
    scope[GRANT] = Grant(token.name, space, token.scopes, token.spaces)
    # The SDK binds a session to the user who started it; a name is enough for that.
    owner = f"{token.name} {token.created_at.isoformat()}"
    scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=list(token.scopes)))
    return None
