"""What was forgotten beside memories, as keyed hashes, so that no older export brings it back: names and titles of
sessions, and reasons of changes."""

from __future__ import annotations

from datetime import datetime

from scrubjay.stores.columns import instant
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.tombstones import marks_of, own_mark

__all__ = ["name_forgotten_at", "note_name", "note_reason", "note_title", "reason_is_forgotten", "title_is_forgotten"]

NOTE = """
    insert into forgotten_names (space, mark, at) values (:space, :mark, :at)
    on conflict (space, mark) do update set at = excluded.at
"""
LAST = "select max(at) from forgotten_names where mark = :mark"  # whatever space an import goes to


def note_name(rows: Rows, space: str, session: str, at: datetime) -> None:
    """Remember that a session was forgotten, so that no import brings its name back."""
    rows.run(NOTE, space=space, mark=own_mark(rows, _name(session)), at=instant(at))


def note_title(rows: Rows, space: str, session: str, at: datetime) -> None:
    """The same of its title alone, which may tell what was deleted of it."""
    rows.run(NOTE, space=space, mark=own_mark(rows, _title(session)), at=instant(at))


def note_reason(rows: Rows, space: str, given_at: str, reason: str, at: datetime) -> None:
    """Remember that the reason of a change was forgotten; what was given as a reason at another time is another one."""
    rows.run(NOTE, space=space, mark=own_mark(rows, _reason(given_at, reason)), at=instant(at))


def name_forgotten_at(rows: Rows, session: str) -> str | None:
    return _last(rows, _name(session))


def title_is_forgotten(rows: Rows, session: str) -> bool:
    return any(_last(rows, text) for text in (_name(session), _title(session)))


def reason_is_forgotten(rows: Rows, given_at: str, reason: str) -> bool:
    return _last(rows, _reason(given_at, reason)) is not None


def _last(rows: Rows, text: str) -> str | None:
    found = (rows.one(LAST, mark=mark) for mark in marks_of(rows, text))
    return max((at for (at,) in filter(None, found) if at is not None), default=None)


def _name(session: str) -> str:
    return f"session\0{session}"


def _title(session: str) -> str:
    return f"title\0{session}"


def _reason(given_at: str, reason: str) -> str:
    return f"reason\0{given_at}\0{reason}"
