"""Ask a running server of this user's memories, through a private socket, so that no hook has to load a model.

Kept small: a hook needs this and little else at every prompt, so it does without json and without socket.py, whose
enums take longer to make than all of this. Each server has its own socket, named by its process. Both sides check that
the other one belongs to the same user. Where there are no such sockets, hooks do the work themselves.

A request is the fields of `FIELDS`, then the variables, then what the client sent, with a zero byte after each but the
last. The server first answers with its deadline in seconds, a double; then with one byte that says whether it has the
memory in question open, and what to print. It writes the line in the log.
"""

from __future__ import annotations

import _socket
import os
import sys
from _struct import calcsize, unpack

from scrubjay.files.user_folders import data_folder

__all__ = ["OURS", "ask", "folder", "is_same_user", "own_variables", "read_all", "read_request"]

FOLDER = "sockets"
SUFFIX = ".sock"
FIELDS = ("client", "event", "folder", "headless", "variables")
OURS, OTHER_MEMORY = b"1", b"0"
CONNECT_SECONDS = 0.25  # for a server to accept and say how long the answer may take
SPARE_SECONDS = 0.1  # after the server's own deadline
MOST_BYTES = 16_000_000
SECRET_VARIABLES = ("SCRUBJAY_EMBEDDER_KEY", "SCRUBJAY_GENERATOR_KEY", "SCRUBJAY_TOKEN")
MACOS_PEER = (0, 1)  # SOL_LOCAL, LOCAL_PEERCRED: a struct xucred, which begins with its version and the user


def ask(fields: dict[str, str], data: bytes) -> str | None:
    """What a server that has the memory in question open says is to be printed; None if there is none."""
    if not hasattr(_socket, "AF_UNIX"):
        return None
    values = [fields[name] for name in FIELDS[:-1]]
    head = "\0".join([*values, own_variables(), ""]).encode("utf-8", "surrogateescape")
    for path in _sockets():
        answer = _ask_one(path, head + data)
        if answer is not None and answer[:1] == OURS:
            return answer[1:].decode("utf-8", "replace")
    return None


def read_request(message: bytes) -> tuple[dict[str, str], bytes]:
    """The fields of a request, and what the client sent."""
    *values, data = message.split(b"\0", len(FIELDS))
    texts = [value.decode("utf-8", "surrogateescape") for value in values]
    return dict(zip(FIELDS, texts, strict=True)), data


def folder() -> str:
    return os.path.join(data_folder(), FOLDER)


def own_variables() -> str:
    """Settings in the environment: a server with others would answer differently. No secrets."""
    names = [name for name in os.environ if name.startswith("SCRUBJAY_") and name not in SECRET_VARIABLES]
    return "\n".join(f"{name}={os.environ[name]}" for name in sorted(names))


def is_same_user(connection: _socket.socket) -> bool:
    """Whether the process at the other end belongs to this user; False where that cannot be known."""
    if hasattr(_socket, "SO_PEERCRED"):
        sent = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, calcsize("3i"))
        return bool(unpack("3i", sent)[1] == os.geteuid())
    if sys.platform == "darwin":
        sent = connection.getsockopt(*MACOS_PEER, calcsize("2I"))
        return bool(unpack("2I", sent)[1] == os.geteuid())
    return False


def read_all(connection: _socket.socket) -> bytes:
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
        found = [entry for entry in os.scandir(folder()) if entry.name.endswith(SUFFIX)]
        return [entry.path for entry in sorted(found, key=lambda entry: -entry.stat().st_mtime)]
    except OSError:
        return []


def _ask_one(path: str, message: bytes) -> bytes | None:
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(path)
        if not is_same_user(connection):
            return None
        connection.sendall(message)
        connection.shutdown(_socket.SHUT_WR)
        (seconds,) = unpack("d", connection.recv(calcsize("d"), _socket.MSG_WAITALL))
        connection.settimeout(seconds + SPARE_SECONDS)
        return read_all(connection)
    except ConnectionRefusedError:  # left by a server that was killed
        _remove(path)
        return None
    except (OSError, ValueError):
        return None
    except Exception:  # struct.error: the server ended before it answered
        return None
    finally:
        connection.close()


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
