"""Tools for tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from scrubjay.errors import Invalid
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import Reply, given, tool
from scrubjay.types.agents import Priority, Status, Task

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]


@tool("write", answers="tasks create")
def task_create(
    jay: Scrubjay, text: str, priority: Priority | None = None, due: str | None = None, scope: str | None = None,
    project: str | None = None,
) -> Reply:  # fmt: skip
    """Create a task; due is a date, scope whose task it is (user by default)."""
    return _reply(jay.tasks.create(text, **given(priority=priority, due=due, scope=scope, project=project)))


@tool("write", answers="tasks update")
def task_update(
    jay: Scrubjay, id: int, status: Status | None = None, priority: Priority | None = None, due: str | None = None,
    note: str | None = None,
) -> Reply:  # fmt: skip
    """Change a task's status, priority, due date or note."""
    changes = given(status=status, priority=priority, due=due, note=note)
    if not changes:
        raise Invalid("Nothing to update; give status, priority, due or note.")
    return _reply(jay.tasks.update(id, **changes))


@tool("read", answers="tasks")
def task_list(
    jay: Scrubjay, status: Status | Literal["all"] | None = None, scope: str | None = None, project: str | None = None,
    due_before: str | None = None,
) -> Reply:  # fmt: skip
    """Tasks, the most urgent first: the open ones, or those of a status."""
    wanted = given(scope=scope, project=project, due_before=due_before)
    if status is not None:
        wanted["statuses"] = () if status == "all" else (status,)
    found = jay.tasks.list(**wanted)
    nothing = f"There are no {'open ' if status is None else ''}tasks."
    return Reply(replies.lines(replies.task_lines(found), nothing=nothing), {"tasks": found})


def _reply(task: Task) -> Reply:
    """An existing task may have another status than given; a caller that may not read does not see it."""
    return Reply(replies.task(task) if caller().may("read") else f"Task {task.memory.id} is stored.", task)


TOOLS = (task_create, task_update, task_list)
