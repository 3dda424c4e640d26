"""The open connections of an HTTP client, which are cut when a whole exchange takes too long.

The time-outs of httpx are for each read, so that a server which sends one byte now and then would never be given up.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import Any
from weakref import WeakSet

__all__ = ["Connections"]

OPENED = (".connect_tcp.complete", ".start_tls.complete")  # events of httpcore whose value is a stream

AGAIN_SECONDS = 0.1


class Connections:
    """Pass `extensions` with every request of one client, and send it within `at_most`."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sockets: WeakSet[socket.socket] = WeakSet()

    @property
    def extensions(self) -> Mapping[str, Any]:
        return {"trace": self._note}

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """After so many seconds, what still waits for an answer of this client gets an error."""
        done = Event()
        Thread(target=self._cut_until, args=(done, seconds), daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def _note(self, event: str, about: Mapping[str, Any]) -> None:
        if event.endswith(OPENED):
            with self._lock:
                self._sockets.add(about["return_value"].get_extra_info("socket"))

    def _cut_until(self, done: Event, seconds: float) -> None:
        """Cut when the time is over, and again: a connection may be opened only then."""
        while not done.wait(seconds):
            self._cut()
            seconds = AGAIN_SECONDS

    def _cut(self) -> None:
        with self._lock:
            still_open = list(self._sockets)
        for one in still_open:
            with suppress(OSError):  # it was closed meanwhile
                one.shutdown(socket.SHUT_RDWR)
