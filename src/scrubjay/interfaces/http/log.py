"""The log: one line per request, without tokens, queries or texts, and limited in rate and size."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import cast

from filelock import FileLock
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrubjay import config
from scrubjay.errors import Invalid
from scrubjay.files import regular_files
from scrubjay.interfaces.log_lines import VisibleLines
from scrubjay.interfaces.mcp.callers import GRANT
from scrubjay.text.safe_text import one_line
from scrubjay.text.secret_scan import redact
from scrubjay.text.secret_scan.private_tags import public_message

__all__ = ["AccessLog", "RepeatFilter", "log_to"]

PATH_CHARACTERS = 80
LONGEST_PATH = 1_000  # characters that are looked through for secrets
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
OTHER_METHOD = "(other method)"
LINES_PER_MINUTE = 20  # for each group of similar lines
MAX_GROUPS = 1_000
FILE_BYTES = 5_000_000
OLD_FILES = 3
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

access = logging.getLogger("scrubjay.access")


class AccessLog:
    """Logs each request: address, path, status, time and the token's name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        status, start = 0, time.perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            _write(scope, status, time.perf_counter() - start)


class RepeatFilter(logging.Filter):
    """Limits the lines of one group per minute; the first line after that says how many were left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._counts: OrderedDict[Hashable, tuple[float, int]] = (
            OrderedDict()
        )  # group: start of its minute, number of lines

    def filter(self, record: logging.LogRecord) -> bool:
        group = getattr(record, "group", (record.pathname, record.lineno))
        now = self._clock()
        since, count = self._counts.get(group, (now, 0))
        left_out = 0
        if now - since >= 60:
            left_out, since, count = max(0, count - LINES_PER_MINUTE), now, 0
        self._counts[group] = (since, count + 1)
        self._counts.move_to_end(group)
        if len(self._counts) > MAX_GROUPS:
            self._counts.popitem(last=False)
        if left_out:
            record.msg, record.args = f"{record.getMessage()} ({left_out} lines like this were left out)", ()
        return count < LINES_PER_MINUTE


class PrivateFile(RotatingFileHandler):
    """A log of limited size that only its owner may read; several processes may write to it."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self._was_rotated():
                self._reopen()
        except OSError:  # something else has taken its name
            self.handleError(record)
        else:
            super().emit(record)

    def doRollover(self) -> None:
        with FileLock(f"{self.baseFilename}.lock", mode=0o600):
            if self._was_rotated():
                self._reopen()
            else:
                super().doRollover()

    def _was_rotated(self) -> bool:
        """Whether another process has put a new file in the place of the one that is open here."""
        try:
            return self.stream is None or os.stat(self.baseFilename).st_ino != os.fstat(self.stream.fileno()).st_ino
        except OSError:
            return True

    def _reopen(self) -> None:
        self.close()
        self.stream = self._open()

    def _open(self) -> TextIOWrapper:
        opened = open(
            self.baseFilename, self.mode, encoding="utf-8", errors="replace", opener=regular_files.open_private
        )
        return cast(TextIOWrapper, opened)


def log_to(file: Path | None) -> None:
    """Log to a file, or to standard error."""
    handler = logging.StreamHandler(sys.stderr) if file is None else _file(file)
    handler.addFilter(RepeatFilter())
    lines = VisibleLines(FORMAT, "%Y-%m-%dT%H:%M:%SZ")
    lines.converter = time.gmtime
    handler.setFormatter(lines)
    logging.basicConfig(level=config.load().get("log.level").upper(), handlers=[handler], force=True)
    access.setLevel(logging.INFO)


def _file(path: Path) -> logging.Handler:
    try:
        return PrivateFile(path, maxBytes=FILE_BYTES, backupCount=OLD_FILES)
    except OSError as problem:
        why = str(problem.strerror).lower()
        raise Invalid(f"Cannot write the log {path}: {why}; name another file with --log.") from None


@dataclass(frozen=True)
class _Line:
    """What is logged of a request. It becomes text only if it is written: to look for secrets takes time."""

    scope: Scope
    status: int
    seconds: float
    who: str

    def __str__(self) -> str:
        address = self.scope["client"][0] if self.scope.get("client") else "-"
        method = self.scope["method"] if self.scope["method"] in METHODS else OTHER_METHOD
        took = f"{self.status or 'dropped'} {self.seconds * 1000:.0f} ms"
        return one_line(f"{address} {method} {_shown(self.scope['path'])} {took}{self.who}")


def _shown(path: str) -> str:
    """Of a very long one, the length only: what it begins with may be private by what it ends with."""
    if len(path) > LONGEST_PATH:
        return f"(a path of {len(path):,} characters)"
    parts = public_message(path, 0).split("/")  # a secret that goes on with a further part may look like a path
    return ascii(redact("/".join(map(redact, parts))))[1:-1][:PATH_CHARACTERS]


def _write(scope: Scope, status: int, seconds: float) -> None:
    """All requests without a token with one status are one group: there may be any number of them."""
    grant = scope.get(GRANT)
    who = f" token {grant.token}" if grant else ""
    access.info("%s", _Line(scope, status, seconds, who), extra={"group": (who, status)})
