"""Access control: each request needs a bearer token, and wrong tokens are rate-limited."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta

from anyio import CapacityLimiter, to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from scrubjay import Scrubjay
from scrubjay.agents.tokens import beginning, is_token
from scrubjay.errors import Invalid, ScrubjayError
from scrubjay.interfaces.http.answers import LATER, RETRY_LATER, Refuse, refusal
from scrubjay.interfaces.mcp.callers import GRANT, NOBODY, Grant
from scrubjay.memory.arguments import space_name
from scrubjay.types.tokens import Token

__all__ = ["SPACE_HEADER", "FailedAttempts", "RequireToken", "still_valid"]

SPACE_HEADER = "x-scrubjay-space"
STILL_VALID = "scrubjay.still_valid"  # its key in the scope of a request
SCHEME = "bearer "
MAX_FAILURES = 10  # wrong tokens with the same beginning, from one address, per minute
MAX_FAILURES_PER_ADDRESS = 30
WINDOW = timedelta(minutes=1)
CHECKS_AT_ONCE = 4  # tokens; guessed tokens must not use the threads that answer valid requests
NO_TOKEN = "A token is needed: send `Authorization: Bearer scrubjay_…`; `scrubjay token create NAME` makes one."
WRONG_TOKEN = "This token is unknown, revoked or expired; `scrubjay token create NAME` makes another."
TOO_MANY = "Too many wrong tokens from this address; try again later."

Verify = Callable[[str], Token | None]


class FailedAttempts:
    """Counts wrong tokens of the last minute by where they come from: in the store, for all processes of a server."""

    def __init__(self, opened: Callable[[], Scrubjay]) -> None:
        self._opened = opened

    def wait(self, address: str, secret: str) -> int:
        """Seconds until another wrong token from there gets an answer. 0 is now: then this one is counted."""
        view = self._opened().view
        now, kept = view.clock(), view.store.attempts
        since = now - WINDOW
        origins = {_digest(address, beginning(secret)): MAX_FAILURES, _digest(address): MAX_FAILURES_PER_ADDRESS}
        found = [(most, kept.recent(origin, since, most)) for origin, most in origins.items()]
        waits = [int((times[-1] + WINDOW - now).total_seconds()) + 1 for most, times in found if len(times) >= most]
        if not waits:
            kept.add(list(origins), now, since)
        return max(waits, default=0)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).digest()


class RequireToken:
    """Refuses requests without a valid token; others get a grant that says what the token allows.

    A token is checked before failures are counted: a valid one is always accepted, however many wrong ones came from
    the same address.
    """

    def __init__(self, app: ASGIApp, verify: Verify, failures: FailedAttempts, refuse: Refuse = refusal) -> None:
        self._app = app
        self._verify = verify
        self._failures = failures
        self._refuse = refuse
        self._threads = CapacityLimiter(CHECKS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        secret = _secret(Headers(scope=scope))
        scope[STILL_VALID] = lambda: self._verify(secret) is not None
        try:
            token = await self._verified(secret)
            rejected = self._grant_or_refuse(scope, token) if token else await self._refusal(secret, _address(scope))
        except ScrubjayError as problem:
            rejected = self._refuse(LATER, NOBODY.error_text(problem), RETRY_LATER)
        await (rejected or self._app)(scope, receive, send)

    async def _verified(self, secret: str) -> Token | None:
        if not is_token(secret):
            return None
        return await to_thread.run_sync(self._verify, secret, limiter=self._threads)

    async def _refusal(self, secret: str, address: str) -> Response:
        """A missing token is not counted; wrong ones are, and above the limit the answer is 429."""
        if not secret:
            return self._refuse(401, NO_TOKEN, {"WWW-Authenticate": "Bearer"})
        if wait := await to_thread.run_sync(self._failures.wait, address, secret, limiter=self._threads):
            return self._refuse(429, TOO_MANY, {"Retry-After": str(wait)})
        return self._refuse(401, WRONG_TOKEN, {"WWW-Authenticate": "Bearer"})

    def _grant_or_refuse(self, scope: Scope, token: Token) -> Response | None:
        """Add the grant to the request, or refuse a space that the token is not for."""
        asked = Headers(scope=scope).getlist(SPACE_HEADER)
        if len(asked) > 1:  # one may be a proxy's: the client's own must not win
            return self._refuse(400, f"{SPACE_HEADER} is sent more than once; name one space.", None)
        try:
            space = space_name(asked[0].strip()) if asked else next(iter(token.spaces), None)
        except Invalid as problem:
            return self._refuse(400, str(problem), None)
        if space is not None and token.spaces and space not in token.spaces:
            return self._refuse(403, f"This token is not for that space; it is for {', '.join(token.spaces)}.", None)
        scope[GRANT] = Grant(token.name, space, token.scopes, token.spaces)
        # The SDK binds a session to the user who started it; a name is enough for that.
        owner = f"{token.name} {token.created_at.isoformat()}"
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=owner, scopes=list(token.scopes)))
        return None


def still_valid(scope: Scope) -> bool:
    """Whether the token of a request that goes on is still valid."""
    return bool(scope[STILL_VALID]())


def _address(scope: Scope) -> str:
    return str(scope["client"][0]) if scope.get("client") else ""


def _secret(headers: Headers) -> str:
    given = headers.get("authorization", "")
    return given[len(SCHEME) :].strip() if given.lower().startswith(SCHEME) else ""
