"""What an import may not bring back: the names and titles of forgotten sessions, and forgotten reasons of changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.forgotten_names import name_forgotten_at, reason_is_forgotten, title_is_forgotten
from scrubjay.stores.transfer.incoming import Merge
from scrubjay.stores.transfer.tables import Table

__all__ = ["without_forgotten", "without_forgotten_reasons"]

REASONS = (("reason", "at"), ("undone_reason", "undone_at"))
OF_BEFORE = "select 1 from memories where space = :space and session = :session and created_at <= :at limit 1"
IS_KNOWN = "select 1 from sessions where space = :space and name = :session"


def without_forgotten(rows: Rows, table: Table, row: dict[str, Any], merge: Merge) -> dict[str, Any] | None:
    """A row without the title of a session of which something was deleted; None if all of the session is forgotten."""
    if table.name == "sessions":
        return _session(rows, row, merge)
    if "session" in table.fields and _is_forgotten(rows, row["space"], row["session"], merge):
        return None
    return row


def without_forgotten_reasons(rows: Rows, line: Mapping[str, Any]) -> Mapping[str, Any]:
    """A step or an update without reasons that may tell what was forgotten."""
    given = [(name, line[at], line[name]) for name, at in REASONS if line.get(name) and line.get(at)]
    return {**line, **{name: None for name, at, reason in given if reason_is_forgotten(rows, at, reason)}}


def _session(rows: Rows, row: dict[str, Any], merge: Merge) -> dict[str, Any] | None:
    """A session that began since is another one of that name; and one with memories from before is here again."""
    at = name_forgotten_at(rows, row["name"])
    place = {"space": row["space"], "session": row["name"]}
    if at is not None and row["started_at"] <= at and not rows.one(OF_BEFORE, **place, at=at):
        merge.forgotten_sessions.add((row["space"], row["name"]))
        return None
    return {**row, "title": None} if row["title"] and title_is_forgotten(rows, row["name"]) else row


def _is_forgotten(rows: Rows, space: str, session: str, merge: Merge) -> bool:
    if (space, session) in merge.forgotten_sessions:
        return True
    return name_forgotten_at(rows, session) is not None and not rows.one(IS_KNOWN, space=space, session=session)
