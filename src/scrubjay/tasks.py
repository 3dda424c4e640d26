"""Tasks: memories with a life cycle. What changes in their life touches neither their words nor their vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack, get_args

from scrubjay.errors import Invalid
from scrubjay.fields import Fields
from scrubjay.stores import Store
from scrubjay.times import Clock, Moment, end_of
from scrubjay.types import Added, Priority, Status, Task

__all__ = ["OPEN", "TaskFields", "Tasks"]

OPEN: tuple[Status, ...] = ("pending", "in_progress")
FOLLOWS: dict[Status, tuple[Status, ...]] = {
    "pending": ("in_progress", "completed", "cancelled"),
    "in_progress": ("pending", "completed", "cancelled"),
    "completed": ("pending",),
    "cancelled": ("pending",),
}
CHOICES: dict[str, tuple[str, ...]] = {"status": get_args(Status), "priority": get_args(Priority)}


class TaskFields(TypedDict, total=False):
    """What may be said of a task besides its text."""

    scope: str
    status: Status
    priority: Priority
    due: Moment | None
    note: str | None


class Tasks:
    """The tasks of one space."""

    def __init__(self, store: Store, space: str, clock: Clock, remember: Callable[..., Added]) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._remember = remember

    def create(
        self,
        text: str,
        *,
        scope: str = "user",
        priority: Priority = "normal",
        due: Moment | None = None,
        note: str | None = None,
        **fields: Unpack[Fields],
    ) -> Task:
        """Remember something to be done."""
        life = _checked({"scope": scope, "priority": priority, "due": due, "note": note})
        if fields.get("kind", "task") != "task":
            raise Invalid("A task is of kind task; leave the kind out.")
        added = self._remember(text, **{**fields, "kind": "task"})
        return self._store.change_task(added.memory.id, self._space, self._clock(), lambda task: life)

    def get(self, id: int) -> Task:
        return self._store.task(id, self._space, self._clock())

    def update(self, id: int, **life: Unpack[TaskFields]) -> Task:
        """Change where a task stands."""
        return self._store.change_task(id, self._space, self._clock(), lambda task: _changed(task, life))

    def list(
        self,
        *,
        scope: str | None = None,
        statuses: Sequence[Status] = OPEN,
        project: str | None = None,
        priority: Priority | None = None,
        due_before: Moment | None = None,
    ) -> list[Task]:
        """The most pressing first; `statuses=()` for all."""
        for status in statuses:
            _checked({"status": status})
        due = None if due_before is None else end_of(due_before, "due_before")
        return self._store.tasks(
            self._space, self._clock(), statuses=statuses, scope=scope, project=project, priority=priority,
            due_before=due,
        )  # fmt: skip


def _checked(life: Mapping[str, Any]) -> dict[str, Any]:
    """What a caller says of a task, in the form it is stored in."""
    given = dict(life)
    if unknown := sorted(set(given) - set(TaskFields.__annotations__)):
        raise Invalid(f"A task has no field {unknown[0]!r}; it has {', '.join(TaskFields.__annotations__)}.")
    for name, choices in CHOICES.items():
        if name in given and given[name] not in choices:
            raise Invalid(f"{name} must be {', '.join(choices[:-1])} or {choices[-1]}, not {given[name]!r}.")
    for name in ("scope", "note"):
        if given.get(name) is not None and (not isinstance(given[name], str) or not given[name].strip()):
            raise Invalid(f"{name} must be text.")
    if given.get("due") is not None:
        given["due"] = end_of(given["due"], "due")
    return given


def _changed(task: Task, life: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an update, once it is sure that this task can go that way."""
    given = _checked(life)
    status = given.get("status", task.status)
    if status != task.status and status not in FOLLOWS[task.status]:
        raise Invalid(f"Task {task.memory.id} is {task.status}; it can become {' or '.join(FOLLOWS[task.status])}.")
    return given
