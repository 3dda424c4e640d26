"""The page as an application: its addresses, the check of each visit, and the headers of every answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from logging import getLogger
from pathlib import Path

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.datastructures import FormData, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrubjay.agents.logins import OwnLogins
from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.interfaces.http.api.problems import STATUS
from scrubjay.interfaces.http.sessions import RETRY, OpenRequests
from scrubjay.interfaces.mcp.callers import GRANT, NOBODY, Caller, Grant
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.page.forms import TooLarge, read_form
from scrubjay.interfaces.page.login import LoginPage
from scrubjay.interfaces.page.rendering import html
from scrubjay.interfaces.page.views import (
    access,
    board,
    changes,
    figures,
    memory,
    records,
    search,
    sources,
    subjects,
    timeline,
    today,
    upkeep,
)
from scrubjay.interfaces.page.visits import NotAllowed, Page, Visit, cookie_name
from scrubjay.types.tokens import Login

__all__ = ["OPEN", "PAGES", "make_page"]

STATIC = Path(__file__).parent / "static"
THREADS = 8  # that make pages at once
SEARCHES = 200  # whose times are kept for the figures
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With `no-referrer`, browsers say `Origin: null` in forms, which cannot be told from another site.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
OWN = "page"  # the name under which whoever runs the program writes
CRASH = "The server failed at this page; its log says why."
NO_PAGE = "There is no such page."

PAGES: tuple[Page, ...] = tuple(
    chain(
        today.PAGES, search.PAGES, memory.PAGES, changes.PAGES, timeline.PAGES, subjects.PAGES, board.PAGES,
        records.PAGES, sources.PAGES, upkeep.PAGES, figures.PAGES, access.PAGES,
    )
)  # fmt: skip
# What needs no login: these, and the files in `static/`.
OPEN = ("/login", "/logout", "/static")


def make_page(opener: Opener, open_requests: OpenRequests, own: OwnLogins | None) -> Starlette:
    """The page over one memory, for logins by a token and for those of whoever runs the program."""
    site = Site(opener, open_requests, own)
    routes = [Route(page.path, Address(site, page), methods=[page.method]) for page in PAGES]
    return Starlette(
        routes=[
            *routes,
            Route("/login", site.login.show, methods=["GET"]),
            Route("/login", site.login.enter, methods=["POST"]),
            Route("/logout", site.login.leave, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(SafeHeaders)],
        exception_handlers={404: _no_page, 405: _no_page, ClientDisconnect: _left, ScrubjayError: _unavailable},
    )


class Site:
    """What all visits share."""

    def __init__(self, opener: Opener, open_requests: OpenRequests, own: OwnLogins | None) -> None:
        self._opener = opener
        self.open_requests = open_requests
        self.login = LoginPage(opener, own)
        self._threads = CapacityLimiter(THREADS)
        self._search_seconds: deque[float] = deque(maxlen=SEARCHES)

    async def answer(self, page: Page, request: Request, login: Login, secret: str) -> Response:
        """The answer of one address to somebody who is logged in."""
        try:
            visit = await to_thread.run_sync(partial(self._visit, page, request, login, secret), limiter=self._threads)
            # Nothing is read from somebody who may not send it.
            form = await read_form(request, page.most_bytes) if page.method == "POST" else FormData()
        except ScrubjayError as problem:
            return _refused(problem)
        answer = partial(self._answer, page, replace(visit, form=form))
        try:
            return await to_thread.run_sync(answer, limiter=self._threads)
        finally:
            await form.close()

    def _answer(self, page: Page, visit: Visit) -> Response:
        try:
            if page.method == "POST":
                visit.check_key()
        except ScrubjayError as problem:
            return _refused(problem)
        try:
            return page.show(visit)
        except ScrubjayError as problem:
            return visit.show("problem.html", _status(problem), sentence=visit.who.error_text(problem))
        except Exception:
            getLogger("scrubjay").exception("%s", CRASH)
            return visit.show("problem.html", 500, sentence=CRASH)

    def _visit(self, page: Page, request: Request, login: Login, secret: str) -> Visit:
        """The visit of somebody who may ask for this page; its form was not read yet."""
        token = login.token
        scopes = token.scopes if token else ("read", "write", "admin")
        spaces = token.spaces if token else ()
        wanted = request.cookies.get(f"{cookie_name(request)}-space", "")
        grant = Grant(token.name if token else OWN, None, scopes, spaces)
        first = spaces[0] if spaces else None
        chosen = wanted if wanted and Caller(None, grant).may_see(wanted) else first
        who = Caller(OWN, Grant(grant.token, chosen, scopes, spaces))
        request.scope[GRANT] = who.grant  # for the log
        try:
            jay = self._opener.memory_for(who, source=OWN)
        except Invalid:  # the cookie names no space
            jay = self._opener.memory_for(Caller(OWN, Grant(grant.token, first, scopes, spaces)), source=OWN)
        visit = Visit(
            request=request, login=login, secret=secret, who=who, jay=jay, form=FormData(),
            spaces=lambda: _spaces(jay.space, spaces or jay.view.store.memories.spaces()),
            search_seconds=self._search_seconds,
        )  # fmt: skip
        page.refuse_unless_allowed(visit)
        return visit


@dataclass(frozen=True, slots=True)
class Address:
    """One address as an application: a request counts as open until all of its answer was sent."""

    site: Site
    page: Page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        found = await to_thread.run_sync(self.site.login.find, request)
        if found is None:
            return await self.site.login.ask(request)(scope, receive, send)
        login, secret = found
        with self.site.open_requests.counted(login.token.name if login.token else "") as has_room:
            answer = await self.site.answer(self.page, request, login, secret) if has_room else self._too_many()
            await answer(scope, receive, send)

    def _too_many(self) -> Response:
        refused = html("refused.html", 429, sentence=self.site.open_requests.too_many)
        refused.headers.update({**RETRY, "Connection": "close"})
        return refused


def _spaces(own: str, others: Sequence[str]) -> list[str]:
    return sorted({own, *others})


def _refused(problem: ScrubjayError) -> Response:
    """A page that says why; a connection is not kept whose form was not read."""
    refused = html("refused.html", _status(problem), sentence=NOBODY.error_text(problem))
    refused.headers["Connection"] = "close"
    return refused


def _status(problem: ScrubjayError) -> int:
    if isinstance(problem, NotAllowed | TooLarge):
        return 403 if isinstance(problem, NotAllowed) else 413
    return next((code for kind, code in STATUS.items() if isinstance(problem, kind)), 500)


async def _no_page(request: Request, problem: Exception) -> Response:
    return html("refused.html", 404, sentence=str(NotFound(NO_PAGE)))


async def _unavailable(request: Request, problem: Exception) -> Response:
    """Where no login can be looked up."""
    assert isinstance(problem, ScrubjayError)
    return _refused(problem)


async def _left(request: Request, problem: Exception) -> Response:
    """Who goes away while they send a form is no failure of the server, and reads no answer."""
    return Response(status_code=400)


class SafeHeaders:
    """Adds to every answer what keeps a browser from running or sending anything but ours."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-cache" if _is_static(scope) else "no-store")
            await send(message)

        await self._app(scope, receive, safe)


def _is_static(scope: Scope) -> bool:
    return str(scope.get("path", "")).startswith("/static/")
