"""The memory behind the server: opened after the handshake, in the background, and lent to whoever calls."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from logging import getLogger
from threading import Event, Lock, Thread, Timer

from scrubjay import Scrubjay, ScrubjayError, Synced
from scrubjay.interfaces.mcp.callers import Caller
from scrubjay.interfaces.watch import follow
from scrubjay.memory.fields import Fields
from scrubjay.text.safe_text import one_line

__all__ = ["Lending"]

VIEWS = 100
FOLLOW_AFTER_SECONDS = 3.0  # the first questions, and loading the model for them, come first
HEAD_START_SECONDS = 0.1  # for the client's next question, `tools/list`, before importing takes the processor


class Lending:
    """Opens once; whoever needs the memory waits for the store, and for nothing else."""

    def __init__(self, open: Callable[[], Scrubjay]) -> None:
        self._open = open
        self._lock = Lock()
        self._opening: Future[Scrubjay] | None = None
        self._begun = False
        self._ended = Event()
        self._views: dict[str | None, Scrubjay] = {}

    def begin(self) -> None:
        """Open it soon, in the background."""
        if not self._begun:
            self._begun = True
            soon = Timer(HEAD_START_SECONDS, self._opened)
            soon.daemon = True
            soon.start()

    def lend(self, caller: Caller) -> Scrubjay:
        """The memory as this caller sees it, signing what they add."""
        signed: Fields = {"source": "mcp", "trust": "agent", "client": caller.client}
        signed["actor"] = caller.grant.token if caller.grant else caller.client
        return self._seen_from(caller.grant.space if caller.grant else None).lend(**signed)

    def close(self) -> None:
        self._ended.set()
        opening = self._opening
        if opening is not None and opening.done() and opening.exception() is None:
            opening.result().close()

    def _keep_level(self, jay: Scrubjay) -> None:
        """Follow the sources of the server's own space for as long as it runs."""
        if jay.setting("sync.watch"):
            Thread(target=self._follow, args=(jay,), daemon=True).start()

    def _follow(self, jay: Scrubjay) -> None:
        if self._ended.wait(FOLLOW_AFTER_SECONDS):
            return
        with suppress(ScrubjayError):  # closed under its hands, when the server ends
            follow(jay, self._ended, _tell)

    def _seen_from(self, space: str | None) -> Scrubjay:
        """Kept for the next caller: each view remembers when it last looked whether its sources have changed."""
        jay = self._opened().result()
        if len(self._views) > VIEWS:
            self._views.clear()
        return self._views.setdefault(space, jay.lend(space=space))

    def _opened(self) -> Future[Scrubjay]:
        with self._lock:
            if self._opening is not None:
                return self._opening
            opening: Future[Scrubjay] = Future()
            self._opening = opening
        try:
            jay = self._open()
        except BaseException as problem:
            self._opening = None  # what is wrong with the file may be mended by the next call
            opening.set_exception(problem)
        else:
            jay.warm_up()
            opening.set_result(jay)
            self._keep_level(jay)
        return opening


def _tell(done: Synced | ScrubjayError) -> None:
    if isinstance(done, ScrubjayError):  # the log is all that a server has to tell it to
        getLogger("scrubjay").warning("The sources could not be brought level: %s", one_line(done))
