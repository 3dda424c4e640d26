"""Connections: limits on their number and on the time that a request may take to arrive; uvicorn has neither.

Requests are always parsed by h11, which uvicorn includes, so that other installed parsers make no difference.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from scrubjay.interfaces.http.api.events import PATH as EVENTS
from scrubjay.interfaces.http.api.files import UPLOAD
from scrubjay.interfaces.page.views.upkeep import IMPORT

__all__ = ["READ_BYTES", "Connection", "ConnectionLimits"]

UPLOADS = (UPLOAD, IMPORT)  # what is sent there is a file, which may take its time
READ_BYTES = 8 * 1024  # of one connection, before the others have their turn


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How long a client may take, and how many clients there may be."""

    header_seconds: float = 10
    body_seconds: float = 30  # of a file that is sent: between two parts of it
    reading_seconds: float = 30  # for a client that does not read its answer
    connections: int = 512  # half of the usual limit of open files


class Connection(H11Protocol, asyncio.BufferedProtocol):
    """A connection that is closed if sending the request or reading the answer takes too long.

    It reads little at a time: what is sent in chunks of a byte takes very long to parse, and nobody else is answered
    meanwhile.
    """

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._arrival_timer: asyncio.TimerHandle | None = None  # of a request
        self._reading_timer: asyncio.TimerHandle | None = None  # of an answer
        self._body_of: object = None  # the request whose body is being waited for
        self.waiting_since = self.loop.time()
        self._read_into = memoryview(bytearray(READ_BYTES))

    def get_buffer(self, sizehint: int) -> memoryview:
        """A view: for an encrypted connection, asyncio reads into slices of it, and those of a bytearray are copies."""
        return self._read_into

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self._read_into[:nbytes]))

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_arrival_timer(self.limits.header_seconds)
        _close_longest_waiting(self, self.limits.connections)

    def data_received(self, data: bytes) -> None:
        if self.awaits_request and self._arrival_timer is None:
            self._start_arrival_timer(self.limits.header_seconds)  # the first bytes of the next request
        super().data_received(data)
        self._update_timer()

    def on_response_complete(self) -> None:
        self._cancel_arrival_timer()  # uvicorn itself limits the time between requests
        self.waiting_since = self.loop.time()
        super().on_response_complete()
        if not self.awaits_request:  # the next one was sent before this answer
            self._update_timer()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_timer = self.loop.call_later(self.limits.reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_reading_timer()

    def shutdown(self) -> None:
        """End what would never end by itself; other answers are finished."""
        super().shutdown()
        if not self.awaits_request and self.cycle.scope["path"] == EVENTS:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_arrival_timer()
        self._cancel_reading_timer()
        super().connection_lost(exc)

    @property
    def awaits_request(self) -> bool:
        """No request is being answered: none has arrived yet, or only a part of its header."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def awaits_body(self) -> bool:
        """A request's header has arrived, its body has not."""
        return self.cycle is not None and not self.cycle.response_complete and bool(self.cycle.more_body)

    def _update_timer(self) -> None:
        """Once the header is complete, start the timer of the body; once that is complete, stop it."""
        if self.awaits_request:
            return
        if not self.cycle.more_body:
            self._cancel_arrival_timer()
        elif self._body_of is not self.cycle or self.cycle.scope["path"] in UPLOADS:
            self._body_of = self.cycle
            self._start_arrival_timer(self.limits.body_seconds)

    def _start_arrival_timer(self, seconds: float) -> None:
        self._cancel_arrival_timer()
        self._arrival_timer = self.loop.call_later(seconds, self.transport.abort)

    def _cancel_arrival_timer(self) -> None:
        if self._arrival_timer is not None:
            self._arrival_timer.cancel()
            self._arrival_timer = None

    def _cancel_reading_timer(self) -> None:
        if self._reading_timer is not None:
            self._reading_timer.cancel()
            self._reading_timer = None


def _close_longest_waiting(newest: Connection, most: int) -> None:
    """Above the limit, close the connection that has waited longest for a request; without one, for a body.

    If the newest were refused, a client with many half-sent requests could lock out all others. A connection that
    sends a body has passed the token check, so it comes second; one that is being answered stays open.
    """
    all_open = [cast(Connection, one) for one in newest.connections if not one.transport.is_closing()]
    if len(all_open) <= most:
        return
    others = [one for one in all_open if one is not newest]
    waiting = [one for one in others if one.awaits_request] or [one for one in others if one.awaits_body]
    min(waiting, key=lambda one: one.waiting_since, default=newest).transport.abort()
