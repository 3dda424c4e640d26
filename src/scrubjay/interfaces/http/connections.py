"""Connections: so many at once, and so long for each request to arrive. uvicorn itself waits for ever.

Always parsed by h11, which uvicorn brings: whatever else is installed, the server behaves the same.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Connection", "ConnectionLimits"]


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How long a client may take, and how many clients there may be."""

    header_seconds: float = 10
    body_seconds: float = 30
    reading_seconds: float = 30  # for a client that does not take its answer
    connections: int = 512  # half of the files that a process may usually open


class Connection(H11Protocol):
    """A connection that is closed if its request, or the reading of its answer, takes too long."""

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._arrival: asyncio.TimerHandle | None = None  # of a request
        self._reading: asyncio.TimerHandle | None = None  # of an answer
        self._body_of: object = None  # the request whose body is being waited for
        self.waiting_since = self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_arrival(self.limits.header_seconds)
        _make_room(self, self.limits.connections)

    def data_received(self, data: bytes) -> None:
        if self.waits_for_a_request and self._arrival is None:
            self._await_arrival(self.limits.header_seconds)  # the first bytes of the next request
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        self._cancel_arrival()  # uvicorn limits the time between requests
        self.waiting_since = self.loop.time()
        super().on_response_complete()
        if not self.waits_for_a_request:  # the next one was sent before this answer
            self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading = self.loop.call_later(self.limits.reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_arrival()
        self._cancel_reading()
        super().connection_lost(exc)

    @property
    def waits_for_a_request(self) -> bool:
        """Nothing is being answered: no request has come yet, or only a part of its header."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def waits_for_a_body(self) -> bool:
        """A request's header is there, its body is not yet."""
        return self.cycle is not None and not self.cycle.response_complete and bool(self.cycle.more_body)

    def _look(self) -> None:
        """The header has its time; once it is there, the body has its own; once that is there, nothing is awaited."""
        if self.waits_for_a_request:
            return
        if not self.cycle.more_body:
            self._cancel_arrival()
        elif self._body_of is not self.cycle:
            self._body_of = self.cycle
            self._await_arrival(self.limits.body_seconds)

    def _await_arrival(self, seconds: float) -> None:
        self._cancel_arrival()
        self._arrival = self.loop.call_later(seconds, self.transport.abort)

    def _cancel_arrival(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def _cancel_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None


def _make_room(newest: Connection, most: int) -> None:
    """Beyond the limit, close the one that has waited longest for a request; if there is none, for the rest of one.

    Refusing the newest would let whoever holds many half-sent requests keep all others out. A connection that sends a
    body has shown a token, which may be anybody's, so it comes second; those that are being answered are left alone.
    """
    all_open = [cast(Connection, one) for one in newest.connections if not one.transport.is_closing()]
    if len(all_open) <= most:
        return
    others = [one for one in all_open if one is not newest]
    waiting = [one for one in others if one.waits_for_a_request] or [one for one in others if one.waits_for_a_body]
    min(waiting, key=lambda one: one.waiting_since, default=newest).transport.abort()
