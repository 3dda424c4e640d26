"""Which memories an agent gets at the start of a session: who the user is, tasks, what is curated for its project, the
last sessions.

How they are shown, and within which budget, is in context.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from scrubjay.dates.timestamps import local_day
from scrubjay.memory.view import View
from scrubjay.text.narration import only_asks
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Filter, Memory

if TYPE_CHECKING:
    from scrubjay.types.agents import Session

__all__ = ["Candidate", "start_candidates"]

IMPORTANT = 8
STANDING_KINDS = ("preference", "identity")
PROJECT_KINDS = ("convention", "decision", "invariant")
USER = "user"  # the subject of facts about the person
MOST_OF_A_KIND = 20
LAST_SESSIONS = 3
LOOKED_THROUGH = 50  # sessions, for the last ones of a project

Candidate = tuple[Memory, str]  # a memory and a remark about it, which may be empty


def start_candidates(view: View, filter: Filter, session: str | None) -> Iterator[Candidate]:
    """In the order of what matters; the budget cuts the end off."""
    records = list(_records(view, filter))
    yield from records
    yield from _tasks(view, filter)
    seen = {memory.id for memory, _ in records}
    for memory in _curated(view, filter):
        if memory.id not in seen and not memory.is_pending:
            seen.add(memory.id)
            yield memory, ""
    yield from _last_sessions(view, filter, session)


def _records(view: View, filter: Filter) -> Iterator[Candidate]:
    """The profile of the space, and the record of the project that the caller works in."""
    for record in view.store.records.all(view.space, "profile", filter.now):
        yield record.memory, ""
    for record in view.store.records.all(view.space, "project", filter.now) if view.project else ():
        if record.memory.project == view.project:
            yield record.memory, ""


def _tasks(view: View, filter: Filter) -> Iterator[Candidate]:
    for task in view.store.tasks.find(
        view.space, filter.now, statuses=("in_progress", "pending"), scope=None, project=None, priority=None,
        due_before=None,
    )[:MOST_OF_A_KIND]:  # fmt: skip
        due = f", due {local_day(task.due)}" if task.due else ""
        yield task.memory, f"{task.status.replace('_', ' ')}, {task.priority}{due}"


def _curated(view: View, filter: Filter) -> Iterator[Memory]:
    """Important ones, preferences and who the user is, decisions of the project, facts about the user.

    Preferences and facts about the user hold in every project; those of this one come first.
    """
    important = replace(filter, min_importance=IMPORTANT)
    yield from (memory for memory in _of_project(view, important) if memory.kind not in NOT_CURATED)
    yield from sorted(_newest(view, replace(filter, kinds=STANDING_KINDS)), key=lambda one: one.project != view.project)
    yield from _of_project(view, replace(filter, kinds=PROJECT_KINDS))
    yield from _newest(view, replace(filter, kinds=("fact", "background", "contact"), subject=USER))


NOT_CURATED = (*KINDS_CUT_FROM_A_SOURCE, "summary", "task")


def _newest(view: View, filter: Filter) -> list[Memory]:
    return view.store.memories.newest(filter, MOST_OF_A_KIND)


def _of_project(view: View, filter: Filter) -> Iterable[Memory]:
    """Of this project, and of none."""
    if view.project:
        yield from _newest(view, replace(filter, project=view.project))
    yield from (memory for memory in _newest(view, filter) if memory.project is None)


def _last_sessions(view: View, filter: Filter, current: str | None) -> Iterator[Candidate]:
    """The last sessions of this project: each by its summary, or else by what the user first said, not only asked."""
    found = view.store.sessions.find(view.space, None, LOOKED_THROUGH, filter.now)
    others = [one for one in found if one.project == view.project and one.name != current]
    shown = 0
    for session in others:
        memory = _told_of(view, filter, session)
        if memory is not None and shown < LAST_SESSIONS:
            shown += 1
            yield memory, _about(session, memory)
    if not shown:
        yield from ((summary, "last session") for summary in _last_summary(view, filter))


def _told_of(view: View, filter: Filter, session: Session) -> Memory | None:
    if session.summary is not None:
        return view.store.memories.get([session.summary], [view.space], filter.now).get(session.summary)
    said = replace(filter, session=session.name, kinds=("turn",), speaker=USER)
    turns = view.store.memories.newest(said, None)
    return min(turns, key=lambda turn: (only_asks(turn.text), turn.position or 0, turn.id), default=None)


def _about(session: Session, memory: Memory) -> str:
    title = f" “{session.title}”" if session.title and session.title != memory.title else ""
    return f"last session{title}"


def _last_summary(view: View, filter: Filter) -> list[Memory]:
    """The newest summary of this project that belongs to no session; outside of any project, of no project."""
    summaries = replace(filter, kinds=("summary",), project=view.project)
    newest = view.store.memories.newest(summaries, LOOKED_THROUGH)
    return [summary for summary in newest if summary.project == view.project][:1]
