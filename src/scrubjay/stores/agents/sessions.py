"""Sessions, and everything that happened in order of time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from scrubjay.errors import NotFound, StoreError
from scrubjay.stores import columns, records
from scrubjay.stores.columns import from_row, instant, moment, moment_or_none
from scrubjay.stores.contract import Engine, Rows
from scrubjay.stores.deletions.forgotten_names import note_name, note_title
from scrubjay.stores.deletions.tombstones import marks_of
from scrubjay.stores.filters import where
from scrubjay.text.nearest import did_you_mean
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import Filter, Memory, first_words

if TYPE_CHECKING:
    from scrubjay.types.agents import Event, Session
    from scrubjay.types.documents import Document, SessionNotes

__all__ = [
    "COLUMNS",
    "Sessions",
    "begin",
    "forget_notes",
    "forget_sessions",
    "forget_title",
    "names_of",
    "note_sessions",
    "without_counted",
]

COLUMNS = ("space", "name", "project", "client", "started_at", "ended_at", "summary", "tool_calls", "title")
LEAST_BEGINNING = 4  # characters of a name that may stand for the whole
SILENCE = timedelta(hours=12)  # after which a conversation has ended, even if its client did not say so
OF_SESSION = "from memories m where m.space = s.space and m.session = s.name and m.kind = 'turn'"
SELECT = f"""
    select space, name, project, client, started_at, ended_at, summary, turns, tool_calls, title from (
        select s.space, s.name, s.project, s.client, s.started_at, s.summary, s.tool_calls,
            coalesce(s.ended_at, (
                select case when max(m.happened_at) < :silent then max(m.happened_at) end {OF_SESSION}
            )) as ended_at,
            (select count(*) {OF_SESSION}) as turns,
            coalesce(case when exists (select 1 {OF_SESSION}) then s.title end, (
                select substr(m.text, 1, 200) {OF_SESSION} and m.speaker = 'user' order by m.position, m.id limit 1
            )) as title
        from sessions s where s.space = :space
    ) s where true
"""
NOTES = "select name from session_notes where space = :space and session = :session and kind = :kind order by name"
NOTE = """
    insert into session_notes (space, session, kind, name) select :space, :session, :kind, :name
    where exists (select 1 from memories m where m.space = :space and m.session = :session)
    on conflict do nothing
"""
COUNT_AND_NAME = """
    update sessions set tool_calls = tool_calls + :calls, title = coalesce(:title, title)
    where space = :space and name = :session
"""
SUMMARISED = """
    update sessions set summary = (
        select max(m.id) from memories m where m.space = :space and m.session = :session and m.kind = 'summary'
        and m.superseded_at is null
    ) where space = :space and name = :session
"""
# Notes of sessions of which nothing is left: deleted turns in the trash do not count.
FORGET_NOTES = """
    delete from session_notes where not exists (
        select 1 from memories m where m.space = session_notes.space and m.session = session_notes.session
    )
"""
FORGET_TITLES = """
    update sessions set title = null where title is not null and not exists (
        select 1 from memories m where m.space = sessions.space and m.session = sessions.name
    )
"""
HIDE_NAME = "update private_parts set session = :mark where space = :space and session = :session"
OF_A_SESSION = "select 1 from memories where space = :space and session = :session"
TOUCHED = """
    and s.turns > 0 and exists (
        select 1 from session_notes n where n.space = s.space and n.session = s.name and n.kind = 'file'
        and (n.name = :file or substr(n.name, length(n.name) - length(:file)) = '/' || :file)
    )
"""
BEGIN = """
    insert into sessions (space, name, project, client, started_at) values (:space, :name, :project, :client, :at)
    on conflict (space, name) do nothing
"""
REMEMBERED = f"""
    select {columns.COLUMNS} from memories m where {{where}} order by happened_at desc, id desc limit :limit
"""
REPLACED = """
    select s.at, s.old, s.new, s.reason from steps s cross join memories m on m.id = s.old
    where m.space = :space and s.at between :since and :until
    and not exists (select 1 from records r where r.memory = s.old) order by s.at desc limit :limit
"""
REVERTED = """
    select s.undone_at, s.old, s.new, s.undone_reason from steps s cross join memories m on m.id = s.old
    where m.space = :space and s.undone_at between :since and :until order by s.undone_at desc limit :limit
"""
STARTED = "select started_at, name from sessions where space = :space and started_at between :since and :until"
SHOWN = """
    insert into told (space, session, memory, at)
    select :space, :session, m.id, :at from memories m where m.id = :id on conflict do nothing
"""
END = """
    update sessions set ended_at = :at, summary = coalesce(:summary, summary) where space = :space and name = :name
