"""The caller of a request and what it may do, available to every tool, resource and prompt."""

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

__all__ = ["GRANT", "Caller", "Grant", "caller", "caller_middleware"]

GRANT = "scrubjay.grant"  # its key in the scope of an HTTP request
HANDSHAKE = frozenset({"initialize", "server/discover", "ping"})
CLIENT_CHARACTERS = 100

_caller: ContextVar[Caller | None] = ContextVar("caller", default=None)


@dataclass(frozen=True, slots=True)
class Grant:
    """What a request with a token may do: in which space, with which scopes."""

    token: str  # its name
    space: str | None  # None: the server's default
    scopes: tuple[Scope, ...]
    spaces: tuple[str, ...] = ()  # all that the token is for; empty: every space


@dataclass(frozen=True, slots=True)
class Caller:
    """One client: over a pipe, the program that started the server; over HTTP, it has a grant."""

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

    def error_text(self, problem: ScrubjayError) -> str:
        """The message for this caller; over HTTP it does not name the store's file, which only the log does."""
        if self.grant is None or not isinstance(problem, StoreError):
            return one_line(defused(str(problem)))
        getLogger("scrubjay").warning("%s", problem)
        return str(type(problem)())

    @property
    def sees_all_spaces(self) -> bool:
        """Whether it may see facts about the whole file, such as its size."""
        return self.grant is None or not self.grant.spaces


def caller() -> Caller:
    """The caller of the current request."""
    return _caller.get() or Caller()


def caller_middleware(after_handshake: Callable[[], None]) -> ServerMiddleware[Any]:
    """Middleware that sets the caller of each request, and calls back after the first one that is not a handshake."""

    async def with_caller(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        token = _caller.set(_caller_of(ctx))
        try:
            return await call_next(ctx)
        finally:
            _caller.reset(token)
            if ctx.method not in HANDSHAKE:
                after_handshake()

    return with_caller


def _caller_of(context: ServerRequestContext[Any, Any]) -> Caller:
    client = context.session.client_params
    name = client.client_info.name.strip()[:CLIENT_CHARACTERS] if client else ""
    request = context.request
    # An HTTP request without a grant has not passed RequireToken, and may do nothing.
    grant = None if request is None else request.scope.get(GRANT) or Grant("", None, ())
    return Caller(name or None, grant)
