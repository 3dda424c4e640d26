"""Who calls, from where, and what they may do: known to every tool, resource and prompt of a request."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from logging import getLogger
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from scrubjay.errors import Invalid, ScrubjayError, StoreError
from scrubjay.text.fence import defused
from scrubjay.text.safe_text import one_line
from scrubjay.types.tokens import Scope

__all__ = ["GRANT", "Caller", "Grant", "caller", "introducing"]

GRANT = "scrubjay.grant"  # where the HTTP door leaves it in a request
HANDSHAKE = frozenset({"initialize", "server/discover", "ping"})
CLIENT_CHARACTERS = 100

_caller: ContextVar[Caller | None] = ContextVar("caller", default=None)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token opens: one space, and what may be done there."""

    token: str  # its name
    space: str | None  # None: the server's own
    scopes: tuple[Scope, ...]
    spaces: tuple[str, ...] = ()  # all that the token is for; none: every space


@dataclass(frozen=True, slots=True)
class Caller:
    """One client: over a pipe it is whoever started the server; over the network it has a grant."""

    client: str | None = None
    grant: Grant | None = None

    def may(self, *scopes: Scope) -> bool:
        return self.grant is None or set(scopes) <= set(self.grant.scopes)

    def need(self, *scopes: Scope) -> None:
        held = self.grant.scopes if self.grant else scopes
        if lacking := [scope for scope in scopes if scope not in held]:
            raise Invalid(f"This token may not do that: it has the scope {', '.join(held)}, not {lacking[0]}.")

    def may_see(self, space: str) -> bool:
        return self.sees_all_spaces or (self.grant is not None and space in self.grant.spaces)

    def told(self, problem: ScrubjayError) -> str:
        """What is wrong; a client over the network is not told where the file lies, the log is."""
        if self.grant is None or not isinstance(problem, StoreError):
            return one_line(defused(str(problem)))
        getLogger("scrubjay").warning("%s", problem)
        return str(type(problem)())

    @property
    def sees_all_spaces(self) -> bool:
        """Whether it may be told what holds for the whole file, such as its size."""
        return self.grant is None or not self.grant.spaces


def caller() -> Caller:
    """Who makes the request that is being answered."""
    return _caller.get() or Caller()


def introducing(after_handshake: Callable[[], None]) -> ServerMiddleware[Any]:
    """Middleware that makes each caller known, and tells when the first of them has shaken hands."""

    async def introduce(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        token = _caller.set(_of(ctx))
        try:
            return await call_next(ctx)
        finally:
            _caller.reset(token)
            if ctx.method not in HANDSHAKE:
                after_handshake()

    return introduce


def _of(context: ServerRequestContext[Any, Any]) -> Caller:
    introduced = context.session.client_params
    name = introduced.client_info.name.strip()[:CLIENT_CHARACTERS] if introduced else ""
    request = context.request
    # A request over the network without a grant was not let in by our door, and may do nothing.
    grant = None if request is None else request.scope.get(GRANT) or Grant("", None, ())
    return Caller(name or None, grant)
