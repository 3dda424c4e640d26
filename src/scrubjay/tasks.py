"""Tasks: memories with a life cycle. What changes in their life touches neither their words nor their vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack, get_args

from scrubjay.arguments import memory_id
from scrubjay.errors import Invalid
from scrubjay.fields import Fields, long_text, short_text
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
USUAL = {"scope": "user", "priority": "normal"}
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

    def __init__(
        self, store: Store, space: str, clock: Clock, remember: Callable[..., Added], admit: Callable[..., Any]
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._remember = remember
        self._admit = admit

    def create(
        self,
        text: str,
        *,
        scope: str = "user",
        priority: Priority = "normal",
        due: Moment | None = None,
        note: str | None = None,
        redact: bool = False,
        **fields: Unpack[Fields],
    ) -> Task:
        """Remember something to be done. With `redact`, secrets are replaced instead of being refused."""
        life = self._checked({"scope": scope, "priority": priority, "due": due, "note": note}, redact)
        if fields.get("kind", "task") != "task":
            raise Invalid("A task is of kind task; leave the kind out.")
        added = self._remember(text, redact=redact, **{**fields, "kind": "task"})
        return self._store.change_task(
            added.memory.id, self._space, self._clock(), lambda task: _begun(task, life, added.created)
        )

    def get(self, id: int) -> Task:
        return self._store.task(memory_id(id), self._space, self._clock())

    def update(self, id: int, *, redact: bool = False, **life: Unpack[TaskFields]) -> Task:
        """Change where a task stands."""
        given = self._checked(life, redact)
        return self._store.change_task(memory_id(id), self._space, self._clock(), lambda task: _changed(task, given))

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
        if priority is not None:
            _checked({"priority": priority})
        due = None if due_before is None else end_of(due_before, "due_before")
        return self._store.tasks(
            self._space, self._clock(), statuses=statuses, scope=scope, project=project, priority=priority,
            due_before=due,
        )  # fmt: skip

    def _checked(self, life: Mapping[str, Any], redact: bool) -> dict[str, Any]:
        given: dict[str, Any] = self._admit(_checked(life), redact)
        return given


def _begun(task: Task, life: Mapping[str, Any], created: bool) -> dict[str, Any]:
    """A task that is known already keeps what is not said again; one that was over begins anew."""
    if created:
        return dict(life)
    said = {name: value for name, value in life.items() if value is not None and value != USUAL.get(name)}
    return said if task.status in OPEN else {**said, "status": "pending"}


def _checked(life: Mapping[str, Any]) -> dict[str, Any]:
    """What a caller says of a task, in the form it is stored in."""
    given = dict(life)
    if unknown := sorted(set(given) - set(TaskFields.__annotations__)):
        raise Invalid(f"A task has no field {unknown[0]!r}; it has {', '.join(TaskFields.__annotations__)}.")
    for name, choices in CHOICES.items():
        if name in given and given[name] not in choices:
            raise Invalid(f"{name} must be {', '.join(choices[:-1])} or {choices[-1]}, not {given[name]!r}.")
    if "scope" in given:
        given["scope"] = short_text("scope", given["scope"])
    if given.get("note") is not None:
        given["note"] = long_text("note", given["note"])
    if given.get("due") is not None:
        given["due"] = end_of(given["due"], "due")
    return given


def _changed(task: Task, given: dict[str, Any]) -> dict[str, Any]:
    """The fields of an update, once it is sure that this task can go that way."""
    status = given.get("status", task.status)
    if status != task.status and status not in FOLLOWS[task.status]:
        raise Invalid(f"Task {task.memory.id} is {task.status}; it can become {' or '.join(FOLLOWS[task.status])}.")
    return given
