"""Sources: how far the memory is behind each of them, and a sync that tells how far it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from logging import getLogger
from queue import SimpleQueue
from threading import Thread

from starlette.responses import Response, StreamingResponse

from scrubjay.errors import ScrubjayError
from scrubjay.interfaces import formatting
from scrubjay.interfaces.page.notices import Notice
from scrubjay.interfaces.page.visits import Page, Visit
from scrubjay.models.embedding import Progress

__all__ = ["PAGES"]

LINES = "application/x-ndjson"
CRASH = "The sync failed; the server's log says why."
Told = dict[str, str | int]


def sources(visit: Visit) -> Response:
    return visit.show("sources.html", state=visit.seen(visit.jay.status()))


def sync(visit: Visit) -> Response:
    """Sync all sources, or the one that is named; a script is told how far it is, line by line."""
    names = [visit.asked("source")] if visit.asked("source") else []
    if LINES in visit.request.headers.get("accept", ""):
        return StreamingResponse(_told(visit, names), media_type=LINES)
    visit.jay.sync(*names)
    return visit.go("/sources", Notice("synced"))


def _told(visit: Visit, names: list[str]) -> Iterator[bytes]:
    said: SimpleQueue[Told | None] = SimpleQueue()
    Thread(target=_work, args=(visit, names, said), daemon=True).start()
    while (one := said.get()) is not None:
        yield json.dumps(one).encode() + b"\n"


def _work(visit: Visit, names: list[str], said: SimpleQueue[Told | None]) -> None:
    def telling(what: str) -> Progress:
        return lambda done, of: said.put({"what": what, "done": done, "of": of})

    try:
        done = visit.jay.sync(*names, reading=telling("Reading"), embedding=telling("Embedding"))
        said.put({"end": formatting.synced(visit.seen(done))})
    except ScrubjayError as problem:
        said.put({"wrong": visit.who.error_text(problem)})
    except Exception:
        getLogger("scrubjay").exception("%s", CRASH)
        said.put({"wrong": CRASH})
    finally:
        said.put(None)


PAGES = (Page("/sources", sources), Page("/sources/sync", sync, "POST", ("read", "write")))
