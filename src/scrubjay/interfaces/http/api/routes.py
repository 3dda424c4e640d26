"""The routes of the API: one for each verb, its description, and what a monitor asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from logging import getLogger

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.http.api.answering import Asked, answer_to, check_spaces, refuse_unless_allowed
from scrubjay.interfaces.http.api.arguments import read_arguments
from scrubjay.interfaces.http.api.events import Feed, send_events
from scrubjay.interfaces.http.api.files import send_export, take_import
from scrubjay.interfaces.http.api.keys import KEY_HEADER, answered_once
from scrubjay.interfaces.http.api.openapi import description
from scrubjay.interfaces.http.api.problems import problem_of, refused
from scrubjay.interfaces.mcp.callers import CLIENT_CHARACTERS, GRANT, Caller
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.memory.arguments import short_text
from scrubjay.remote.verbs import PREFIX, VERBS, Stream, Verb

__all__ = ["PROJECT_HEADER", "make_api"]

PROJECT_HEADER = "x-scrubjay-project"
THREADS = 16  # that answer at once; a request does not wait for the embedding of another
GZIP_BYTES = 1_000
CRASH = "The server failed at this request; its log says why."
BROKEN = "The request did not come in whole; nothing was changed."

Handler = Callable[[Request], Awaitable[Response]]
Give = Callable[[Asked], Awaitable[Response]]


def make_api(opener: Opener) -> Starlette:
    """The API over one memory. Who may ask was checked before: the request has a grant."""
    threads, feed = CapacityLimiter(THREADS), Feed(lambda: opener.memory_for(Caller()).view.store.events.last())
    give: Mapping[Stream, Give] = {
        "": _answer, "events": partial(send_events, feed), "download": send_export, "upload": take_import,
    }  # fmt: skip
    routes = [
        Route(PREFIX + verb.path, _guarded(partial(_ask, verb, opener, threads, give)), methods=[verb.method])
        for verb in VERBS
    ]
    routes.append(Route("/api/openapi.json", _guarded(_description), methods=["GET"]))
    return Starlette(
        routes=routes,
        middleware=[Middleware(GZipMiddleware, minimum_size=GZIP_BYTES), Middleware(RouteBySentPath)],
        exception_handlers={404: _no_route, 405: _no_method},
    )


class RouteBySentPath:
    """A slash in a name is sent as %2F: decoded before the route is chosen, it would lead to another request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(dict(scope, path=scope["raw_path"].decode("ascii", "replace")), receive, send)


def _guarded(handler: Handler) -> Handler:
    """What goes wrong is a problem, never a page."""

    async def answered(request: Request) -> Response:
        try:
            response = await handler(request)
        except ScrubjayError as error:
            response = problem_of(error, _who(request).error_text(error))
        except ClientDisconnect:
            response = refused(400, BROKEN)  # read by nobody
        except Exception:
            getLogger("scrubjay").exception("%s", CRASH)
            response = refused(500, CRASH)
        return response

    return answered


async def _ask(
    verb: Verb, opener: Opener, threads: CapacityLimiter, give: Mapping[Stream, Give], request: Request
) -> Response:
    who, project = _who(request), request.headers.get(PROJECT_HEADER) or None
    if project is not None:
        project = short_text(PROJECT_HEADER, project)
    refuse_unless_allowed(verb, who)
    arguments = await read_arguments(verb, request)
    check_spaces(verb, who, arguments)
    memory = partial(opener.memory_for, who, source="api", project=project)
    return await give[verb.stream](Asked(verb, who, memory, arguments, request, threads))


async def _answer(asked: Asked) -> Response:
    verb, who, arguments, headers = asked.verb, asked.who, asked.arguments, asked.request.headers

    def work() -> Response:
        jay = asked.memory()
        answer = partial(answer_to, verb, who, jay, arguments, headers)
        key = headers.get(KEY_HEADER) if verb.is_kept else None
        found = answer() if key is None else answered_once(key, verb, who, jay, dict(arguments), answer)
        return found.response()

    return await to_thread.run_sync(work, limiter=asked.threads)


async def _description(request: Request) -> Response:
    return JSONResponse(description())


def _who(request: Request) -> Caller:
    agent = request.headers.get("user-agent", "").strip()[:CLIENT_CHARACTERS]
    return Caller(agent or None, request.scope[GRANT])


async def _no_route(request: Request, error: Exception) -> Response:
    return refused(404, f"There is no such path; {PREFIX} has those of /api/openapi.json.")


async def _no_method(request: Request, error: Exception) -> Response:
    headers = getattr(error, "headers", None) or {}
    return refused(405, "This path does not take that method; /api/openapi.json has what it takes.", headers)
