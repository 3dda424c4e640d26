"""Sessions, and everything that happened in order of time."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import apsw

from scrubjay.errors import NotFound, StoreError
from scrubjay.stores.columns import COLUMNS, from_row, instant, moment, moment_or_none
from scrubjay.stores.filters import where
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.types import Event, Filter, Session

__all__ = ["Sessions", "begin"]

SELECT = """
    select s.space, s.name, s.project, s.client, s.started_at, s.ended_at, s.summary, s.tool_calls,
        (select count(*) from memories m where m.space = s.space and m.session = s.name and m.kind = 'turn')
    from sessions s where s.space = :space
"""
BEGIN = """
    insert into sessions (space, name, project, client, started_at) values (?, ?, ?, ?, ?)
    on conflict (space, name) do nothing
"""
REMEMBERED = f"""
    select {COLUMNS} from memories m where {{where}} order by happened_at desc, id desc limit :limit
"""
REPLACED = """
    select s.at, s.old, s.new, s.reason from steps s join memories m on m.id = s.old
    where m.space = :space and s.at between :since and :until order by s.at desc limit :limit
"""
REVERTED = """
    select s.undone_at, s.old, s.new, s.undone_reason from steps s join memories m on m.id = s.old
    where m.space = :space and s.undone_at between :since and :until order by s.undone_at desc limit :limit
"""
STARTED = "select started_at, name from sessions where space = :space and started_at between :since and :until"
TELL = """
    insert or ignore into told (space, session, memory, at)
    select ?1, ?2, m.id, ?4 from memories m where m.id = ?3
"""
ENDED = "select ended_at, name from sessions where space = :space and ended_at between :since and :until"


class Sessions:
    """Runs of agents, and everything that happened, in order of time."""

    def __init__(self, engine: Connections) -> None:
        self._engine = engine

    def begin(self, space: str, name: str, project: str | None, client: str | None, at: datetime) -> Session:
        """Begin a session, or resume one that has ended."""
        with self._engine.writing() as db:
            begin(db, space, name, project, client, at)
            _resume(db, space, name)
            return _get(db, space, name)

    def get(self, space: str, name: str) -> Session:
        with self._engine.reading() as db:
            return _get(db, space, name)

    def end(self, space: str, name: str, at: datetime, summary: int | None) -> Session:
        with self._engine.writing() as db:
            _end(db, space, name, at, summary)
            return _get(db, space, name)

    def count_tool_calls(self, space: str, name: str, calls: int) -> Session:
        with self._engine.writing() as db:
            values = (calls, space, name)
            db.execute("update sessions set tool_calls = tool_calls + ? where space = ? and name = ?", values)
            return _get(db, space, name)

    def find(self, space: str, active: bool | None, limit: int) -> list[Session]:
        """The newest first."""
        with self._engine.reading() as db:
            return _find(db, space, active, limit)

    def shown(self, space: str, session: str) -> set[int]:
        """The ids of memories that were put into a session's context already."""
        with self._engine.reading() as db:
            return _told(db, space, session)

    def note_shown(self, space: str, session: str, ids: Sequence[int], at: datetime) -> None:
        """Remember which memories were put into a session's context; the answer does not depend on it."""
        if not self._engine.read_only:
            with suppress(StoreError), self._engine.writing() as db:
                _note_told(db, space, session, ids, at)

    def events(self, filter: Filter, space: str, limit: int, only_memories: bool) -> list[Event]:
        """What happened, the newest first."""
        with self._engine.reading() as db:
            return _events(db, filter, space, limit, only_memories)


def begin(db: apsw.Connection, space: str, name: str, project: str | None, client: str | None, at: datetime) -> None:
    db.execute(BEGIN, (space, name, project, client, instant(at)))


def _resume(db: apsw.Connection, space: str, name: str) -> None:
    db.execute("update sessions set ended_at = null where space = ? and name = ?", (space, name))


def _get(db: apsw.Connection, space: str, name: str) -> Session:
    row = db.execute(f"{SELECT} and s.name = :name", {"space": space, "name": name}).fetchone()
    if row is None:
        raise NotFound(f"There is no session {name!r} in space {space!r}.")
    return _session(row)


def _end(db: apsw.Connection, space: str, name: str, at: datetime, summary: int | None) -> None:
    _get(db, space, name)
    values = (instant(at), summary, space, name)
    db.execute("update sessions set ended_at = ?, summary = coalesce(?, summary) where space = ? and name = ?", values)


def _find(db: apsw.Connection, space: str, active: bool | None, limit: int) -> list[Session]:
    which = "" if active is None else f" and s.ended_at is {'' if active else 'not'} null"
    sql = f"{SELECT}{which} order by s.started_at desc, s.name limit :limit"
    return [_session(row) for row in db.execute(sql, {"space": space, "limit": limit})]


def _told(db: apsw.Connection, space: str, session: str) -> set[int]:
    rows: list[Any] = db.execute("select memory from told where space = ? and session = ?", (space, session)).fetchall()
    return {id for (id,) in rows}


def _note_told(db: apsw.Connection, space: str, session: str, ids: Sequence[int], at: datetime) -> None:
    db.executemany(TELL, [(space, session, id, instant(at)) for id in ids])


def _events(db: apsw.Connection, filter: Filter, space: str, limit: int, only_memories: bool) -> list[Event]:
    """What happened, the newest first: memories, turns, sessions and revisions."""
    condition, values = where(filter)
    memories = map(from_row, db.execute(REMEMBERED.format(where=condition), {**values, "limit": limit}))
    found = [Event.of(memory) for memory in memories]
    if not only_memories:
        found += _others(db, filter, space, limit)
    return sorted(found, key=lambda event: event.at, reverse=True)[:limit]


def _others(db: apsw.Connection, filter: Filter, space: str, limit: int) -> list[Event]:
    values = {
        "space": space,
        "since": instant(filter.since) if filter.since else "0",
        "until": instant(filter.until) if filter.until else "9",
        "limit": limit,
    }
    found = []
    for what, sql in (("replaced", REPLACED), ("reverted", REVERTED)):
        for at, old, new, reason in _rows(db, sql, values):
            detail = f"{old} by {new}" + (f": {reason}" if reason else "")
            about = (old,) if new is None else (old, new)
            found.append(Event(moment(at), what, detail=detail, about=about))
    for what, sql in (("session started", STARTED), ("session ended", ENDED)):
        found += [Event(moment(at), what, detail=name) for at, name in _rows(db, sql, values)]
    return found


def _rows(db: apsw.Connection, sql: str, values: dict[str, Any]) -> Sequence[Any]:
    used = {name: value for name, value in values.items() if f":{name}" in sql}
    return db.execute(sql, used).fetchall()


def _session(row: Any) -> Session:
    space, name, project, client, started_at, ended_at, summary, tool_calls, turns = row
    return Session(
        space=space,
        name=name,
        project=project,
        client=client,
        started_at=moment(started_at),
        ended_at=moment_or_none(ended_at),
        summary=summary,
        turns=turns,
        tool_calls=tool_calls,
    )
