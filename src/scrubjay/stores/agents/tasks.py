"""The life of tasks: a row beside each memory of kind task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scrubjay.errors import NotFound
from scrubjay.stores.columns import NAMES, from_row, instant, moment_or_none
from scrubjay.stores.contract import Engine, Rows
from scrubjay.stores.revisions import edits

if TYPE_CHECKING:
    from scrubjay.types.agents import Task

__all__ = ["CHANGED_AT", "COLUMNS", "FIELDS", "Tasks", "begin", "change", "get", "inherit", "standing"]

FIELDS = ("scope", "status", "priority", "due", "note")
COLUMNS = ("memory", *FIELDS)
OF_MEMORY = ", ".join(f"m.{name}" for name in NAMES)
SELECT = f"""
    select {OF_MEMORY}, t.scope, t.status, t.priority, t.due, t.note
    from tasks t join memories m on m.id = t.memory
    where m.space = :space and m.kind = 'task' and m.superseded_at is null
    and (m.expires_at is null or m.expires_at > :now)
"""
BEGIN = """
    insert into tasks (memory, scope, status, priority) values (:memory, 'user', 'pending', 'normal')
    on conflict do nothing
"""
INHERIT = """
    update tasks set (scope, status, priority, due, note) = (o.scope, o.status, o.priority, o.due, o.note)
    from tasks o where o.memory = :old and tasks.memory = :new
"""
# When it was last said where a task stands; null: when it was created.
CHANGED_AT = """
    (select max(coalesce(e.undone_at, e.at)) from edits e where e.memory = t.memory and e.before like '%"task.%')
"""
# The most pressing first: what is due soonest, then by priority, then the oldest.
ORDER = """
    order by t.due is null, t.due, case t.priority when 'high' then 0 when 'normal' then 1 else 2 end, m.id
"""


class Tasks:
    """Where tasks stand. Changing that touches neither words nor vectors."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, id: int, space: str, now: datetime) -> Task:
        with self._engine.reading([space]) as rows:
            return get(rows, id, space, now)

    def begin(self, id: int, space: str, now: datetime, fields: Mapping[str, Any]) -> Task:
        """Say where a new task stands."""
        with self._engine.writing([space]) as rows:
            get(rows, id, space, now)
            change(rows, id, fields)
            return get(rows, id, space, now)

    def change(
        self, id: int, space: str, now: datetime, edit: Callable[[Task], Mapping[str, Any]], actor: str | None = None
    ) -> Task:
        """Change where a task stands."""
        with self._engine.writing([space]) as rows:
            before = get(rows, id, space, now)
            edits.record_task(rows, id, change(rows, id, edit(before)), now, actor)
            return get(rows, id, space, now)

    def find(self, space: str, now: datetime, **wanted: Any) -> list[Task]:
        """The most pressing first."""
        with self._engine.reading([space]) as rows:
            return _find(rows, space, now, **wanted)


def begin(rows: Rows, memory: int) -> None:
    """Say where a task stands that nothing was said of."""
    rows.run(BEGIN, memory=memory)


def inherit(rows: Rows, old: int, new: int) -> None:
    """A task that is worded anew stands where it stood."""
    rows.run(INHERIT, old=old, new=new)


def get(rows: Rows, id: int, space: str, now: datetime) -> Task:
    row = rows.one(f"{SELECT} and m.id = :id", space=space, now=instant(now), id=id)
    if row is None:
        raise NotFound(f"There is no task {id} in space {space!r}.")
    return _task(row)


def change(rows: Rows, id: int, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Change where a task stands. Returns what the columns that changed held before."""
    wanted = {name: instant(value) if isinstance(value, datetime) else value for name, value in fields.items()}
    row = rows.one(f"select {', '.join(FIELDS)} from tasks where memory = :id", id=id)
    before = {name: value for name, value in zip(FIELDS, row or (), strict=False) if wanted.get(name, value) != value}
    if before:
        assignments = ", ".join(f"{name} = :{name}" for name in before)
        rows.run(f"update tasks set {assignments} where memory = :id", **wanted, id=id)
    return before


def standing(rows: Rows, id: int) -> dict[str, Any]:
    """Where a task stands, and since when."""
    names = (*FIELDS, "changed_at")
    row = rows.one(f"select {', '.join(FIELDS)}, {CHANGED_AT} from tasks t where memory = :id", id=id)
    return dict(zip(names, row or (), strict=False))


def _find(
    rows: Rows,
    space: str,
    now: datetime,
    statuses: Sequence[str],
    scope: str | None,
    project: str | None,
    priority: str | None,
    due_before: datetime | None,
) -> list[Task]:
    conditions = {
        "t.status in (:statuses)": bool(statuses),
        "t.scope = :scope": scope is not None,
        "m.project = :project": project is not None,
        "t.priority = :priority": priority is not None,
        "t.due <= :due_before": due_before is not None,
    }
    values = {
        "space": space,
        "now": instant(now),
        "statuses": list(statuses),
        "scope": scope,
        "project": project,
        "priority": priority,
        "due_before": due_before and instant(due_before),
    }
    wanted = "".join(f" and {condition}" for condition, holds in conditions.items() if holds)
    return [_task(row) for row in rows.all(f"{SELECT}{wanted}{ORDER}", **values)]


def _task(row: Any) -> Task:
    from scrubjay.types.agents import Task

    scope, status, priority, due, note = row[-len(FIELDS) :]
    return Task(from_row(row[: -len(FIELDS)]), scope, status, priority, moment_or_none(due), note)
