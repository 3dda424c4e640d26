"""Formats records: tables and cards for people, one line each for agents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from scrubjay.dates.timestamps import in_local_time
from scrubjay.dates.timestamps import local_day as day
from scrubjay.interfaces.formatting import as_json, to_dict
from scrubjay.interfaces.table import name_value_lines, table
from scrubjay.records import Contact, Difference, Project, ProjectSource, Skill, Version
from scrubjay.text.safe_text import indented, one_line, visible

__all__ = [
    "LONG",
    "card",
    "contact_line",
    "contacts",
    "differences",
    "history",
    "project_line",
    "projects",
    "skill_line",
    "skills",
    "source_line",
    "sources",
    "value",
    "value_of",
    "version_line",
]

LONG = ("description", "instructions", "notes", "last_run_summary")  # are shown below the other fields
HIDDEN = ("uid", "remarks", "plan", "sources", *LONG)


def contacts(found: Sequence[Contact]) -> str:
    rows = [[str(one.id), one.name, one.email or "", one.role or "", one.company or "", one.type] for one in found]
    return table(["id", "name", "email", "role", "company", "type"], rows) or "There are no contacts."


def projects(found: Sequence[Project]) -> str:
    rows = [
        [str(one.id), one.name, one.status, one.type, one.priority or "", one.repository or one.description or ""]
        for one in found
    ]
    return table(["id", "name", "status", "type", "priority", "about"], rows) or "There are no projects."


def skills(found: Sequence[Skill]) -> str:
    rows = [
        [str(one.id), one.name, _when(one), _due(one), one.last_run_status or "", one.description or one.instructions]
        for one in found
    ]
    return table(["id", "name", "when", "due", "last run", "about"], rows) or "There are no skills."


def sources(found: Sequence[ProjectSource]) -> str:
    rows = [
        [
            str(one.project), one.project_name, one.system, one.external_id or "", one.status,
            day(one.checked_at) if one.checked_at else "never", one.external_name or "",
        ]
        for one in found
    ]  # fmt: skip
    heads = ["project", "name", "system", "id there", "status", "checked", "name there"]
    return table(heads, rows) or "No outside system holds a project."


def history(found: Sequence[Version]) -> str:
    rows = [
        [str(one.version), "is" if one.holds else "was", _minute(one), one.actor or "", one.reason or ""]
        for one in found
    ]
    return table(["version", "", "when", "by", "why"], rows) or "There is no version yet."


def differences(found: Sequence[Difference]) -> str:
    return "\n".join(map(_difference, found)) or "Nothing differs."


def card(record: Contact | Project | Skill) -> str:
    """All fields that are not empty, then its long texts and its steps."""
    values = to_dict(record)
    shown = {name: value for name, value in values.items() if name not in HIDDEN and value not in (None, [], "")}
    long = [f"{name.replace('_', ' ')}\n{indented(values[name])}" for name in LONG if values.get(name)]
    plan = "\n".join(map(_step, record.plan)) if isinstance(record, Skill) else ""
    held = sources(record.sources) if isinstance(record, Project) and record.sources else ""
    return "\n\n".join(filter(None, [name_value_lines(shown), *long, plan, held]))


def value(data: Any) -> str:
    """A value of the profile, as JSON: so no text can look like something else."""
    return as_json(data)


def value_of(text: str) -> Any:
    """What was typed for the profile: JSON, or else the text itself."""
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


def contact_line(one: Contact) -> str:
    about = ", ".join(filter(None, (one.name, one.role, one.company, one.email, one.type, one.notes)))
    return one_line(f"[{one.id}] {about}")


def project_line(one: Project) -> str:
    people = [f"contact {one.primary_contact}"] if one.primary_contact else []
    people += [f"participants {', '.join(map(str, one.participants))}"] if one.participants else []
    held = [f"held in {', '.join(source.system for source in one.sources)}"] if one.sources else []
    known = (one.name, one.status, one.type, one.priority, one.company, one.repository, *people, *held, one.description)
    return one_line(f"[{one.id}] {', '.join(filter(None, known))}")


def source_line(one: ProjectSource) -> str:
    there = ", ".join(filter(None, (one.external_id, one.external_name)))
    checked = f", checked {day(one.checked_at)}" if one.checked_at else ""
    return one_line(f"[{one.project}] {one.project_name} in {one.system} ({there}): {one.status}{checked}")


def skill_line(one: Skill) -> str:
    due = f", due {_due(one)}" if one.due_at else ""
    run = f", last run {one.last_run_status}" if one.last_run_status else ""
    return one_line(f"[{one.id}] {one.name}, {_when(one)}{due}{run}: {one.description or one.instructions}")


def version_line(one: Version) -> str:
    what = "is" if one.holds else "was"
    return one_line(f"{one.version} {what} {_minute(one)}, {one.actor or 'unknown'}: {one.reason or 'no reason'}")


def _when(one: Skill) -> str:
    if not one.enabled:
        return "disabled"
    every = f"every {one.interval_minutes} min" if one.interval_minutes else None
    at = f"{in_local_time(one.at):%Y-%m-%d %H:%M}" if one.at else None
    return " ".join(filter(None, (one.trigger, one.schedule, one.timezone, every, at, one.event)))


def _due(one: Skill) -> str:
    return f"{in_local_time(one.due_at):%Y-%m-%d %H:%M}" if one.due_at else ""


def _minute(one: Version) -> str:
    return f"{in_local_time(one.at):%Y-%m-%d %H:%M}"


def _difference(one: Difference) -> str:
    """+ added, - removed, ~ changed: with the values as JSON, on one line."""
    path = one_line(one.path)
    if one.what == "changed":
        return f"~ {path}: {_json(one.before)} → {_json(one.after)}"
    return f"+ {path}: {_json(one.after)}" if one.what == "added" else f"- {path}: {_json(one.before)}"


def _step(step: Mapping[str, Any]) -> str:
    after = ", ".join(map(str, step.get("depends_on") or ()))
    return one_line(f"step {step.get('id')}: {step.get('tool')}{f', after {after}' if after else ''}")


def _json(data: Any) -> str:
    return one_line(visible(json.dumps(data, ensure_ascii=False)))
