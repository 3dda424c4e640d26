"""What a monitor asks: whether the server lives, whether it can answer, and how much it has done."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from logging import getLogger
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import scrubjay
from scrubjay.errors import ScrubjayError
from scrubjay.files import private_files
from scrubjay.interfaces.http.answers import LATER, refusal
from scrubjay.interfaces.mcp.callers import GRANT, Caller
from scrubjay.interfaces.mcp.opener import Opener

__all__ = ["Metrics", "alive", "ready"]

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
WRITTEN_AFTER_SECONDS = 1.0  # of the first request that is not yet in the file
DOORS = ("api", "mcp", "healthz", "readyz", "metrics")
NOT_READY = "The memory cannot be read; the server's log says why."
NOT_ALLOWED = "This token may not do that: it needs the scope admin, and to be for all spaces."


async def alive(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": scrubjay.__version__})


def ready(opener: Opener) -> Callable[[Request], Awaitable[Response]]:
    """Whether the memory can be read."""

    async def answer(request: Request) -> Response:
        try:
            await to_thread.run_sync(lambda: opener.memory_for(Caller()).tokens.list())
        except ScrubjayError as problem:
            getLogger("scrubjay").warning("%s", problem)
            return refusal(LATER, NOT_READY)
        return JSONResponse({"status": "ok"})

    return answer


class Metrics:
    """Counts requests by door and status, and how long they took. Called as an application, it tells the counts."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder  # of the counts of all processes of a server
        self._unwritten = False
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()

    def counting(self, app: ASGIApp) -> ASGIApp:
        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            status, began = 0, time.perf_counter()

            async def watched(message: Message) -> None:
                nonlocal status
                status = message.get("status", status)
                await send(message)

            try:
                await app(scope, receive, watched)
            finally:
                if scope["type"] == "http":
                    self._note(scope["path"], status, time.perf_counter() - began)

        return counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        who = Caller(None, scope[GRANT])
        allowed = who.may("admin") and who.sees_all_spaces
        told = PlainTextResponse("\n".join(self._of_all()._lines()) + "\n")
        response: Response = told if allowed else refusal(403, NOT_ALLOWED)
        await response(scope, receive, send)

    def _note(self, path: str, status: int, seconds: float) -> None:
        first = path.split("/", 2)[1] if "/" in path else ""
        door = first if first in DOORS else "other"  # a made-up path is no new row
        self._requests[door, status] += 1
        self._seconds[door] += seconds  # type: ignore[assignment]
        self._buckets[door, next((edge for edge in BUCKETS if seconds <= edge), float("inf"))] += 1
        if self._folder is not None and not self._unwritten:
            self._unwritten = True  # written by a timer: this process may not get another request
            asyncio.get_running_loop().call_later(WRITTEN_AFTER_SECONDS, self._write, self._folder)

    def _write(self, folder: Path) -> None:
        self._unwritten = False
        counts = [[*key, count] for key, count in self._requests.items()]
        buckets = [[*key, count] for key, count in self._buckets.items()]
        private_files.write(
            folder / f"{os.getpid()}.json", json.dumps([counts, buckets, [*self._seconds.items()]]).encode()
        )

    def _of_all(self) -> Metrics:
        """The counts of this process and the others; those of one that has ended stay."""
        if self._folder is None:
            return self
        self._write(self._folder)
        sum = Metrics()
        for file in self._folder.glob("*.json"):
            counts, buckets, seconds = json.loads(file.read_bytes())
            sum._requests.update({(door, status): count for door, status, count in counts})
            sum._buckets.update({(door, edge): count for door, edge, count in buckets})
            sum._seconds.update(dict(seconds))
        return sum

    def _lines(self) -> Iterator[str]:
        """The text format of Prometheus."""
        yield "# TYPE scrubjay_requests_total counter"
        for (door, status), count in sorted(self._requests.items()):
            yield f'scrubjay_requests_total{{door="{door}",status="{status}"}} {count}'
        yield "# TYPE scrubjay_request_seconds histogram"
        for door in sorted(self._seconds):
            below = 0
            for edge in (*BUCKETS, float("inf")):
                below += self._buckets[door, edge]
                name = "+Inf" if edge == float("inf") else edge
                yield f'scrubjay_request_seconds_bucket{{door="{door}",le="{name}"}} {below}'
            yield f'scrubjay_request_seconds_sum{{door="{door}"}} {self._seconds[door]:.6f}'
            yield f'scrubjay_request_seconds_count{{door="{door}"}} {below}'
