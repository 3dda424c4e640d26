"""What a headless run of an agent client printed, as turns of a conversation."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.sources import transcripts
from scrubjay.sources.transcripts.reader import fields_of, project_of
from scrubjay.stores import Store
from scrubjay.types import Filter, Memory, documents

__all__ = ["turns", "unsaid"]

Said = tuple[str, Mapping[str, Any]]


def turns(output: str | bytes, client: str, session: str | None, now: datetime) -> list[Said]:
    """The turns in what was printed; without a session of its own, it is one by itself."""
    data = output.encode("utf-8", "replace") if isinstance(output, str) else output
    told = transcripts.captured(data, client)
    if not told.turns:
        raise Invalid("There is no conversation in this; pipe in what the client printed, e.g. as stream-json.")
    otherwise = session or os.urandom(6).hex()
    given = {"session": otherwise, "source": f"session:{otherwise}", "happened_at": now}
    chosen = {"session": session, "source": f"session:{session}"} if session else {}
    projects = {cwd: project_of(cwd) for cwd in {turn.cwd for turn in told.turns}}
    return [(turn.text, {**given, **fields_of(turn, client, projects[turn.cwd]), **chosen}) for turn in told.turns]


def unsaid(store: Store, space: str, said: Sequence[Memory], now: datetime) -> list[Memory]:
    """Those that are not known yet: the client may also have written them to a transcript that was read."""
    known: list[Memory] = []
    for session in {turn.session for turn in said}:
        filter = Filter(spaces=(space,), now=now, session=session, kinds=("turn",), include_superseded=True)
        known += store.memories.newest(filter, None)
    return documents.unsaid(said, known)
