"""Tools for what is to be done."""

from __future__ import annotations

from typing import Literal

from scrubjay import Invalid, Scrubjay
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.tool import given, offered
from scrubjay.types import Priority, Status, Task

__all__ = ["TOOLS"]


@offered("write")
def task_create(
    jay: Scrubjay, text: str, priority: Priority | None = None, due: str | None = None, scope: str | None = None,
    project: str | None = None,
) -> str:  # fmt: skip
    """Remember something to be done; due is a date, scope whose task it is (user by default)."""
    return _told(jay.tasks.create(text, **given(priority=priority, due=due, scope=scope, project=project)))


@offered("write")
def task_update(
    jay: Scrubjay, id: int, status: Status | None = None, priority: Priority | None = None, due: str | None = None,
    note: str | None = None,
) -> str:  # fmt: skip
    """Say where a task stands."""
    life = given(status=status, priority=priority, due=due, note=note)
    if not life:
        raise Invalid("Nothing to update; give status, priority, due or note.")
    return _told(jay.tasks.update(id, **life))


@offered("read")
def task_list(
    jay: Scrubjay, status: Status | Literal["all"] | None = None, scope: str | None = None, project: str | None = None,
    due_before: str | None = None,
) -> str:  # fmt: skip
    """Tasks, the most pressing first: the open ones, or those of a status."""
    wanted = given(scope=scope, project=project, due_before=due_before)
    if status is not None:
        wanted["statuses"] = () if status == "all" else (status,)
    return replies.lines(replies.task_lines(jay.tasks.list(**wanted)), nothing="There is nothing to do.")


def _told(task: Task) -> str:
    """A known task is in a state that its caller has not said; who may not read is not told."""
    return replies.task(task) if caller().may("read") else f"Task {task.memory.id} is stored."


TOOLS = (task_create, task_update, task_list)