"""
TOOL_CALLS = "update sessions set tool_calls = tool_calls + :calls where space = :space and name = :name"
TOOL_CALLS_OF = "select tool_calls from sessions where space = :space and name = :name"
ENDED = "select ended_at, name from sessions where space = :space and ended_at between :since and :until"
NAMES = "select name from sessions where space = :space order by started_at desc limit 2000"


class Sessions:
    """Runs of agents, and everything that happened, in order of time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def begin(self, space: str, name: str, project: str | None, client: str | None, at: datetime) -> Session:
        """Begin a session, or resume one that has ended."""
        with self._engine.writing([space]) as rows:
            begin(rows, space, name, project, client, at)
            _resume(rows, space, name)
            return _get(rows, space, name)

    def get(self, space: str, name: str, now: datetime) -> Session:
        """By its name, or by a beginning of it that no other name has."""
        with self._engine.reading([space]) as rows:
            found = _get(rows, space, name, now)
            kinds = ("file", "link") if found.turns else ()
            notes = {kind: _notes(rows, space, found.name, kind) for kind in kinds}
        return replace(found, files=notes.get("file", ()), links=notes.get("link", ()))

    def end(self, space: str, name: str, at: datetime, summary: int | None) -> Session:
        with self._engine.writing([space]) as rows:
            _end(rows, space, name, at, summary)
            return _get(rows, space, name)

    def count_tool_calls(self, space: str, name: str, calls: int) -> Session:
        with self._engine.writing([space]) as rows:
            rows.run(TOOL_CALLS, calls=calls, space=space, name=name)
            return _get(rows, space, name)

    def find(
        self, space: str, active: bool | None, limit: int, now: datetime, file: str | None = None
    ) -> list[Session]:
        """The newest first; with a file, only those that changed it."""
        with self._engine.reading([space]) as rows:
            return _find(rows, space, active, limit, now, file)

    def shown(self, space: str, session: str) -> set[int]:
        """The ids of memories that were put into a session's context already."""
        with self._engine.reading([space]) as rows:
            sql = "select memory from told where space = :space and session = :session"
            return {id for (id,) in rows.all(sql, space=space, session=session)}

    def note_shown(self, space: str, session: str, ids: Sequence[int], at: datetime) -> None:
        """Remember which memories were put into a session's context; the answer does not depend on it."""
        if not self._engine.read_only:
            with suppress(StoreError), self._engine.writing([space]) as rows:
                place = {"space": space, "session": session, "at": instant(at)}
                rows.run_many(SHOWN, ({**place, "id": id} for id in ids))

    def note_summary(self, space: str, session: str) -> None:
        """The newest summary of a session is its summary."""
        with self._engine.writing([space]) as rows:
            rows.run(SUMMARISED, space=space, session=session)

    def forget_shown(self, space: str, session: str) -> None:
        """The agent of a session no longer has what was put into its context."""
        with self._engine.writing([space]) as rows:
            rows.run("delete from told where space = :space and session = :session", space=space, session=session)

    def events(self, filter: Filter, space: str, limit: int, only_memories: bool) -> list[Event]:
        """What happened, the newest first."""
        with self._engine.reading([space]) as rows:
            return _events(rows, filter, space, limit, only_memories)


def begin(rows: Rows, space: str, name: str, project: str | None, client: str | None, at: datetime) -> None:
    rows.run(BEGIN, space=space, name=name, project=project, client=client, at=instant(at))


def _resume(rows: Rows, space: str, name: str) -> None:
    rows.run("update sessions set ended_at = null where space = :space and name = :name", space=space, name=name)


def note_sessions(rows: Rows, space: str, notes: Sequence[SessionNotes], summaries: Sequence[Memory]) -> None:
    """Take note of what a transcript tells about sessions; its tool calls are those not counted yet."""
    for one in notes:
        place = {"space": space, "session": one.session}
        rows.run(COUNT_AND_NAME, **place, calls=one.tool_calls, title=one.title)
        named = [("file", name) for name in one.files] + [("link", name) for name in one.links]
        rows.run_many(NOTE, ({**place, "kind": kind, "name": name} for kind, name in named))
    for session in {memory.session for memory in summaries}:
        rows.run(SUMMARISED, space=space, session=session)


def without_counted(
    rows: Rows, notes: Sequence[SessionNotes], document: Document, before: Document | None, copied: set[str]
) -> tuple[list[SessionNotes], Document]:
    """Notes without the tool calls that were counted before, and their transcript, which remembers how many are.

    Of `copied` sessions it tells what was read before by another name.
    """
    read = document.state.get("calls", 0)  # from the start of the transcript to the end of these notes
    counted = before.state.get("calls", 0) if before else 0
    if not counted:
        counted = _tool_calls(rows, document.space, copied)
    known, left = max(0, counted - (read - sum(one.tool_calls for one in notes))), []
    for one in notes:
        new = max(0, one.tool_calls - known)
        known -= one.tool_calls - new
        left.append(replace(one, tool_calls=new))
    return left, replace(document, state={**document.state, "calls": max(counted, read)})


def _tool_calls(rows: Rows, space: str, sessions: set[str]) -> int:
    found = (rows.one(TOOL_CALLS_OF, space=space, name=name) for name in sessions)
    return sum(calls for (calls,) in filter(None, found))


