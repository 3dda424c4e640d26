"""From a port to a process that ends well: what runs is finished, what is acknowledged is kept."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Sequence
from dataclasses import dataclass

import uvicorn

from scrubjay import Scrubjay
from scrubjay.doors.http.app import make_app
from scrubjay.doors.mcp.lending import Lending
from scrubjay.doors.mcp.server import make_server
from scrubjay.errors import Invalid

__all__ = ["Address", "listen", "serve"]

FINISH_SECONDS = 30
BACKLOG = 2048


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
    lending = Lending(lambda: jay)
    lending.begin()
    app = make_app(make_server(lending, sets), jay.tokens.verify, hosts)
    # Nobody's word is taken for where a request comes from: there is no proxy unless the user has set one up.
    # Parser and loop are named: uvicorn takes others where another package has installed them, and httptools keeps
    # the blanks after a header's value.
    settings = uvicorn.Config(
        app, http="h11", loop="asyncio", ws="none", log_config=None, access_log=False, log_level="warning",
        proxy_headers=False, server_header=False, timeout_graceful_shutdown=FINISH_SECONDS,
    )  # fmt: skip
    server = uvicorn.Server(settings)
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, server.handle_exit)  # uvicorn raises them again when done, and would die of them
    server.run(sockets=[listening])
