"""From a port to a process that ends well: what runs is finished, what is acknowledged is kept."""

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
from scrubjay.interfaces.mcp.opener import Lending
from scrubjay.interfaces.mcp.server import make_server

__all__ = ["Address", "allow_files", "listen", "serve", "settings"]

FINISH_SECONDS = 30
FILES = 2048
BACKLOG = 256  # asyncio accepts as many at once, before any of them can be closed


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/mcp"


def listen(wanted: Address) -> tuple[socket.socket, Address]:
    """Take a port; 0 is any free one."""
    family = socket.AF_INET6 if ":" in wanted.host else socket.AF_INET
    try:
        taken = socket.create_server((wanted.host, wanted.port), family=family, backlog=BACKLOG)
    except OSError as problem:
        why = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else "no such host"
        where = f"{wanted.host}:{wanted.port}"
        raise Invalid(f"Cannot listen at {where}: {why.lower()}; choose another with --port or --host.") from None
    return taken, Address(wanted.host, taken.getsockname()[1])


def serve(jay: Scrubjay, listening: socket.socket, sets: Sequence[str], hosts: Sequence[str]) -> None:
    """Serve until told to end; then finish what runs, and end."""
    allow_files(FILES)
    lending = Lending(lambda: jay)
    lending.begin()
    server = uvicorn.Server(settings(make_app(make_server(lending, sets), jay.tokens.verify, hosts)))
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, server.handle_exit)  # uvicorn raises them again when done, and would die of them
    server.run(sockets=[listening])


def allow_files(wanted: int) -> None:
    """Let this process open as many files, if it may: each connection is one, and some systems start with 256."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows, which has no such limit

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if now < wanted:
            allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))


def settings(app: ASGIApp, connection: type[Connection] = Connection) -> uvicorn.Config:
    # Nobody's word is taken for where a request comes from: there is no proxy unless the user has set one up. Parser
    # and loop are named, so that what else is installed makes no difference.
    return uvicorn.Config(
        app, http=connection, loop="asyncio", ws="none", backlog=BACKLOG, log_config=None, access_log=False,
        log_level="warning", proxy_headers=False, server_header=False, timeout_graceful_shutdown=FINISH_SECONDS,
    )  # fmt: skip
