"""For tests only: passes requests on with a token, for a client that cannot send one."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Thread

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

__all__ = ["with_token"]

OF_THE_CONNECTION = {b"connection", b"content-length", b"transfer-encoding", b"keep-alive"}


@contextmanager
def with_token(url: str, secret: str) -> Iterator[str]:
    """A URL that is the given one with a token on every request; Host and Origin go through as they are."""
    listening = socket.create_server(("127.0.0.1", 0))
    # h11 drops the blanks after a header's value; httptools would keep them, and the client refuse to pass them on.
    settings = uvicorn.Config(
        _app(url, secret), http="h11", loop="asyncio", log_level="error", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(settings)
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join(30)


async def _whole(answer: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for part in answer.aiter_raw():
            yield part
    finally:
        await answer.aclose()


def _app(url: str, secret: str) -> Starlette:
    client = httpx2.AsyncClient(timeout=None)

    async def forward(request: Request) -> StreamingResponse:
        headers = [pair for pair in request.headers.raw if pair[0] not in OF_THE_CONNECTION]
        headers.append((b"authorization", f"Bearer {secret}".encode()))
        asked = client.build_request(request.method, url, content=await request.body(), headers=headers)
        answer = await client.send(asked, stream=True)
        passed = StreamingResponse(_whole(answer), answer.status_code)
        passed.raw_headers = [pair for pair in answer.headers.raw if pair[0].lower() not in OF_THE_CONNECTION]
        return passed

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    route = Route("/mcp", forward, methods=["GET", "POST", "DELETE", "OPTIONS"])
    return Starlette(routes=[route], lifespan=lifespan)
