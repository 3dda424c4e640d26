"""Opens the server's memory in the background after the handshake, and gives each caller its view of it.

What a memory needs is imported only then: `tools/list` is answered before.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from logging import getLogger
from threading import Event, Lock, Thread, Timer
from typing import TYPE_CHECKING

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces.mcp.callers import Caller
from scrubjay.text.safe_text import one_line

if TYPE_CHECKING:
    from scrubjay import Scrubjay, Synced
    from scrubjay.hooks.listener import Listener
    from scrubjay.memory.fields import Fields

__all__ = ["Opener"]

OF_THE_USER = frozenset({"user", "admin"})  # scopes
MAX_VIEWS = 100
FOLLOW_AFTER_SECONDS = 3.0  # the first requests, and loading the model for them, come first
HEAD_START_SECONDS = 0.1  # for the client's next request, `tools/list`, before imports use the processor


class Opener:
    """Opens the memory once; callers wait only until the store is open."""

    def __init__(
        self, open: Callable[[], Scrubjay], *, answers_hooks: bool = False, watches_sources: bool = True
    ) -> None:
        self._open = open
        self._watches_sources = watches_sources
        self._answers_hooks = answers_hooks
        self._listener: Listener | None = None
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

    def memory_for(self, caller: Caller, source: str = "mcp", project: str | None = None) -> Scrubjay:
        """The memory as this caller sees it; what it adds is marked with its name.

        What comes over MCP was written by an agent. What a token of the user's own programs (`user`), or one for
        administration, writes over the API or on the page is the user's. Only the latter may list the trash, so
        every other token takes out of it what it has deleted itself, and nothing else.
        """
        by_the_user = caller.grant is not None and not OF_THE_USER.isdisjoint(caller.grant.scopes)
        own = source in ("api", "page") and by_the_user
        marked: Fields = {"source": source, "trust": "user" if own else "agent", "client": caller.client}
        marked["actor"] = caller.grant.token if caller.grant else caller.client
        if project:
            marked["project"] = project
        space = caller.grant.space if caller.grant else None
        return self._view_of(space).lend(restores_only_own=not caller.may("admin"), **marked)

    def close(self) -> None:
        self._ended.set()
        if self._listener is not None:
            self._listener.close()
        opening = self._opening
        if opening is not None and opening.done() and opening.exception() is None:
            opening.result().close()

    def _listen_to_hooks(self, jay: Scrubjay) -> None:
        """Answer the hooks of the client, and of every other, with the model that is loaded here."""
        if self._answers_hooks:
            from scrubjay.hooks.listener import Listener

            self._listener = Listener(jay)
            self._listener.start()

    def _watch_sources(self, jay: Scrubjay) -> None:
        """Sync the sources of the server's own space when they change, as long as it runs."""
        if self._watches_sources and jay.setting("sync.watch"):
            Thread(target=self._follow, args=(jay,), daemon=True).start()

    def _follow(self, jay: Scrubjay) -> None:
        from scrubjay.interfaces.watch import follow

        if self._ended.wait(FOLLOW_AFTER_SECONDS):
            return
        with suppress(ScrubjayError):  # the memory is closed when the server ends
            follow(jay, self._ended, _log_failure)

    def _view_of(self, space: str | None) -> Scrubjay:
        """The memory in one space; kept, because it remembers when it last checked its sources for changes."""
        jay = self._opened().result()
        if len(self._views) > MAX_VIEWS:
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
            self._opening = None  # the next call tries again
            opening.set_exception(problem)
        else:
            jay.warm_up()
            opening.set_result(jay)
            self._begin_work(jay)
        return opening

    def _begin_work(self, jay: Scrubjay) -> None:
        if self._ended.is_set():  # while it was opened
            jay.close()
        else:
            self._listen_to_hooks(jay)
            self._watch_sources(jay)


def _log_failure(done: Synced | ScrubjayError) -> None:
    if isinstance(done, ScrubjayError):  # a server has no screen
        getLogger("scrubjay").warning("The sync failed: %s", one_line(done))
