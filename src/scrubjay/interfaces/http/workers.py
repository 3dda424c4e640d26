"""Several processes that serve one memory. What they share is in the store; a parent starts those anew that end."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from logging import INFO, getLogger
from pathlib import Path
from socket import socket
from tempfile import TemporaryDirectory
from threading import Thread

from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

import scrubjay
from scrubjay import Scrubjay
from scrubjay.interfaces.http.app import make_app
from scrubjay.interfaces.http.log import log_to
from scrubjay.interfaces.http.serving import OPEN_FILES, Door, raise_file_limit, settings
from scrubjay.interfaces.mcp.opener import Opener
from scrubjay.interfaces.mcp.server import make_server

__all__ = ["Worker", "serve_by_workers"]

START_SECONDS = 60  # until a process that does not answer its parent is taken for hung: loading may take a while


@dataclass(frozen=True, slots=True)
class Worker:
    """What one of the processes serves: called there, it opens the memory and gives the application."""

    store: str | None
    space: str | None
    folder: Path  # that the server was started in: its settings hold
    sets: Sequence[str]
    hosts: Sequence[str]
    log: Path | None
    figures: Path | None = None  # a folder where each process writes what it has counted

    def __call__(self) -> Starlette:
        _end_with_parent()
        log_to(self.log)
        raise_file_limit(OPEN_FILES)
        opened = scrubjay.open(self.store, space=self.space, folder=self.folder)
        jay = Scrubjay(replace(opened.view, folder=None), opened.notes)
        opener = Opener(lambda: jay, watches_sources=False)  # the parent does
        opener.begin()
        return make_app(
            make_server(opener, self.sets), jay.tokens.verify, self.hosts, figures=self.figures, has_sessions=False,
            at_end=opener.close,
        )  # fmt: skip


def serve_by_workers(jay: Scrubjay, listening: socket, door: Door, worker: Worker, count: int) -> None:
    """Serve by so many processes until a signal arrives: they finish what runs. SIGHUP starts each of them anew."""
    opener = Opener(lambda: jay)
    if jay.setting("sync.watch"):
        opener.begin()
    with TemporaryDirectory(prefix="scrubjay-") as figures:
        config = settings(replace(worker, figures=Path(figures)), door=door)
        config.factory, config.workers, config.timeout_worker_healthcheck = True, count, START_SECONDS
        getLogger("uvicorn.error").setLevel(INFO)  # that a process ended, and another took its place
        Multiprocess(config, [listening]).run()


def _end_with_parent() -> None:
    """A process whose parent was killed would go on for ever, with nobody to end it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_after, args=(parent.join,), daemon=True).start()


def _end_after(ended: Callable[[], None]) -> None:
    with suppress(OSError):
        ended()
    os.kill(os.getpid(), signal.SIGTERM)
