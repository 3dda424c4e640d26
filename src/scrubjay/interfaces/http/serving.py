"""Listen at a port and serve until stopped; running requests are finished first."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from scrubjay import Scrubjay
from scrubjay.agents.logins import OwnLogins
from scrubjay.errors import Invalid
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.http.connections import Connection
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["OPEN_FILES", "Address", "Door", "listen", "raise_file_limit", "serve", "settings"]

FINISH_SECONDS = 30
OPEN_FILES = 2048
BACKLOG = 256  # asyncio accepts this many at once, before any of them can be closed


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int
    encrypted: bool = False

    @property
    def url(self) -> str:
        scheme = "https" if self.encrypted else "http"
        return f"{scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/mcp"


@dataclass(frozen=True, slots=True)
class Door:
    """How clients come in: encrypted by a certificate, and through proxies whose headers are believed."""

    certificate: Path | None = None
    key: Path | None = None  # None: it is in the file of the certificate
    proxies: tuple[str, ...] = ()  # addresses and networks

    def check(self) -> None:
        """Raise `Invalid` for files that hold no certificate and key, and for what is no address."""
        if self.certificate is None and self.key is not None:
            raise Invalid("A key belongs to a certificate; name that with --tls-certificate.")
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy, strict=False)
            except ValueError:
                raise Invalid(
                    f"{quoted(proxy)} is no address of a proxy; give one like 10.0.0.5 or 10.0.0.0/24."
                ) from None
        if self.certificate is not None:
            try:
                # A key with a password would be asked for at the terminal, again at each start of a worker.
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password="")
            except (OSError, ValueError) as problem:
                why = "it and the key do not fit" if isinstance(problem, ssl.SSLError) else problem
                raise Invalid(f"Cannot use the certificate {self.certificate}: {why}.") from None


def listen(wanted: Address) -> tuple[socket.socket, Address]:
    """Open a port; 0 means any free one."""
    family = socket.AF_INET6 if ":" in wanted.host else socket.AF_INET
    try:
        opened = socket.create_server((wanted.host, wanted.port), family=family, backlog=BACKLOG)
    except OSError as problem:
        why = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else "no such host"
        where = f"{wanted.host}:{wanted.port}"
        raise Invalid(f"Cannot listen at {where}: {why.lower()}; choose another with --port or --host.") from None
    return opened, replace(wanted, port=opened.getsockname()[1])


def serve(
    jay: Scrubjay, listening: socket.socket, door: Door, sets: Sequence[str], hosts: Sequence[str],
    own: OwnLogins | None = None,
) -> None:  # fmt: skip
    """Serve until a signal arrives; then finish running requests and return."""
    raise_file_limit(OPEN_FILES)
    opener = Opener(lambda: jay)
    opener.begin()
    app = make_app(make_server(opener, sets), jay.tokens.verify, hosts, own=own)
    server = uvicorn.Server(settings(app, door=door))
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, server.handle_exit)  # uvicorn raises them again at its end, which would kill us
    server.run(sockets=[listening])


OPEN = Door()


def raise_file_limit(wanted: int) -> None:
    """Raise the limit of open files, if allowed: each connection needs one, and some systems start with 256."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows, which has no such limit

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if now < wanted:
            allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))


def settings(
    app: ASGIApp | Callable[[], ASGIApp], connection: type[Connection] = Connection, door: Door = OPEN
) -> uvicorn.Config:
    # Proxy headers are ignored but from named addresses: anybody could send them. Parser and loop are named, so that
    # other installed packages make no difference.
    return uvicorn.Config(
        app, http=connection, loop="asyncio", ws="none", backlog=BACKLOG, log_config=None, access_log=False,
        log_level="warning", server_header=False, timeout_graceful_shutdown=FINISH_SECONDS,
        ssl_certfile=door.certificate, ssl_keyfile=door.key,
        proxy_headers=bool(door.proxies), forwarded_allow_ips=list(door.proxies),
    )  # fmt: skip
