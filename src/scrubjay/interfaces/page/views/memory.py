"""One memory: its text, where it came from, how it changed, what contradicts it, and what stands around it."""

from __future__ import annotations

from typing import NamedTuple

from starlette.responses import Response

from scrubjay.interfaces.page.differences import Part, parts
from scrubjay.interfaces.page.visits import Page, Visit
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Memory
from scrubjay.types.history import Conflict, Edit, History, Step

__all__ = ["PAGES", "changes_of"]

SHOWN_CHARACTERS = 20_000
AROUND = 10
MORE_AROUND = 50


class Change(NamedTuple):
    """One text became another: the step, both memories, and what differs; None if that is too long to show."""

    step: Step
    old: Memory
    new: Memory | None
    parts: list[Part] | None


def memory(visit: Visit) -> Response:
    id = visit.number("id")
    found = visit.jay.get(id)
    if found is None:
        return visit.show("no_memory.html", 404, id=id, deleted=_deleted(visit, id))
    history = visit.jay.history(id)
    whole = bool(visit.asked("whole"))
    return visit.show(
        "memory.html",
        memory=found,
        text=found.text if whole else found.text[:SHOWN_CHARACTERS],
        is_cut=not whole and len(found.text) > SHOWN_CHARACTERS,
        changes=changes_of(history),
        edits=_edits(history),
        conflicts=_conflicts(visit, id),
        links=visit.jay.links(id),
        citations=visit.jay.citations(id) if visit.is_own else [],
        has_around=found.kind in KINDS_CUT_FROM_A_SOURCE,
        can_undo=bool(history.steps or history.edits),
    )


def _deleted(visit: Visit, id: int) -> bool:
    """Whether the trash has it, as far as this login may look into the trash."""
    return visit.may("read", "admin") and any(one.memory.id == id for one in visit.jay.trash.list())


def changes_of(history: History) -> list[Change]:
    """Each replacement, the newest first."""
    memories = {one.id: one for one in history}
    found = []
    for step in reversed(history.steps):
        old, new = memories.get(step.old), memories.get(step.new or 0)
        if old:
            found.append(Change(step, old, new, parts(old.text, new.text) if new else None))
    return found


def _edits(history: History) -> list[Edit]:
    return sorted(history.edits, key=lambda edit: edit.at, reverse=True)


def _conflicts(visit: Visit, id: int) -> list[Conflict]:
    return [one for one in visit.jay.conflicts() if id in (one.older.id, one.newer.id)]


def around(visit: Visit) -> Response:
    """What stands around a passage in its file, or around a turn in its conversation."""
    window = MORE_AROUND if visit.asked("more") else AROUND
    id = visit.number("id")
    found = visit.jay.view.existing(id)
    return visit.show(
        "around.html",
        memory=found,
        excerpt=visit.jay.excerpt(id, around=window),
        is_more=window == MORE_AROUND,
        before_and_after=[] if found.kind in KINDS_CUT_FROM_A_SOURCE else visit.jay.timeline(id, window=5),
    )


PAGES = (Page("/memories/{id:int}", memory), Page("/memories/{id:int}/around", around))
