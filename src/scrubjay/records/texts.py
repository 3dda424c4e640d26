"""Records as texts that a search finds. Whom a project involves is not among them: people are contacts of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scrubjay.records.nested.paths import Step, leaves, written

__all__ = ["contact_text", "profile_text", "project_text", "skill_text"]

EMPTY_PROFILE = "The profile is empty."


def profile_text(data: Mapping[str, Any]) -> str:
    """A line for each value that is not empty; a list of plain values is one line."""
    lines = [
        f"{written(path)}: {_plain(value)}" for path, value in _values(data, ()) if value not in (None, "", [], {})
    ]
    return "\n".join(lines) or EMPTY_PROFILE


def contact_text(data: Mapping[str, Any]) -> str:
    """Ann Lee, CTO at Initech. Email: ann@example.org. Work contact. Then what the notes say."""
    company = f"at {data['company']}" if data.get("company") else None
    who = " ".join(filter(None, (data.get("role"), company)))
    name = ", ".join(filter(None, (data["name"], who)))
    email = f"Email: {data['email']}." if data.get("email") else None
    return _lines([_sentences([f"{name}.", email, f"{str(data['type']).capitalize()} contact."]), data.get("notes")])


def project_text(data: Mapping[str, Any]) -> str:
    """Orion: active work project, high priority. Company: Initech. Held in Jira (ORI). Then what it is."""
    priority = f", {data['priority']} priority" if data.get("priority") else ""
    first = f"{data['name']}: {data['status']} {data['type']} project{priority}."
    company = f"Company: {data['company']}." if data.get("company") else None
    repository = f"Repository: {data['repository']}." if data.get("repository") else None
    about = _sentences([first, company, repository, *map(_source, data.get("sources", ()))])
    return _lines([about, data.get("description")])


def skill_text(data: Mapping[str, Any]) -> str:
    """The name, when it is due, what it does, its instructions, tools and steps."""
    when = ", ".join(_plain(data[name]) for name in ("schedule", "timezone", "at", "event") if data.get(name))
    every = f"every {data['interval_minutes']} minutes" if data.get("interval_minutes") else ""
    trigger = " ".join(filter(None, (data["trigger"], when, every)))
    off = "" if data["enabled"] else ", not enabled"
    tools = f"Tools: {', '.join(data['required_tools'])}." if data.get("required_tools") else None
    steps = [f"Step {step['id']}: {step['tool']}." for step in data.get("plan", ())]
    head = f"{data['name']}: skill ({trigger}{off})."
    return _lines([head, data.get("description"), data["instructions"], tools, *steps])


def _source(source: Mapping[str, Any]) -> str:
    there = ", ".join(filter(None, (source.get("external_name"), source.get("external_id"))))
    return f"Held in {source['system']}{f' ({there})' if there else ''}."


def _lines(parts: Iterable[str | None]) -> str:
    return "\n".join(filter(None, parts))


def _sentences(parts: Iterable[str | None]) -> str:
    return " ".join(filter(None, parts))


def _values(data: Any, path: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], Any]]:
    if isinstance(data, list) and not any(isinstance(item, dict | list) for item in data):
        yield path, data
    elif isinstance(data, dict | list) and data:
        items = data.items() if isinstance(data, dict) else enumerate(data)
        for step, value in items:
            yield from _values(value, (*path, step))
    else:
        yield from leaves(data, path)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
