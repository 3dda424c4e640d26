"""The HTTP interface of a memory, on a port that the system chose, in a thread of this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn

from scrubjay import Scrubjay
from scrubjay.agents.logins import OwnLogins
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.http.serving import Address, listen, settings
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server

__all__ = ["serving_here"]


@contextmanager
def serving_here(jay: Scrubjay, port: int = 0, own: OwnLogins | None = None) -> Iterator[str]:
    """The address of a server of this memory."""
    socket, address = listen(Address("127.0.0.1", port))
    app = make_app(make_server(Opener(lambda: jay)), jay.tokens.verify, own=own)
    server = uvicorn.Server(settings(app))
    thread = Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{address.port}"
    finally:
        server.should_exit = True
        thread.join(timeout=30)
