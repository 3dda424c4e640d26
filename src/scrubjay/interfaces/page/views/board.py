"""Tasks as a board: a column for each status."""

from __future__ import annotations

from typing import cast

from starlette.responses import Response

from scrubjay.agents.tasks import FOLLOWS
from scrubjay.interfaces.page.notices import Notice
from scrubjay.interfaces.page.visits import Page, Visit
from scrubjay.types.agents import Priority, Status

__all__ = ["PAGES"]

TITLES: dict[Status, str] = {
    "pending": "To do", "in_progress": "In progress", "completed": "Done", "cancelled": "Cancelled",
}  # fmt: skip
VERBS: dict[Status, str] = {"pending": "Reopen", "in_progress": "Begin", "completed": "Done", "cancelled": "Cancel"}
SHOWN = 50  # in a column


def board(visit: Visit) -> Response:
    now = visit.jay.view.clock()
    found = {status: visit.jay.tasks.list(statuses=[status]) for status in TITLES}
    return visit.show(
        "board.html", now=now, columns=[(TITLES[status], tasks[:SHOWN], len(tasks)) for status, tasks in found.items()],
        follows=FOLLOWS, verbs=VERBS,
    )  # fmt: skip


def create(visit: Visit) -> Response:
    priority = cast(Priority, visit.asked("priority") or "normal")
    task = visit.jay.tasks.create(visit.asked("text"), due=visit.asked("due") or None, priority=priority)
    return visit.go("/tasks", Notice("task-added", task.memory.id))


def move(visit: Visit) -> Response:
    task = visit.jay.tasks.update(visit.number("id"), status=cast(Status, visit.asked("status")))
    return visit.go("/tasks", Notice("task", task.memory.id))


PAGES = (
    Page("/tasks", board),
    Page("/tasks", create, "POST", ("read", "write")),
    Page("/tasks/{id:int}", move, "POST", ("read", "write")),
)
