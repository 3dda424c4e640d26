"""Who is let in: a bearer token for each request, and few answers to wrong ones."""

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

__all__ = ["SPACE_HEADER", "Failures", "TokenHolders"]

SPACE_HEADER = "x-scrubjay-space"
SCHEME = "bearer "
MOST_FAILURES = 10  # wrong tokens a minute that begin alike, from one address
MOST_FAILURES_OF_AN_ADDRESS = 30
WINDOW_SECONDS = 60
ADDRESSES = 10_000
CHECKED_AT_ONCE = 4  # tokens; guesses must not take the threads that answer those who are let in
NO_TOKEN = "A token is needed: send `Authorization: Bearer scrubjay_…`; `scrubjay token create NAME` makes one."
WRONG_TOKEN = "This token opens nothing: it is unknown, revoked or expired; `scrubjay token create NAME` makes another."
TOO_MANY = "Too many wrong tokens from this address; try again later."

Verify = Callable[[str], Token | None]


class Failures:
    """Wrong tokens of the last minute, counted by where they come from; only so many places are remembered."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_FAILURES) -> None:
        self._clock = clock
        self._most = most
        self._times: OrderedDict[Hashable, deque[float]] = OrderedDict()

    def add(self, place: Hashable) -> None:
        times = self._times.setdefault(place, deque(maxlen=self._most))
        times.append(self._clock())
        self._times.move_to_end(place)
        if len(self._times) > ADDRESSES:
            self._times.popitem(last=False)

    def wait(self, place: Hashable) -> int:
        """In how many seconds another guess from there is answered again; 0 is now."""
        times = self._times.get(place, deque())
        if len(times) < self._most:
            return 0
        return max(0, int(times[0] + WINDOW_SECONDS - self._clock()) + 1)


class TokenHolders:
    """Lets in who has a token, and leaves word of what it opens.

    A token is looked up before anything is counted: whoever has a right one is let in, however many wrong ones
    others have sent from the same address.
    """

    def __init__(self, app: ASGIApp, verify: Verify) -> None:
        self._app = app
        self._verify = verify
        self._alike = Failures()
        self._of_an_address = Failures(most=MOST_FAILURES_OF_AN_ADDRESS)
        self._threads = CapacityLimiter(CHECKED_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        secret = _secret(Headers(scope=scope))
        token = await self._verified(secret)
        refused = self._refused(secret, _address(scope)) if token is None else _granted(scope, token)
        await (refused or self._app)(scope, receive, send)

    async def _verified(self, secret: str) -> Token | None:
        if not is_token(secret):
            return None
        return await to_thread.run_sync(self._verify, secret, limiter=self._threads)

    def _refused(self, secret: str, address: str) -> Response:
        """A missing token is no guess; of wrong ones, only so many a minute are told what is wrong with them."""
        if not secret:
            return refusal(401, NO_TOKEN, {"WWW-Authenticate": "Bearer"})
        alike = (address, beginning(secret))
        if wait := max(self._alike.wait(alike), self._of_an_address.wait(address)):
            return refusal(429, TOO_MANY, {"Retry-After": str(wait)})
        self._alike.add(alike)
        self._of_an_address.add(address)
        return refusal(401, WRONG_TOKEN, {"WWW-Authenticate": "Bearer"})


def _address(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""


def _secret(headers: Headers) -> str:
    given = headers.get("authorization", "")
    return given[len(SCHEME) :].strip() if given.lower().startswith(SCHEME) else ""


def _granted(scope: Scope, token: Token) -> Response | None:
    """Leave the grant in the request, or refuse a space that the token is not for."""
    asked = Headers(scope=scope).getlist(SPACE_HEADER)
    if len(asked) > 1:  # a proxy may have added one: it must not be the client's that counts
        return refusal(400, f"{SPACE_HEADER} is there more than once; name one space.")
    try:
        space = space_name(asked[0].strip()) if asked else next(iter(token.spaces), None)
    except Invalid as problem:
        return refusal(400, str(problem))
    if space is not None and token.spaces and space not in token.spaces:
        return refusal(403, f"This token is not for that space; it is for {', '.join(token.spaces)}.")
    scope[GRANT] = Grant(token.name, space, token.scopes, token.spaces)
    # The SDK ties a session to who began it; it needs no more of the token than a name.
    owner = f"{token.name} {token.created_at.isoformat()}"
    scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=list(token.scopes)))
    return None
