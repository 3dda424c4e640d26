"""Changes as server-sent events. They are read from the store's log, so that a change made by any process is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from logging import getLogger
from typing import Any

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.responses import Response, StreamingResponse

from scrubjay.agents.events import AT_ONCE, next_changes
from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.exact_json import exact
from scrubjay.interfaces.http.access import still_valid
from scrubjay.interfaces.http.api.answering import Asked
from scrubjay.remote.verbs import PREFIX
from scrubjay.text.safe_text import escaped
from scrubjay.types.history import MemoryChange

__all__ = ["PATH", "Feed", "send_events"]

PATH = f"{PREFIX}/events"
LAST_EVENT_ID = "last-event-id"
LOOK_SECONDS = 0.25
HEARTBEAT_SECONDS = 15.0
HEARTBEAT = b":\n\n"  # a comment: it shows that both ends are there
THREADS = 2
UNKNOWN = -1  # below the number of any change
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # a proxy must not wait for more


class Feed:
    """Looks at the log for all who listen: each of them reads it only when there is something new."""

    def __init__(self, last: Callable[[], str]) -> None:
        self._last = last
        self._seen = UNKNOWN
        self._waiting: set[asyncio.Event] = set()
        self._looking: asyncio.Task[None] | None = None
        self.threads = CapacityLimiter(THREADS)

    async def newer(self, than: str, seconds: float) -> bool:
        """Wait for a change after that one; False if there was none for so long."""
        if self._seen > _number(than):
            return True
        self._waiting.add(changed := asyncio.Event())
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            with anyio.move_on_after(seconds):
                await changed.wait()
            return changed.is_set()
        finally:
            self._waiting.discard(changed)

    async def _look(self) -> None:
        while self._waiting:
            now = await to_thread.run_sync(self._newest, limiter=self.threads)
            if now != self._seen:
                self._seen = now
                for one in self._waiting:
                    one.set()
                self._waiting.clear()
            await asyncio.sleep(LOOK_SECONDS)

    def _newest(self) -> int:
        try:
            return _number(self._last())
        except ScrubjayError:  # those who listen read it themselves, and are told
            return UNKNOWN


async def send_events(feed: Feed, asked: Asked) -> Response:
    """Answer with changes until the client goes, its token is revoked, the file is away, or the server ends."""
    arguments = asked.arguments
    after = asked.request.headers.get(LAST_EVENT_ID) or arguments.get("after")
    jay = await to_thread.run_sync(asked.memory)
    changes = await to_thread.run_sync(
        lambda: jay.events(after=after, spaces=arguments.get("spaces"), follow=False)
    )  # refuses what is not valid before the answer begins
    listener = _Listener(feed, asked, partial(next_changes, jay.view, spaces=jay.view.spaces(arguments.get("spaces"))))
    stream = listener.told(changes.last, arguments.get("follow", True))
    return StreamingResponse(stream, headers=HEADERS, media_type="text/event-stream")


@dataclass(frozen=True, slots=True)
class _Listener:
    """One client that is told of changes."""

    feed: Feed
    asked: Asked
    read: Callable[[str], tuple[list[MemoryChange], str]]

    async def told(self, last: str, follow: bool) -> AsyncIterator[bytes]:
        try:
            async for message in self._messages(last, follow):
                yield message
        except ScrubjayError as problem:  # the client asks again, and is answered with an error
            getLogger("scrubjay").warning("%s", problem)

    async def _messages(self, last: str, follow: bool) -> AsyncIterator[bytes]:
        yield f"retry: 1000\nid: {last}\n\n".encode()  # with no data: only where to go on
        while True:
            found, last = await self._in_thread(partial(self.read, last))
            if not await self._in_thread(partial(still_valid, self.asked.request.scope)):
                return  # asked after reading: what came after the token was revoked is not told
            for change in found:
                yield _message(change)
            if len(found) < AT_ONCE:
                if not follow:
                    return
                if not await self.feed.newer(last, HEARTBEAT_SECONDS):
                    yield HEARTBEAT

    async def _in_thread(self, call: Callable[[], Any]) -> Any:
        return await to_thread.run_sync(call, limiter=self.feed.threads)


def _message(change: MemoryChange) -> bytes:
    return f"id: {change.id}\ndata: {escaped(json.dumps(exact(change), ensure_ascii=False))}\n\n".encode()


def _number(id: str) -> int:
    return int(id.partition("-")[0])
