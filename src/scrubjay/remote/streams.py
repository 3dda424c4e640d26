"""What does not come in one piece: changes as they come, and files of any size."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from email.utils import formatdate
from pathlib import Path
from threading import Event
from typing import Any, BinaryIO, NamedTuple

from scrubjay.agents.events import Changes
from scrubjay.errors import Invalid, StoreError
from scrubjay.files import regular_files
from scrubjay.portable.export import written_to
from scrubjay.portable.lines.reading import MOST_LINE_BYTES
from scrubjay.remote.answers import WrongAnswer, read_answer, read_change
from scrubjay.remote.connection import Connection
from scrubjay.remote.verbs import VERBS
from scrubjay.types.history import MemoryChange
from scrubjay.types.reports import Exported, Imported

__all__ = ["events", "export", "import_file"]

EVENTS, EXPORT, IMPORT = (
    next(verb for verb in VERBS if verb.name == name) for name in ("events", "export", "import_file")
)
WAITS = (0.3, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0)  # seconds: a server may take a while to start again
MOST_BYTES = 64 * 1024  # of one message
MOST_BYTES_OF_CHANGES = 512_000_000  # of all that there are already
REPORT = "x-scrubjay-report"
FOLDER = "{} is a folder, which is not sent to a server; give a file, or import it where the memory is."
NO_EVENTS = "The server's answer to events is not one of Scrubjay; is it of another version?"
TOO_LONG_A_LINE = f"The export has a line of more than {MOST_LINE_BYTES // 1_000_000} MB; nothing was written."
NOT_WHOLE = "The export did not come in whole; nothing was written. Try again."


class _Message(NamedTuple):
    """One server-sent event; one without data says only where to go on, or that the server is there."""

    id: str | None
    data: str | None


def events(connection: Connection, asked: Mapping[str, Any]) -> Changes:
    """Changes of a server's memory. When the connection breaks, it goes on after the last one that came."""
    with connection.get_stream(EVENTS, {**asked, "follow": False}) as response:
        first = next(_messages(connection.limited(response, MOST_BYTES_OF_CHANGES)), None)
    if first is None or first.id is None:
        raise WrongAnswer(NO_EVENTS)

    def read(changes: Changes, closed: Event) -> Iterator[MemoryChange]:
        waits = iter(WAITS)
        while not closed.is_set():
            try:
                for change in _listen(connection, asked, changes, closed):
                    waits = iter(WAITS) if asked["follow"] else waits  # else a server could break it off for ever
                    yield change
            except WrongAnswer:
                raise
            except StoreError:
                if (wait := next(waits, None)) is None:
                    raise
                closed.wait(wait)
            else:
                if not asked["follow"]:
                    return
                closed.wait(WAITS[0])  # it was ended as it should be, perhaps by a server that does so at once

    return Changes(first.id, read)


def _listen(
    connection: Connection, asked: Mapping[str, Any], changes: Changes, closed: Event
) -> Iterator[MemoryChange]:
    """The changes that come over one connection."""
    with connection.get_stream(EVENTS, {**asked, "after": changes.last}) as response:
        parts = response.iter_raw() if asked["follow"] else connection.limited(response, MOST_BYTES_OF_CHANGES)
        for message in _messages(parts):
            if closed.is_set():
                return
            changes.last = message.id or changes.last
            if message.data is not None:
                yield read_change(message.data)


def _messages(parts: Iterable[bytes]) -> Iterator[_Message]:
    """Each ends with an empty line; a comment is one without an id and without data."""
    pending = b""
    for part in parts:
        *whole, pending = (pending + part).split(b"\n\n")
        if len(pending) > MOST_BYTES:
            raise WrongAnswer(NO_EVENTS)
        for one in whole:
            fields = dict(line.partition(": ")[::2] for line in one.decode("utf-8", "replace").split("\n"))
            yield _Message(fields.get("id"), fields.get("data"))


def export(connection: Connection, file: str | Path | BinaryIO, asked: Mapping[str, Any]) -> Exported:
    """Write the export that a server sends; a file is there whole, or as it was before."""

    def write(opened: BinaryIO) -> Exported:
        with connection.get_stream(EXPORT, asked) as response:
            digest, end = _written(response.iter_raw(), opened)
            report: Exported = read_answer(EXPORT, _object(response.headers.get(REPORT, "")))
        if _object(end).get("sha256") != digest or report.sha256 != digest:
            raise StoreError(NOT_WHOLE)
        return report

    return written_to(file, write)


def _written(parts: Iterable[bytes], file: BinaryIO) -> tuple[str, bytes]:
    """Write a file as it comes; the digest of all lines but the last, and that line."""
    digest, line = hashlib.sha256(), bytearray()
    for part in filter(None, parts):
        file.write(part)
        cut = part.rfind(b"\n", 0, -1) + 1
        if cut or line.endswith(b"\n"):
            digest.update(line)
            digest.update(part[:cut])
            line.clear()
        line += part[cut:]
        if len(line) > MOST_LINE_BYTES:
            raise WrongAnswer(TOO_LONG_A_LINE)
    return digest.hexdigest(), bytes(line)


def _object(text: str | bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise StoreError(NOT_WHOLE)
    return found


def import_file(connection: Connection, path: Path, asked: Mapping[str, Any]) -> Imported:
    """Send a file; the server imports it when all of it is there."""
    if path.is_dir():
        raise Invalid(FOLDER.format(path))
    try:
        with regular_files.open_to_read(path, follow=True) as file:
            headers = {"Last-Modified": formatdate(path.stat().st_mtime, usegmt=True)}
            report: Imported = connection.send_file(IMPORT, {**asked, "file": path.name}, file, headers)
            return report
    except OSError as problem:
        raise Invalid(f"{path} cannot be read: {problem.strerror}.") from None
