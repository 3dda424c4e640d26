"""Logging in, by a token or by a link that works once; and out."""

from __future__ import annotations

from urllib.parse import urlencode

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from scrubjay.agents.logins import LOGIN_DAYS, Logins, OwnLogins
from scrubjay.interfaces.http.access import TOO_MANY, FailedAttempts
from scrubjay.interfaces.mcp.callers import Caller
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.page.forms import TooLarge, read_form
from scrubjay.interfaces.page.rendering import html
from scrubjay.interfaces.page.visits import cookie_name, form_key
from scrubjay.types.tokens import Login

__all__ = ["LoginPage"]

LOGIN_SECONDS = LOGIN_DAYS * 24 * 60 * 60
FORM_BYTES = 10_000
WRONG = "This token is unknown, revoked or expired; `scrubjay token create NAME` makes another."
USED = "This link was used already, or is too old; `scrubjay page` makes a new one."


class LoginPage:
    """Gives browsers a cookie for a valid token or link, and finds the login of a cookie."""

    def __init__(self, opener: Opener, own: OwnLogins | None) -> None:
        self._opener = opener
        self._own = own  # None: nobody can log in as whoever runs the program
        self._failures = FailedAttempts(lambda: opener.memory_for(Caller()))

    def find(self, request: Request) -> tuple[Login, str] | None:
        """The login of a request's cookie, and its secret."""
        secret = request.cookies.get(cookie_name(request), "")
        if not secret:
            return None
        login = (self._own.find(secret) if self._own else None) or self._logins().find(secret)
        return (login, secret) if login else None

    async def show(self, request: Request) -> Response:
        """Ask for a token; or open the link that a login was given by."""
        code = request.query_params.get("code")
        if code is None or request.method == "HEAD":  # a program that only looks at a link does not use it up
            return html("login.html", wrong="", next=_path(request.query_params.get("next")))
        secret = self._own.by_link(code) if self._own else None
        if secret is None:
            return html("login.html", 403, wrong=USED, next="/")
        return self._entered(request, secret, "/")

    async def enter(self, request: Request) -> Response:
        """Log in by a token. Wrong ones are counted, as for the other doors."""
        try:
            form = await read_form(request, FORM_BYTES)
        except TooLarge:
            return _too_large()
        token, then = str(form.get("token", "")).strip(), _path(str(form.get("next", "")))
        address = request.client.host if request.client else ""
        secret = await to_thread.run_sync(lambda: self._logins().by_token(token))
        if secret is not None:
            return self._entered(request, secret, then)
        if wait := await to_thread.run_sync(self._failures.wait, address, token):
            refused = html("login.html", 429, wrong=TOO_MANY, next=then)
            refused.headers["Retry-After"] = str(wait)
            return refused
        return html("login.html", 403, wrong=WRONG, next=then)

    async def leave(self, request: Request) -> Response:
        """Log out; a form of another site cannot do that."""
        try:
            form = await read_form(request, FORM_BYTES)
        except TooLarge:
            return _too_large()
        found = await to_thread.run_sync(self.find, request)
        if found and form.get("key") == form_key(found[1]):
            await to_thread.run_sync(self._end, *found)
        response = RedirectResponse("/login", 303)
        response.delete_cookie(cookie_name(request), httponly=True, samesite="strict")
        response.headers["Clear-Site-Data"] = '"cache"'
        return response

    def ask(self, request: Request) -> Response:
        """Where somebody goes who is not logged in."""
        if request.method != "GET" or "x-fragment" in request.headers:
            return html("login.html", 401, wrong="Log in first.", next="/")
        address = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?{urlencode({'next': address})}" if address != "/" else "/login", 303)

    def _end(self, login: Login, secret: str) -> None:
        (self._own if self._own and login.is_own else self._logins()).end(secret)

    def _entered(self, request: Request, secret: str, then: str) -> Response:
        response = RedirectResponse(then, 303)
        response.set_cookie(
            cookie_name(request), secret, max_age=LOGIN_SECONDS, httponly=True, samesite="strict",
            secure=request.url.scheme == "https",
        )  # fmt: skip
        return response

    def _logins(self) -> Logins:
        return Logins(self._opener.memory_for(Caller()).view)


def _too_large() -> Response:
    refused = html("login.html", 413, wrong=WRONG, next="/")
    refused.headers["Connection"] = "close"
    return refused


def _path(given: str | None) -> str:
    """An address of this page, or its start: a link must not lead from the login to somewhere else."""
    path = given or "/"
    is_own = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if is_own else "/"
