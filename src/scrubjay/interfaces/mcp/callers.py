"""The caller of a request and what it may do, available to every tool, resource and prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from logging import getLogger
from typing import TYPE_CHECKING, TypeVar

from scrubjay.errors import Invalid, NotFound, ScrubjayError, StoreError
from scrubjay.memory.guard import shortened
from scrubjay.text.fence import defused
from scrubjay.text.safe_text import one_line
from scrubjay.types.tokens import Scope

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["GRANT", "NOBODY", "Caller", "Grant", "caller", "calling", "client_name", "seen_by_caller"]

GRANT = "scrubjay.grant"  # its key in the scope of an HTTP request
CLIENT_CHARACTERS = 100

T = TypeVar("T")

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

    def need_spaces(self, *spaces: str) -> None:
        if not all(self.may_see(space) for space in spaces):
            raise NotFound("There is no such space, or this token is not for it.")

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


NOBODY = Caller(None, Grant("", None, ()))  # whoever has not shown a valid token: not told where the memory lies


def caller() -> Caller:
    """The caller of the current request."""
    return _caller.get() or Caller()


@contextmanager
def calling(who: Caller) -> Iterator[None]:
    """Set the caller of the request that runs in this block."""
    token = _caller.set(who)
    try:
        yield
    finally:
        _caller.reset(token)


def client_name(name: str) -> str | None:
    """What memories are marked with, of the name that a client gives itself."""
    return shortened(name.strip(), CLIENT_CHARACTERS) or None


def seen_by_caller(value: T, jay: Scrubjay) -> T:
    """What the caller may see of a value that a method returned."""
    from scrubjay.interfaces.seen import seen  # not needed for the list of tools

    found: T = seen(value, caller(), jay) if caller().grant else value
    return found
