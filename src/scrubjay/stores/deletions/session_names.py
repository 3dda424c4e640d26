"""The name of a session may tell what was erased: it is forgotten with the last memory of its session."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime

from scrubjay.errors import Damaged
from scrubjay.stores.agents import sessions
from scrubjay.stores.connections.ratings import forget_rater, forgotten_rater, session_rater
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.kept_rows import kept_from
from scrubjay.types import Memory

__all__ = ["forget_sessions", "is_known", "sessions_ending_with", "sessions_of"]

KNOWN = (
    "select 1 from sessions where space = :space and name = :session",
    "select 1 from session_notes where space = :space and session = :session",
    "select 1 from told where space = :space and session = :session",
    "select 1 from extractions where space = :space and session = :session",
    "select 1 from private_parts where space = :space and session = :session",
    "select 1 from ratings where rater = :rater and memory in (select id from memories where space = :space)",
)
OTHER_MEMORY = "select 1 from memories where space = :space and session = :session and id not in (:ids)"
IN_TRASH = "select id, kept from trash where space = :space and instr(kept, :name) > 0"


def sessions_of(memories: Iterable[Memory]) -> set[tuple[str, str]]:
    """The sessions that memories are of, each with its space."""
    return {(memory.space, memory.session) for memory in memories if memory.session}


def sessions_ending_with(
    rows: Rows, memories: Collection[Memory], named: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """These sessions, and those of the memories, as far as they have no other memory."""
    ids = [memory.id for memory in memories]
    return {
        (space, session)
        for space, session in {*named, *sessions_of(memories)}
        if rows.one(OTHER_MEMORY, space=space, session=session, ids=ids) is None
    }


def is_known(rows: Rows, space: str, session: str) -> bool:
    """Whether anything is stored under the name of a session, apart from its memories."""
    names = {"space": space, "session": session, "rater": session_rater(session)}
    return any(rows.one(sql, **{name: value for name, value in names.items() if f":{name}" in sql}) for sql in KNOWN)


def forget_sessions(rows: Rows, named: Collection[tuple[str, str]], at: datetime) -> list[str]:
    """Forget the names of these sessions, as far as no memory is left of them. Returns them."""
    forgotten = sessions.forget_sessions(rows, named, at)
    for space, session in forgotten:
        forget_rater(rows, space, session_rater(session))
        _forget_in_trash(rows, space, session)
    return [session for _, session in forgotten]


def _forget_in_trash(rows: Rows, space: str, session: str) -> None:
    """Other memories in the trash may have been shown to it, or rated by it."""
    rater = session_rater(session)
    mark = forgotten_rater(rows, rater)
    for id, text in rows.all(IN_TRASH, space=space, name=json.dumps(session)[1:-1]):
        with suppress(Damaged, TypeError, AttributeError):  # a repair says so
            kept = kept_from(text)
            kept["told"] = [row for row in kept.get("told", []) if row.get("session") != session]
            kept["ratings"] = [
                {**row, "rater": mark} if row.get("rater") == rater else row for row in kept.get("ratings", [])
            ]
            rows.run("update trash set kept = :kept where id = :id", kept=json.dumps(kept), id=id)
