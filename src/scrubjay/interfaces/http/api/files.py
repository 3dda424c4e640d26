"""Exports and imports as files, of any size: neither end holds one in memory, and a broken one changes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, BinaryIO

from anyio import to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from scrubjay import Scrubjay
from scrubjay.errors import Invalid
from scrubjay.interfaces.exact_json import exact
from scrubjay.interfaces.http.api.answering import Answer, Asked
from scrubjay.interfaces.http.api.problems import Refused
from scrubjay.interfaces.mcp.callers import Caller
from scrubjay.memory.view import View
from scrubjay.portable.export import FETCHED, note_copy
from scrubjay.portable.import_file import import_file
from scrubjay.remote.verbs import PREFIX
from scrubjay.text.safe_text import escaped
from scrubjay.text.secret_scan.quoting import shown
from scrubjay.types.reports import Imported

__all__ = ["UPLOAD", "export_to_send", "import_sent", "send_export", "take_import"]

UPLOAD = f"{PREFIX}/import"
REPORT = "X-Scrubjay-Report"
MOST_BYTES = 4 * 1024**3
PART_BYTES = 256 * 1024
NAME_BYTES = 200
TOO_LARGE = f"The file is larger than {MOST_BYTES // 1024**3} GB; nothing was imported."
NO_NAME = f"file is the name of the file that is sent: up to {NAME_BYTES} bytes, and no folder."
BROKEN = "The file did not come in whole; nothing was imported."


async def send_export(asked: Asked) -> Response:
    """Write the export first, then send it: an error is still a problem, and no slow client keeps a snapshot open."""
    return await to_thread.run_sync(
        lambda: export_to_send(asked.memory(), asked.who, asked.arguments), limiter=asked.threads
    )


def export_to_send(jay: Scrubjay, who: Caller, arguments: Mapping[str, Any]) -> Response:
    """An export as an answer. Its file has no name on this machine: nothing is left of it, however the answer ends."""
    file = TemporaryFile()
    try:
        report = jay.export(file, **arguments)
        note_copy(jay.view, FETCHED + (who.grant.token if who.grant else ""), arguments.get("all_spaces", False))
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    headers = {REPORT: json.dumps(exact(report)), "Content-Length": str(size)}
    return StreamingResponse(_parts(file), headers=headers, media_type="application/x-ndjson")


def _parts(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while part := file.read(PART_BYTES):
            yield part


async def take_import(asked: Asked) -> Response:
    """Take in the whole file, then import it."""
    arguments = dict(asked.arguments)
    name = _file_name(arguments.pop("file", "import"))
    with TemporaryDirectory(prefix="scrubjay-") as folder:
        path = Path(folder) / name
        await _receive(asked.request, path)
        report = await to_thread.run_sync(
            lambda: import_sent(asked.memory().view, path, **arguments), limiter=asked.threads
        )
    return Answer(escaped(json.dumps(exact(report), ensure_ascii=False)).encode(), {}).response()


def import_sent(view: View, path: Path, **options: Any) -> Imported:
    """Import a file that was sent. An error calls it by its name: the folder is one of this machine."""
    try:
        return import_file(view, path, is_sent=True, **options)
    except Invalid as problem:
        raise Invalid(str(problem).replace(str(path), shown(path.name))) from None


async def _receive(request: Request, path: Path) -> None:
    size = 0
    try:
        with path.open("xb") as file:
            async for part in request.stream():
                size += len(part)
                if size > MOST_BYTES:
                    raise Refused(413, TOO_LARGE)
                await to_thread.run_sync(file.write, part)
    except ClientDisconnect:
        raise Refused(400, BROKEN) from None
    # What is imported may have no time but that of its file.
    with suppress(ValueError, TypeError, OverflowError, OSError):
        written = parsedate_to_datetime(request.headers.get("last-modified", "")).timestamp()
        os.utime(path, (written, written))


def _file_name(given: Any) -> str:
    """The name tells some formats, such as CLAUDE.md."""
    name = str(given)
    is_name = name.isprintable() and name not in (".", "..") and not {"/", "\\"} & {*name}
    if not is_name or not 0 < len(os.fsencode(name)) <= NAME_BYTES:
        raise Invalid(NO_NAME)
    return name
