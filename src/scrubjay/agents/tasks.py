"""Tasks: memories with a status, a priority and a due date. These change without touching the text or its vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, get_args

from scrubjay.dates.arguments import deadline
from scrubjay.dates.timestamps import Moment
from scrubjay.errors import Invalid
from scrubjay.memory.add import add
from scrubjay.memory.arguments import long_text, memory_id, several, short_text
from scrubjay.memory.fields import Fields, with_full_signatures
from scrubjay.memory.view import View
from scrubjay.stores import Stored
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import Memory, Trust, limits, trust
from scrubjay.types.agents import Priority, Status

if TYPE_CHECKING:
    from scrubjay.types.agents import Task

__all__ = ["OPEN", "TaskFields", "Tasks"]

OPEN: tuple[Status, ...] = ("pending", "in_progress")
FOLLOWS: dict[Status, tuple[Status, ...]] = {
    "pending": ("in_progress", "completed", "cancelled"),
    "in_progress": ("pending", "completed", "cancelled"),
    "completed": ("pending",),
    "cancelled": ("pending",),
}
KNOWN = "Task {id} was known; it keeps its {names}; `tasks update {id}` changes that."
CLOSED = "Task {id} was known and is {status}; `tasks update {id} --status pending` reopens it."
CHOICES: dict[str, tuple[str, ...]] = {"status": get_args(Status), "priority": get_args(Priority)}


class TaskFields(TypedDict, total=False):
    """The state of a task: what it has besides its text."""

    scope: str
    status: Status
    priority: Priority
    due: Moment | None
    note: str | None


@with_full_signatures
class Tasks:
    """The tasks of one space."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._store = view.store

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

        A task that is known already keeps what it has: only a due date and a note that it lacks are filled in. If it
        was completed or cancelled, it begins again. The `notes` of the returned task say what was not taken over.
        """
        given = {"scope": scope, "priority": priority, "due": due, "note": note}
        state = self._checked({name: value for name, value in given.items() if value is not None}, redact, str(text))
        if fields.get("kind", "task") != "task":
            raise Invalid("A task is of kind task; leave the kind out.")
        who = trust.lower(self._view.trust, fields.get("trust", self._view.trust))
        tasks: list[Task] = []

        def put(stored: Sequence[Stored]) -> None:
            tasks.extend(self._put(one.memory, one.created, state, who) for one in stored)

        added = add(self._view, text, {**fields, "kind": "task"}, redact=redact, then=put)
        (task,) = tasks
        return replace(task, notes=added.notes if added.created else (*added.notes, *_not_taken(task, state)))

    def _put(self, memory: Memory, created: bool, state: Mapping[str, Any], who: Trust) -> Task:
        view, now = self._view, self._view.clock()
        if created:
            return self._store.tasks.begin(memory.id, view.space, now, state)
        is_less_trusted = trust.outranks(memory, who)
        return self._store.tasks.change(
            memory.id, view.space, now, lambda task: {} if is_less_trusted else _taken_over(task, state), view.actor
        )

    def get(self, id: int) -> Task:
        return self._store.tasks.get(memory_id(id), self._view.space, self._view.clock())

    def update(self, id: int, *, redact: bool = False, **state: Unpack[TaskFields]) -> Task:
        """Change the state of a task."""
        view, text = self._view, self._view.existing(id).text if state.get("note") else ""
        given = self._checked(state, redact, text)
        task = self._store.tasks.change(
            memory_id(id), view.space, view.clock(), lambda task: _changed(task, given), view.actor
        )  # fmt: skip
        warning = trust.update_warning(task.memory, view.trust)
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
        now = self._view.clock()
        for status in several("statuses", statuses):
            _checked({"status": status}, now)
        if priority is not None:
            _checked({"priority": priority}, now)
        due = None if due_before is None else deadline(due_before, "due_before", now)
        return self._store.tasks.find(
            self._view.space, now, statuses=statuses, scope=scope, project=project, priority=priority, due_before=due
        )

    def _checked(self, state: Mapping[str, Any], redact: bool, text: str) -> dict[str, Any]:
        """The state of a task, as it may be stored beside the text that says what is to be done."""
        given = self._view.allowed(_checked(state, self._view.clock()), redact)
        return self._view.allowed_beside(text, given, redact)


def _taken_over(task: Task, state: Mapping[str, Any]) -> dict[str, Any]:
    """What a known task takes over: what it lacks; if it was closed, it begins again with what was given."""
    if task.status in OPEN:
        return {name: state[name] for name in ("due", "note") if name in state and getattr(task, name) is None}
    return {**{name: value for name, value in state.items() if name != "scope"}, "status": "pending"}


def _not_taken(task: Task, state: Mapping[str, Any]) -> tuple[str, ...]:
    other = [name for name, value in state.items() if getattr(task, name) != value]
    kept = [KNOWN.format(id=task.memory.id, names=", ".join(other))] if other else []
    closed = [] if task.status in OPEN else [CLOSED.format(id=task.memory.id, status=task.status)]
    return tuple(kept + closed)


def _checked(state: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The state of a task, as it is stored."""
    given = dict(state)
    if unknown := sorted(set(given) - set(TaskFields.__annotations__)):
        raise Invalid(f"A task has no field {quoted(unknown[0])}; it has {', '.join(TaskFields.__annotations__)}.")
    for name, choices in CHOICES.items():
        if name in given and given[name] not in choices:
            raise Invalid(f"{name} must be {', '.join(choices[:-1])} or {choices[-1]}, not {quoted(given[name])}.")
    if "scope" in given:
        given["scope"] = short_text("scope", given["scope"])
    if given.get("note") is not None:
        given["note"] = long_text("note", given["note"], limits.CONTEXT_CHARACTERS)
    if given.get("due") is not None:
        given["due"] = deadline(given["due"], "due", now)
    return given


def _changed(task: Task, given: dict[str, Any]) -> dict[str, Any]:
    """The fields of an update, unless this task cannot get that status from the one it has."""
    status = given.get("status", task.status)
    if status != task.status and status not in FOLLOWS[task.status]:
        raise Invalid(f"Task {task.memory.id} is {task.status}; it can become {' or '.join(FOLLOWS[task.status])}.")
    return given
