"""Skills: what an agent knows how to do, when it is due, and how the last run went."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Unpack

from scrubjay.dates.arguments import first_moment
from scrubjay.dates.timestamps import Moment
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import long_text
from scrubjay.memory.fields import with_full_signatures
from scrubjay.records import skill_files
from scrubjay.records.checks import chosen
from scrubjay.records.collection import Collection
from scrubjay.records.fields import SKILL_FIELDS, Outcome, SkillFields, Trigger
from scrubjay.records.schedules import due_at, with_trigger
from scrubjay.records.texts import skill_text
from scrubjay.records.versions import Data, Notes, Noun, Record, record_fields
from scrubjay.stores import KeptRecord
from scrubjay.types import limits

__all__ = ["Skill", "Skills"]

READ = f"read from a {skill_files.FILE_NAME}"
KNOWN = "Skill {id} was known; it stays as it is: `skills update {id}` changes it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill(Record):
    """Something that an agent knows how to do."""

    name: str
    instructions: str
    description: str | None = None
    trigger: Trigger = "manual"
    schedule: str | None = None  # a cron expression
    timezone: str | None = None  # of the schedule; None: that of the machine
    interval_minutes: int | None = None
    at: datetime | None = None  # once
    event: str | None = None
    required_tools: tuple[str, ...] = ()
    plan: tuple[Mapping[str, Any], ...] = ()  # steps: id, tool, parameters, depends_on
    max_steps: int = 10
    notify_on_completion: bool = True
    notify_interval_minutes: int = 0
    enabled: bool = True
    last_run_at: datetime | None = None
    last_run_status: Outcome | None = None
    last_run_summary: str | None = None
    last_notified_at: datetime | None = None
    due_at: datetime | None = None  # since when it is due; None: it is not


EMPTY: Data = {
    "description": None, "trigger": "manual", "schedule": None, "timezone": None, "interval_minutes": None,
    "at": None, "event": None, "required_tools": [], "plan": [], "max_steps": 10, "notify_on_completion": True,
    "notify_interval_minutes": 0, "enabled": True,
}  # fmt: skip


@with_full_signatures
class Skills(Collection[Skill]):
    """The skills of one space. Each change is a version; runs are not."""

    noun = Noun(
        name="skill",
        command="skills",
        text=skill_text,
        key=lambda data: data["name"].casefold(),
        subject=lambda data: data["name"],
    )
    fields = SKILL_FIELDS
    empty = EMPTY

    def create(self, *, reason: str | None = None, redact: bool = False, **fields: Unpack[SkillFields]) -> Skill:
        """Remember a skill. A name and instructions are needed; the one that has this name already stays as it is."""
        known = self._known(fields)
        try:
            return known or self._create(fields, reason, redact)
        except Invalid:
            if known := self._known(fields):  # another process has just created it
                return known
            raise

    def update(
        self, of: int | str, *, reason: str | None = None, redact: bool = False, **fields: Unpack[SkillFields]
    ) -> Skill:
        """Change fields; None empties one."""
        return self._update(of, fields, reason, redact)

    def list(
        self, *, enabled: bool | None = None, trigger: Trigger | None = None, limit: int = 50
    ) -> builtins.list[Skill]:
        """By name."""
        if trigger is not None:
            self._given({"trigger": trigger}, False)

        def wanted(one: Skill) -> bool:
            return (enabled is None or one.enabled == enabled) and (trigger is None or one.trigger == trigger)

        return self._matching(wanted, lambda one: (one.name.casefold(), one.id), limit)

    def due(self) -> builtins.list[Skill]:
        """Those that should run now, the longest due first. Whoever runs one tells it with `ran`."""
        found = [one for kept in self._versions.all() if (one := self._made(kept)).due_at]
        return sorted(found, key=lambda one: (one.due_at, one.id))

    def ran(
        self, of: int | str, status: Outcome = "ok", *, summary: str | None = None, at: Moment | None = None,
        notified: bool = False, redact: bool = False,
    ) -> Skill:  # fmt: skip
        """Say how a run went, and whether the user was told of it."""
        now = self._view.clock()
        when = first_moment(now if at is None else at, "at", now)
        if when > now:
            raise Invalid("A run lies in the past; give its time, or leave it out for now.")
        told = None if summary is None else long_text("summary", summary, limits.CONTEXT_CHARACTERS)
        outcome = {
            "last_run_at": when.isoformat(),
            "last_run_status": chosen(Outcome)("status", status, now),
            "last_run_summary": self._view.allowed(told, redact) or None,
        }
        notice = {"last_notified_at": when.isoformat()} if notified else {}
        return self._made(self._versions.change_state(of, lambda state: {**state, **outcome, **notice}))

    def read(self, path: str | Path) -> Skill:
        """Take in a SKILL.md, or the folder that holds one: a new skill, or the next version of the one of its name.

        What a file says is trusted as any file is: external.
        """
        fields = skill_files.read(Path(path))
        skills = Skills(replace(self._view, trust="external"))
        if skills.get(fields["name"]) is None:
            return skills._create(fields, READ, False)
        return skills._update(fields["name"], fields, READ, False)

    def write(self, of: int | str, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write a skill as a SKILL.md, at a path or in a folder; returns where it is."""
        return skill_files.write(self._versions.existing(of).data, Path(path), overwrite)

    def _known(self, fields: SkillFields) -> Skill | None:
        name = fields.get("name")
        known = self.get(name) if isinstance(name, str) else None
        return replace(known, remarks=(KNOWN.format(id=known.id),)) if known else None

    def _changed(self, data: Data, given: Mapping[str, Any]) -> Data:
        filled = {
            name: [] if value is None and name in ("required_tools", "plan") else value for name, value in given.items()
        }
        return with_trigger(data, filled, self._view.clock())

    def _made(self, kept: KeptRecord, remarks: Notes = ()) -> Skill:
        data, state = self._data(kept), kept.state
        del data["in_minutes"]  # is kept as `at`
        last_run_at = _moment(state.get("last_run_at"))
        return Skill(
            **record_fields(kept, remarks),
            **{
                **data,
                "at": _moment(data["at"]),
                "required_tools": tuple(data["required_tools"]),
                "plan": tuple(data["plan"]),
            },
            last_run_at=last_run_at,
            last_run_status=state.get("last_run_status"),
            last_run_summary=state.get("last_run_summary"),
            last_notified_at=_moment(state.get("last_notified_at")),
            due_at=due_at(data, last_run_at, kept.created_at, self._view.clock()),
        )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
