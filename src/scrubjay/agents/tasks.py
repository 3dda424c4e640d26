"""Tasks: memories with a life cycle. What changes in their life touches neither their words nor their vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypedDict, Unpack, get_args

from scrubjay.dates.phrases import deadline
from scrubjay.dates.timestamps import Clock, Moment
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import memory_id
from scrubjay.memory.fields import Fields, long_text, short_text
from scrubjay.stores import Store
from scrubjay.types import Added, Priority, Status, Task, Trust, trust

__all__ = ["OPEN", "TaskFields", "Tasks"]

OPEN: tuple[Status, ...] = ("pending", "in_progress")
FOLLOWS: dict[Status, tuple[Status, ...]] = {
    "pending": ("in_progress", "completed", "cancelled"),
    "in_progress": ("pending", "completed", "cancelled"),
    "completed": ("pending",),
    "cancelled": ("pending",),
}
KNOWN = "Task {id} was known; it keeps its {names}: `tasks update {id}` changes them."
OVER = "Task {id} was known and is {status}; `tasks update {id} --status pending` begins it anew."
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
        self,
        store: Store,
        space: str,
        clock: Clock,
        remember: Callable[..., Added],
        admit: Callable[..., Any],
        door: Trust,
        actor: str | None,
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._remember = remember
        self._admit = admit
        self._door = door
        self._actor = actor

    def create(
        self,
        text: str,
        *,
        scope: str | None = None,
        priority: Priority | None = None,
        due: Moment | None = None,
        note: str | None = None,
        redact: bool = False,
        **fields: Unpack[Fields],
    ) -> Task:
        """Remember something to be done; scope is "user" and priority "normal" unless given.

        A task that is known keeps what it has: only a due date and a note that it lacks are filled in, and one that
        was over begins anew. What was not taken is in the `notes` of the task that is returned.
        """
        given = {"scope": scope, "priority": priority, "due": due, "note": note}
        life = self._checked({name: value for name, value in given.items() if value is not None}, redact)
        if fields.get("kind", "task") != "task":
            raise Invalid("A task is of kind task; leave the kind out.")
        added = self._remember(text, redact=redact, **{**fields, "kind": "task"})
        id, now = added.memory.id, self._clock()
        if added.created:
            return replace(self._store.tasks.begin(id, self._space, now, life), notes=added.notes)
        weaker = trust.outranks(added.memory, trust.lower(self._door, fields.get("trust", self._door)))
        task = self._store.tasks.change(
            id, self._space, now, lambda task: {} if weaker else _said_again(task, life), self._actor
        )
        return replace(task, notes=(*added.notes, *_not_taken(task, life)))

    def get(self, id: int) -> Task:
        return self._store.tasks.get(memory_id(id), self._space, self._clock())

    def update(self, id: int, *, redact: bool = False, **life: Unpack[TaskFields]) -> Task:
        """Change where a task stands."""
        given = self._checked(life, redact)
        now = self._clock()
        task = self._store.tasks.change(
            memory_id(id), self._space, now, lambda task: _changed(task, given), self._actor
        )  # fmt: skip
        warning = trust.update_warning(task.memory, self._door)
        return replace(task, notes=(warning,)) if warning else task

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
            _checked({"status": status}, self._clock())
        if priority is not None:
            _checked({"priority": priority}, self._clock())
        due = None if due_before is None else deadline(due_before, "due_before", self._clock())
        return self._store.tasks.find(
            self._space, self._clock(), statuses=statuses, scope=scope, project=project, priority=priority,
            due_before=due,
        )  # fmt: skip

    def _checked(self, life: Mapping[str, Any], redact: bool) -> dict[str, Any]:
        given: dict[str, Any] = self._admit(_checked(life, self._clock()), redact)
        return given


def _said_again(task: Task, life: Mapping[str, Any]) -> dict[str, Any]:
    """What a task that is known takes over: what it lacks; if it was over, it begins anew with what was given."""
    if task.status in OPEN:
        return {name: life[name] for name in ("due", "note") if name in life and getattr(task, name) is None}
    return {**{name: value for name, value in life.items() if name != "scope"}, "status": "pending"}


def _not_taken(task: Task, life: Mapping[str, Any]) -> tuple[str, ...]:
    other = [name for name, value in life.items() if getattr(task, name) != value]
    kept = [KNOWN.format(id=task.memory.id, names=", ".join(other))] if other else []
    over = [] if task.status in OPEN else [OVER.format(id=task.memory.id, status=task.status)]
    return tuple(kept + over)


def _checked(life: Mapping[str, Any], now: datetime) -> dict[str, Any]:
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
        given["due"] = deadline(given["due"], "due", now)
    return given


def _changed(task: Task, given: dict[str, Any]) -> dict[str, Any]:
    """The fields of an update, once it is sure that this task can go that way."""
    status = given.get("status", task.status)
    if status != task.status and status not in FOLLOWS[task.status]:
        raise Invalid(f"Task {task.memory.id} is {task.status}; it can become {' or '.join(FOLLOWS[task.status])}.")
    return given
