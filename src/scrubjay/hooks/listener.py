"""The side of a running server: answers the hooks of this user through a private socket."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from logging import getLogger
from pathlib import Path
from threading import Thread, current_thread
from typing import Any, TypeAlias

from scrubjay.api import Scrubjay
from scrubjay.errors import ScrubjayError
from scrubjay.files import private_files
from scrubjay.hooks import local_socket
from scrubjay.hooks.command import note
from scrubjay.hooks.events import parse
from scrubjay.hooks.work import about, do
from scrubjay.opening import share

__all__ = ["Listener"]

Steps: TypeAlias = Sequence[Callable[[], object]]

READ_SECONDS = 2.0
WAITING = 256  # connections that are not accepted yet
CLOSING_SECONDS = 2.0  # for each hook that is being answered


class OtherMemory(Exception):
    """Another memory is used where the agent works."""


class Listener:
    """Answers hooks until it is closed; where there are no such sockets, it does nothing."""

    def __init__(self, jay: Scrubjay) -> None:
        self._jay = jay
        self._path = os.path.join(local_socket.folder(), f"{os.getpid()}{local_socket.SUFFIX}")
        self._socket: socket.socket | None = None
        self._answering: set[Thread] = set()

    def start(self) -> None:
        if not hasattr(socket, "AF_UNIX"):
            return
        try:
            self._socket = self._bound()
        except OSError as problem:  # e.g. the path is too long: hooks then do the work themselves
            getLogger("scrubjay").info("No socket for hooks: %s", problem)
            return
        Thread(target=self._accept, args=(self._socket,), daemon=True).start()

    def close(self) -> None:
        """Take no more hooks, and let those that were taken be finished: each has its line in the log."""
        if self._socket is not None:
            self._socket.close()
            with suppress(OSError):
                os.unlink(self._path)
        for thread in list(self._answering):
            thread.join(CLOSING_SECONDS)

    def _bound(self) -> socket.socket:
        folder = Path(local_socket.folder())
        private_files.make_folder(folder)
        private_files.check([folder], repair=True)
        with suppress(FileNotFoundError):
            os.unlink(self._path)  # of an earlier process with the same number
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listening.bind(self._path)
            os.chmod(self._path, private_files.FILE_MODE)
            listening.listen(WAITING)
        except OSError:
            listening.close()
            raise
        return listening

    def _accept(self, listening: socket.socket) -> None:
        with suppress(OSError):  # it was closed
            while True:
                connection, _ = listening.accept()
                thread = Thread(target=self._serve, args=(connection,), daemon=True)
                self._answering.add(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            self._finish(connection)
        finally:
            self._answering.discard(current_thread())

    def _finish(self, connection: socket.socket) -> None:
        """Answer one hook, then do what it need not wait for. One that has gone away is not an error."""
        later: Steps = ()
        with suppress(OSError, ValueError), connection:
            connection.settimeout(READ_SECONDS)
            if not local_socket.is_same_user(connection):
                return
            started = time.monotonic()
            fields, data = local_socket.read_request(local_socket.read_all(connection))
            seconds = self._jay.setting("hooks.deadline")
            connection.sendall(struct.pack("d", seconds))
            connection.settimeout(seconds)
            entry, later = self._answer(fields, data)
            if entry is None:
                connection.sendall(local_socket.OTHER_MEMORY)
                return
            output = str(entry.pop("output", ""))
            connection.sendall(local_socket.OURS + output.encode("utf-8", "replace"))
            connection.shutdown(socket.SHUT_WR)
            note(entry, started)
        for step in later:
            with suppress(ScrubjayError):  # the next one tries again
                step()

    def _answer(self, fields: Mapping[str, str], data: bytes) -> tuple[dict[str, Any] | None, Steps]:
        """What the log says and what to print, and what to do later; None where another memory is used."""
        entry: dict[str, Any] = {"client": fields["client"], "event": fields["event"]}
        if fields["variables"] != local_socket.own_variables():
            return None, ()
        try:
            request = parse(fields, data)
            entry |= about(request)
            done = do(request, self._memory_of)
        except OtherMemory:
            return None, ()
        except Exception as problem:  # it is logged; the server goes on
            return {**entry, "outcome": "failed", "reason": str(problem) or type(problem).__name__}, ()
        return {**entry, **done.fields()}, [step for step in (done.noting, done.later) if step]

    def _memory_of(self, folder: Path, project: str | None) -> Scrubjay:
        jay = share(self._jay, folder, project)
        if jay is None:
            raise OtherMemory
        return jay