def forget_title(rows: Rows, memory: Memory, at: datetime) -> None:
    """The title that a client gave to a session may tell what was deleted of it."""
    sql = "update sessions set title = null where space = :space and name = :session"
    rows.run(sql, space=memory.space, session=memory.session)
    note_title(rows, memory.space, memory.session or "", at)


def forget_notes(rows: Rows) -> None:
    """Keep nothing about sessions of which no memory is left."""
    rows.run(FORGET_NOTES)
    rows.run(FORGET_TITLES)


def forget_sessions(rows: Rows, named: Collection[tuple[str, str]], at: datetime) -> list[tuple[str, str]]:
    """Forget sessions, each with its space, and their names, as far as no memory of theirs is left. Returns those."""
    forgotten = []
    for space, session in named:
        place = {"space": space, "session": session}
        if rows.one(OF_A_SESSION, **place) is None:
            forgotten.append((space, session))
            note_name(rows, space, session, at)
            rows.run("delete from told where space = :space and session = :session", **place)
            rows.run("delete from extractions where space = :space and session = :session", **place)
            rows.run("delete from sessions where space = :space and name = :session", **place)
            rows.run(HIDE_NAME, **place, mark=names_of(rows, session)[1])
    return forgotten


def names_of(rows: Rows, session: str) -> list[str]:
    """Its name and keyed hashes of that, which stand for it in `private_parts` once it is forgotten: our own first."""
    return [session, *(mark.hex() for mark in marks_of(rows, session))]


def _notes(rows: Rows, space: str, session: str, kind: str) -> tuple[str, ...]:
    return tuple(name for (name,) in rows.all(NOTES, space=space, session=session, kind=kind))


def _get(rows: Rows, space: str, name: str, now: datetime | None = None) -> Session:
    values = {"space": space, "name": name, "silent": _silent(now)}
    row = rows.one(f"{SELECT} and s.name = :name", **values)
    if row is None and len(name) >= LEAST_BEGINNING:
        alike = rows.all(f"{SELECT} and substr(s.name, 1, length(:name)) = :name limit 2", **values)
        row = alike[0] if len(alike) == 1 else None
    if row is None:
        known = [one for (one,) in rows.all(NAMES, space=space)]
        raise NotFound(f"There is no session {quoted(name)} in space {space!r}{did_you_mean(name, known)}")
    return _session(row)


def _silent(now: datetime | None) -> str:
    """A conversation whose last turn is older than this has ended; none without a time."""
    return instant(now - SILENCE) if now else ""


def _end(rows: Rows, space: str, name: str, at: datetime, summary: int | None) -> None:
    _get(rows, space, name)
    rows.run(END, at=instant(at), summary=summary, space=space, name=name)


def _find(rows: Rows, space: str, active: bool | None, limit: int, now: datetime, file: str | None) -> list[Session]:
    which = "" if active is None else f" and s.ended_at is {'' if active else 'not'} null"
    which += TOUCHED if file else ""
    sql = f"{SELECT}{which} order by s.started_at desc, s.name limit :limit"
    values = {"space": space, "limit": limit, "silent": _silent(now), **({"file": file} if file else {})}
    return [_session(row) for row in rows.all(sql, **values)]


def _events(rows: Rows, filter: Filter, space: str, limit: int, only_memories: bool) -> list[Event]:
    """What happened, the newest first: memories, turns, sessions, revisions and changes of records."""
    from scrubjay.types.agents import Event

    condition, values = where(filter)
    memories = map(from_row, rows.all(REMEMBERED.format(where=condition), **values, limit=limit))
    found = records.with_changes(rows, [Event.of(memory) for memory in memories])
    if not only_memories:
        found += _others(rows, filter, space, limit)
    return sorted(found, key=lambda event: event.at, reverse=True)[:limit]


def _others(rows: Rows, filter: Filter, space: str, limit: int) -> list[Event]:
    from scrubjay.types.agents import Event

    values: dict[str, Any] = {
        "space": space,
        "since": instant(filter.since) if filter.since else "0",
        "until": instant(filter.until) if filter.until else "9",
        "limit": limit,
    }
    found = []
    for what, sql in (("replaced", REPLACED), ("reverted", REVERTED)):
        for at, old, new, reason in rows.all(sql, **values):
            detail = f"{old} by {new}" + (f": {reason}" if reason else "")
            about = (old,) if new is None else (old, new)
            found.append(Event(moment(at), what, detail=detail, about=about))
    for what, sql in (("session started", STARTED), ("session ended", ENDED)):
        found += [Event(moment(at), what, detail=name) for at, name in rows.all(sql, **values)]
    return found + records.other_events(rows, **values)


def _session(row: Any) -> Session:
    from scrubjay.types.agents import Session

    space, name, project, client, started_at, ended_at, summary, turns, tool_calls, title = row
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
        title=first_words(title) if title else None,
    )
