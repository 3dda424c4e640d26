"""One visit: who asks, with what, and the answer. To add an address: a `Page` in `PAGES` of one of the views."""

from __future__ import annotations

import hashlib
import hmac
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from scrubjay import Scrubjay
from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.interfaces.mcp.callers import Caller
from scrubjay.interfaces.page.notices import Notice
from scrubjay.interfaces.page.rendering import html
from scrubjay.interfaces.seen import seen
from scrubjay.types.limits import is_id
from scrubjay.types.tokens import Login, Scope

__all__ = ["BODY_BYTES", "NotAllowed", "Page", "Visit", "cookie_name", "form_key"]

BODY_BYTES = 8 * 1024 * 1024  # the longest text, as a form sends it
BACK = ("/", "/conflicts", "/tasks")
# In groups: to begin with, what is remembered, what is kept in order, and the program itself.
MENU = (
    (("/", "Today"), ("/search", "Search"), ("/conflicts", "Conflicts")),
    (
        ("/timeline", "Timeline"),
        ("/conversations", "Conversations"),
        ("/subjects", "Subjects"),
        ("/projects", "Projects"),
    ),
    (("/tasks", "Tasks"), ("/records", "Records"), ("/sources", "Sources")),
)


class NotAllowed(ScrubjayError):
    """This login may not do that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A request of somebody who is logged in, and the memory as they see it."""

    request: Request
    login: Login
    secret: str  # of the login
    who: Caller
    jay: Scrubjay
    form: FormData
    spaces: Callable[[], Sequence[str]]  # that this login may see
    search_seconds: deque[float]  # of the last searches on this page

    def asked(self, name: str) -> str:
        """What stands at a name in the address or in the form."""
        found = self.form.get(name) if name in self.form else self.request.query_params.get(name)
        return found.strip() if isinstance(found, str) else ""

    def all_asked(self, name: str) -> list[str]:
        return [one.strip() for one in self.request.query_params.getlist(name) if one.strip()]

    def number(self, name: str, default: int = 0) -> int:
        """A whole number; the default for anything else."""
        given = str(self.request.path_params.get(name) or self.asked(name))
        return int(given) if is_id(given) else default

    def part(self, name: str) -> str:
        """A part of the path; a name that no path can hold stands in the query (rendering.py)."""
        return str(self.request.path_params[name]) or self.asked("name")

    def back(self, otherwise: str) -> str:
        """Where a form was sent from, of the pages that have forms about several memories."""
        return self.asked("back") if self.asked("back") in BACK else otherwise

    def may(self, *scopes: Scope) -> bool:
        return self.who.may(*scopes)

    @property
    def menu(self) -> Sequence[Sequence[tuple[str, str]]]:
        """The pages that can be gone to from every page, in groups."""
        clients = [("/clients", "Clients")] if self.is_own else []
        tokens = [("/tokens", "Tokens")] if self.may("admin") and self.who.sees_all_spaces else []
        return [*MENU, [("/look-after", "Look after"), ("/figures", "Figures"), *clients, *tokens]]

    @property
    def is_fragment(self) -> bool:
        """Whether a script asks for the changing part of a page only."""
        return "x-fragment" in self.request.headers

    @property
    def is_own(self) -> bool:
        """Whether this is whoever runs the program: they may see and do what concerns the machine."""
        return self.login.is_own

    def seen(self, value: Any) -> Any:
        """A value that a method returned, as it may be shown."""
        return value if self.is_own else seen(value, self.who, self.jay)

    def show(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page, with the notice of the visit before it."""
        cookie = f"{cookie_name(self.request)}-notice"
        notice = Notice.read(self.request.cookies.get(cookie, ""))
        response = html(template, status, visit=self, jay=self.jay, notice=notice, **values)
        if notice and not self.is_fragment:
            response.delete_cookie(cookie, httponly=True, samesite="strict")
        return response

    def go(self, path: str, notice: Notice | None = None, **query: str) -> Response:
        """Go on to another page, which shows the notice."""
        response = RedirectResponse(path + (f"?{urlencode(query)}" if query else ""), 303)
        if notice:
            secure = self.request.url.scheme == "https"
            cookie = f"{cookie_name(self.request)}-notice"
            response.set_cookie(
                cookie, notice.written, max_age=60, httponly=True, samesite="strict", secure=secure
            )  # fmt: skip
        return response

    @property
    def key(self) -> str:
        """What every form of this login carries, so that no other site can send one."""
        return form_key(self.secret)

    def check_key(self) -> None:
        if not hmac.compare_digest(self.asked("key").encode("utf-8", "replace"), self.key.encode()):
            raise Invalid("This form is not from this login; go back, load the page again, and repeat it.")

    def no_such(self, what: str) -> NotFound:
        return NotFound(f"There is no {what} in space {self.jay.space!r}.")


@dataclass(frozen=True, slots=True)
class Page:
    """An address, what it shows or does, and who may ask for it."""

    path: str
    show: Callable[[Visit], Response]
    method: str = "GET"
    scopes: tuple[Scope, ...] = ("read",)
    whole_file: bool = False  # it is about all spaces, and for logins that may see all
    own: bool = False  # it is about the machine, and for whoever runs the program
    most_bytes: int = BODY_BYTES

    def refuse_unless_allowed(self, visit: Visit) -> None:
        if self.own and not visit.is_own:
            raise NotAllowed("It is for whoever runs the server: `scrubjay page` there.")
        if not visit.who.may(*self.scopes):
            raise NotAllowed(f"Its token needs the scope {' and '.join(self.scopes)}.")
        if self.whole_file and not visit.who.sees_all_spaces:
            raise NotAllowed("Its token needs to be for all spaces.")


def form_key(secret: str) -> str:
    return hashlib.sha256(f"form {secret}".encode()).hexdigest()


def cookie_name(request: Request) -> str:
    """Browsers share cookies between the ports of a host: each has its own name."""
    return f"scrubjay-{request.url.port or request.url.scheme}"
