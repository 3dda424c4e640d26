"""Listen at a port and serve until stopped; running requests are finished first."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from scrubjay import Scrubjay
from scrubjay.errors import Invalid
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.http.connections import Connection
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server

__all__ = ["Address", "listen", "raise_file_limit", "serve", "settings"]

FINISH_SECONDS = 30
OPEN_FILES = 2048
BACKLOG = 256  # asyncio accepts this many at once, before any of them can be closed


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/mcp"


def listen(wanted: Address) -> tuple[socket.socket, Address]:
    """Open a port; 0 means any free one."""
    family = socket.AF_INET6 if ":" in wanted.host else socket.AF_INET
    try:
        opened = socket.create_server((wanted.host, wanted.port), family=family, backlog=BACKLOG)
    except OSError as problem:
        why = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else "no such host"
        where = f"{wanted.host}:{wanted.port}"
        raise Invalid(f"Cannot listen at {where}: {why.lower()}; choose another with --port or --host.") from None
    return opened, Address(wanted.host, opened.getsockname()[1])


def serve(jay: Scrubjay, listening: socket.socket, sets: Sequence[str], hosts: Sequence[str]) -> None:
    """Serve until a signal arrives; then finish running requests and return."""
    raise_file_limit(OPEN_FILES)
    opener = Opener(lambda: jay)
    opener.begin()
    server = uvicorn.Server(settings(make_app(make_server(opener, sets), jay.tokens.verify, hosts)))
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, server.handle_exit)  # uvicorn raises them again at its end, which would kill us
    server.run(sockets=[listening])


def raise_file_limit(wanted: int) -> None:
    """Raise the limit of open files, if allowed: each connection needs one, and some systems start with 256."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows, which has no such limit

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if now < wanted:
            allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))


def settings(app: ASGIApp, connection: type[Connection] = Connection) -> uvicorn.Config:
    # Proxy headers are ignored: anybody could send them. Parser and loop are named, so that other installed packages
    # make no difference.
    return uvicorn.Config(
        app, http=connection, loop="asyncio", ws="none", backlog=BACKLOG, log_config=None, access_log=False,
        log_level="warning", proxy_headers=False, server_header=False, timeout_graceful_shutdown=FINISH_SECONDS,
    )  # fmt: skip
