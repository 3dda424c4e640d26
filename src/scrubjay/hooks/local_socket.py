"""Ask a running server of this user's memories, through a private socket, so that no hook has to load a model.

Kept small: a hook needs this and little else at every prompt. Each server has its own socket, named by its process.
Both sides check that the other one belongs to the same user. Without such sockets, hooks do the work themselves.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import sys

from scrubjay.files.user_folders import data_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ask", "folder", "is_same_user", "own_variables", "read_all"]

FOLDER = "sockets"
SUFFIX = ".sock"
CONNECT_SECONDS = 0.2  # for a server to accept and say how long the answer may take
SPARE_SECONDS = 0.1  # after the server's own deadline
MOST_BYTES = 16_000_000
SECRET_VARIABLES = ("SCRUBJAY_EMBEDDER_KEY", "SCRUBJAY_GENERATOR_KEY", "SCRUBJAY_TOKEN")
MACOS_PEER = (0, 1)  # SOL_LOCAL, LOCAL_PEERCRED: a struct xucred, which begins with its version and the user


def ask(request: dict[str, Any]) -> dict[str, Any] | None:
    """The answer of a server that has the memory in question open; None if there is none."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    message = json.dumps({**request, "variables": own_variables()}).encode("utf-8", "surrogatepass")
    for path in _sockets():
        answer = _ask_one(path, message)
        if answer is not None and not answer.get("other_memory"):
            return answer
    return None


def folder() -> str:
    return os.path.join(data_folder(), FOLDER)


def own_variables() -> dict[str, str]:
    """Settings in the environment: a server with others would answer differently. No secrets."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith("SCRUBJAY_") and name not in SECRET_VARIABLES
    }


def is_same_user(connection: socket.socket) -> bool:
    """Whether the process at the other end belongs to this user; False where that cannot be known."""
    if hasattr(socket, "SO_PEERCRED"):
        sent = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", sent)[1] == os.geteuid())
    if sys.platform == "darwin":
        sent = connection.getsockopt(*MACOS_PEER, struct.calcsize("2I"))
        return bool(struct.unpack("2I", sent)[1] == os.geteuid())
    return False


def read_all(connection: socket.socket) -> bytes:
    """All that the other end sends until it says that this is all; raises OSError if that is too much."""
    parts, size = [], 0
    while part := connection.recv(65_536):
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise OSError("The message is too long.")
    return b"".join(parts)


def _sockets() -> list[str]:
    try:
        names = [entry for entry in os.scandir(folder()) if entry.name.endswith(SUFFIX)]
        return [entry.path for entry in sorted(names, key=lambda entry: -entry.stat().st_mtime)]
    except OSError:
        return []


def _ask_one(path: str, message: bytes) -> dict[str, Any] | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(path)
        if not is_same_user(connection):
            return None
        connection.sendall(message)
        connection.shutdown(socket.SHUT_WR)
        (seconds,) = struct.unpack("d", connection.recv(struct.calcsize("d"), socket.MSG_WAITALL))
        connection.settimeout(seconds + SPARE_SECONDS)
        answer = json.loads(read_all(connection))
        return answer if isinstance(answer, dict) else None
    except ConnectionRefusedError:  # left by a server that was killed
        with contextlib.suppress(OSError):
            os.unlink(path)
        return None
    except (OSError, ValueError, struct.error):
        return None
    finally:
        connection.close()
