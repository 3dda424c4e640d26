"""The name of a session may tell what was erased: it is forgotten with the last memory of its session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

from scrubjay.errors import Damaged
from scrubjay.stores.agents import sessions
from scrubjay.stores.connections.ratings import forget_rater, forgotten_rater, session_rater
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.kept_rows import kept_from
from scrubjay.types import Memory

__all__ = ["forget_sessions"]

IN_TRASH = "select id, kept from trash where space = :space and instr(kept, :name) > 0"


def forget_sessions(rows: Rows, memories: Sequence[Memory]) -> list[str]:
    """Forget the names of the sessions of these memories, as far as nothing else is left of them. Returns them."""
    forgotten = sessions.forget_sessions(rows, memories)
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
