"""The side of a running server: answers the hooks of this user through a private socket."""

from __future__ import annotations

import json
import os
import socket
import struct
from contextlib import suppress
from logging import getLogger
from pathlib import Path
from threading import Thread
from typing import Any

from scrubjay.api import Scrubjay
from scrubjay.errors import ScrubjayError
from scrubjay.files import private_files
from scrubjay.hooks import local_socket
from scrubjay.hooks.events import parse
from scrubjay.hooks.work import Outcome, about, do
from scrubjay.opening import share

__all__ = ["Listener"]

READ_SECONDS = 2.0
WAITING = 256  # connections that are not accepted yet


class OtherMemory(Exception):
    """Another memory is used where the agent works."""


class Listener:
    """Answers hooks until it is closed; where there are no such sockets, it does nothing."""

    def __init__(self, jay: Scrubjay) -> None:
        self._jay = jay
        self._path = os.path.join(local_socket.folder(), f"{os.getpid()}{local_socket.SUFFIX}")
        self._socket: socket.socket | None = None

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
        if self._socket is not None:
            self._socket.close()
            with suppress(OSError):
                os.unlink(self._path)

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
                Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        """Answer one hook, then do what it need not wait for. One that has gone away is not an error."""
        later = None
        with suppress(OSError, ValueError), connection:
            connection.settimeout(READ_SECONDS)
            if not local_socket.is_same_user(connection):
                return
            sent = json.loads(local_socket.read_all(connection))
            seconds = self._jay.setting("hooks.deadline")
            connection.sendall(struct.pack("d", seconds))
            connection.settimeout(seconds)
            answer, later = self._answer(sent)
            connection.sendall(json.dumps(answer).encode("utf-8", "surrogatepass"))
        if later is not None:
            with suppress(ScrubjayError):  # the next one tries again
                later()

    def _answer(self, sent: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        if sent.get("variables") != local_socket.own_variables():
            return {"other_memory": True}, None
        described: dict[str, Any] = {}
        try:
            request = parse(sent)
            described = about(request)
            done: Outcome = do(request, self._memory_of)
        except OtherMemory:
            return {"other_memory": True}, None
        except Exception as problem:  # the hook logs it; the server goes on
            return {**described, "outcome": "failed", "reason": str(problem) or type(problem).__name__}, None
        return {**described, **done.fields()}, done.later

    def _memory_of(self, folder: Path, project: str | None) -> Scrubjay:
        jay = share(self._jay, folder, project)
        if jay is None:
            raise OtherMemory
        return jay
