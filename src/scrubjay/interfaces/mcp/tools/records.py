"""Tools for records: the profile, contacts, projects, skills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrubjay.errors import Invalid, NotFound
from scrubjay.interfaces import records
from scrubjay.interfaces.mcp import replies
from scrubjay.interfaces.mcp.callers import caller
from scrubjay.interfaces.mcp.definition import Reply, Texts, given, row_count, tool
from scrubjay.memory.arguments import memory_id
from scrubjay.records import Contact, Contacts, Difference, Project, Projects, Skill, Skills, Version
from scrubjay.records.fields import ContactType, Outcome, ProjectStatus, ProjectType, Trigger
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types.agents import Priority

if TYPE_CHECKING:
    from scrubjay import Scrubjay

__all__ = ["TOOLS"]

Steps = list[dict[str, Any]]


def _each(*verbs: str) -> tuple[str, ...]:
    """The commands with these verbs, of every sort of record."""
    return tuple(f"{records} {verb}" for verb in verbs for records in ("contacts", "projects", "skills"))


@tool("read", answers="profile")
def profile_get(jay: Scrubjay, path: str | None = None, version: int | None = None) -> Reply:
    """Who the user is: all of the profile, or what is at a path such as preferences.tools[0]."""
    found = jay.profile.get(path, version=version)
    return Reply(replies.lines([records.value(found)]), {"path": path, "value": found})


@tool("read", "write", answers="profile set")
def profile_set(jay: Scrubjay, path: str, value: Any, reason: str | None = None) -> Reply:
    """Put a value at a path of the profile; each change is a version."""
    return _profile(jay.profile.set(path, value, reason=reason))


@tool("read", "write", answers="profile unset")
def profile_unset(jay: Scrubjay, path: str, reason: str | None = None) -> Reply:
    """Remove what is at a path of the profile."""
    return _profile(jay.profile.unset(path, reason=reason))


@tool("read", "write", answers="profile merge")
def profile_merge(jay: Scrubjay, data: dict[str, Any], reason: str | None = None) -> Reply:
    """Merge an object into the profile; null removes a key."""
    return _profile(jay.profile.merge(data, reason=reason))


@tool("read", answers=("profile history", "profile diff"))
def profile_history(jay: Scrubjay, first: int | None = None, second: int | None = None) -> Reply:
    """Versions of the profile; first: what that one changed; first and second: what differs."""
    if first is None:
        return _versions(jay.profile.history())
    return _differences(jay.profile.diff(first, second))


@tool("read", "write", answers="profile rollback")
def profile_rollback(jay: Scrubjay, version: int, reason: str | None = None) -> Reply:
    """Let the profile be as it was in a version."""
    return _profile(jay.profile.rollback(version, reason=reason))


@tool("write", answers="contacts create")
def contact_create(
    jay: Scrubjay, name: str, email: str | None = None, company: str | None = None, role: str | None = None,
    type: ContactType | None = None, notes: str | None = None,
) -> Reply:  # fmt: skip
    """Remember a person; an email is unique."""
    fields = given(email=email, company=company, role=role, type=type, notes=notes)
    return _stored("Contact", jay.contacts.create(name=name, **fields))


@tool("read", "write", answers="contacts update")
def contact_update(jay: Scrubjay, contact: int, fields: dict[str, Any], reason: str | None = None) -> Reply:
    """Change a contact; fields: as for contact_create, null empties one."""
    return _stored("Contact", jay.contacts.update(contact, **_own(fields), reason=reason))


@tool("read", answers="contacts")
def contact_list(
    jay: Scrubjay, name: str | None = None, email: str | None = None, company: str | None = None,
    type: ContactType | None = None, limit: int = 50,
) -> Reply:  # fmt: skip
    """People; a part of the name is enough."""
    wanted = given(name=name, email=email, company=company, type=type)
    found = jay.contacts.list(limit=row_count("limit", limit), **wanted)
    text = replies.lines(list(map(records.contact_line, found)), nothing="There are no contacts.")
    return Reply(text, {"contacts": found})


@tool("write", answers="projects create")
def project_create(
    jay: Scrubjay, name: str, status: ProjectStatus | None = None, type: ProjectType | None = None,
    description: str | None = None, primary_contact: int | None = None, participants: list[int] | None = None,
    company: str | None = None, priority: Priority | None = None, repository: str | None = None,
) -> Reply:  # fmt: skip
    """Remember a project; names are unique, contacts are ids. repository: host/owner/name, or . for this one."""
    fields = given(
        status=status, type=type, description=description, primary_contact=primary_contact, participants=participants,
        company=company, priority=priority, repository=repository,
    )  # fmt: skip
    return _stored("Project", jay.projects.create(name=name, **fields))


@tool("read", "write", answers="projects update")
def project_update(jay: Scrubjay, project: int, fields: dict[str, Any], reason: str | None = None) -> Reply:
    """Change a project; fields: as for project_create, null empties one."""
    return _stored("Project", jay.projects.update(project, **_own(fields), reason=reason))


@tool("read", answers="projects")
def project_list(
    jay: Scrubjay, status: ProjectStatus | None = None, type: ProjectType | None = None, company: str | None = None,
    contact: int | None = None, priority: Priority | None = None, limit: int = 50,
) -> Reply:  # fmt: skip
    """Projects; contact: of this person."""
    wanted = given(status=status, type=type, company=company, contact=contact, priority=priority)
    found = jay.projects.list(limit=row_count("limit", limit), **wanted)
    text = replies.lines(list(map(records.project_line, found)), nothing="There are no projects.")
    return Reply(text, {"projects": found})


@tool("read", "write", answers="projects set-source")
def project_set_source(
    jay: Scrubjay, project: int, system: str, external_id: str | None = None, external_name: str | None = None,
    status: Outcome | None = None,
) -> Reply:  # fmt: skip
    """Say which outside system holds a project, and how a check of it went."""
    about = given(external_id=external_id, external_name=external_name, status=status)
    source = jay.projects.set_source(project, system, **about)
    return Reply(replies.lines([records.source_line(source)]), source)


@tool("read", "write", answers="projects remove-source")
def project_remove_source(jay: Scrubjay, project: int, system: str) -> Reply:
    """Say that a system does not hold a project any more."""
    return _stored("Project", jay.projects.remove_source(project, system))


@tool("read", answers="projects sources")
def project_sources(jay: Scrubjay, project: int | None = None, system: str | None = None) -> Reply:
    """Which outside systems hold projects, and how the last check went."""
    found = jay.projects.sources(project, system=system)
    text = replies.lines(list(map(records.source_line, found)), nothing="No outside system holds a project.")
    return Reply(text, {"sources": found})


@tool("write", answers="skills create")
def skill_create(
    jay: Scrubjay, name: str, instructions: str, description: str | None = None, trigger: Trigger | None = None,
    schedule: str | None = None, timezone: str | None = None, interval_minutes: int | None = None,
    at: str | None = None, in_minutes: int | None = None, event: str | None = None,
    required_tools: Texts | None = None, plan: Steps | None = None, max_steps: int | None = None,
    notify_on_completion: bool | None = None, notify_interval_minutes: int | None = None, enabled: bool | None = None,
) -> Reply:  # fmt: skip
    """Remember how to do something, and when: a cron schedule, an interval, a time, or an event. plan: steps {id, tool,
    parameters, depends_on}."""
    fields = given(
        description=description, trigger=trigger, schedule=schedule, timezone=timezone, at=at, in_minutes=in_minutes,
        interval_minutes=interval_minutes, event=event, required_tools=required_tools, plan=plan, max_steps=max_steps,
        notify_on_completion=notify_on_completion, notify_interval_minutes=notify_interval_minutes, enabled=enabled,
    )  # fmt: skip
    return _stored("Skill", jay.skills.create(name=name, instructions=instructions, **fields))


@tool("read", "write", answers="skills update")
def skill_update(jay: Scrubjay, skill: int, fields: dict[str, Any], reason: str | None = None) -> Reply:
    """Change a skill; fields: as for skill_create, null empties one."""
    return _stored("Skill", jay.skills.update(skill, **_own(fields), reason=reason))


@tool("read", answers=("skills", "skills due"))
def skill_list(
    jay: Scrubjay, due: bool = False, enabled: bool | None = None, trigger: Trigger | None = None, limit: int = 50
) -> Reply:
    """What you know how to do; due: only what should be done now. Say how it went with skill_ran."""
    most, wanted = row_count("limit", limit), given(enabled=enabled, trigger=trigger)
    found = jay.skills.due()[:most] if due else jay.skills.list(limit=most, **wanted)
    nothing = "No skill is due." if due else "There are no skills."
    return Reply(replies.lines(list(map(records.skill_line, found)), nothing=nothing), {"skills": found})


@tool("read", "write", answers="skills ran")
def skill_ran(
    jay: Scrubjay, skill: int, status: Outcome = "ok", summary: str | None = None, notified: bool = False
) -> Reply:
    """Say how a run of a skill went, and whether the user was told."""
    return _stored("Skill", jay.skills.ran(skill, status, summary=summary, notified=notified))


@tool("read", answers=_each("get"))
def record_get(jay: Scrubjay, id: int) -> Reply:
    """A contact, project or skill in full; the id of a memory that was found leads to it."""
    found = _collection(jay, id).get(id)
    if found is None:
        raise NotFound(f"There is no record {id} in space {jay.space!r}.")
    return Reply(replies.lines([records.card(found)]), found)


@tool("read", "write", answers=_each("delete"), destroys=True)
def record_delete(jay: Scrubjay, id: int) -> Reply:
    """Delete a contact, project or skill. Only when the user asks."""
    collection = _collection(jay, id)
    gone = collection.delete(id)
    text = f"Deleted {collection.noun.name} {gone.id}; `scrubjay undelete {gone.memory}` restores it."
    return Reply(text, gone)


@tool("read", answers=_each("history", "diff"))
def record_history(jay: Scrubjay, id: int, first: int | None = None, second: int | None = None) -> Reply:
    """Versions of a contact, project or skill; first: what that one changed; first and second: what differs."""
    if first is None:
        return _versions(_collection(jay, id).history(id))
    return _differences(_collection(jay, id).diff(id, first, second))


@tool("read", "write", answers=_each("rollback"))
def record_rollback(jay: Scrubjay, id: int, version: int, reason: str | None = None) -> Reply:
    """Let a contact, project or skill be as it was in a version."""
    collection = _collection(jay, id)
    return _stored(collection.noun.name.capitalize(), collection.rollback(id, version, reason=reason))


def _collection(jay: Scrubjay, id: int) -> Contacts | Projects | Skills:
    """The contacts, projects or skills, by what a memory tells."""
    noun = jay.view.store.records.noun_of(jay.space, memory_id(id))
    if noun == "profile":
        raise Invalid(f"{id} tells the profile; the tools for that begin with profile_.")
    if noun is None:
        raise NotFound(f"There is no record {id} in space {jay.space!r}.")
    collections: dict[str, Contacts | Projects | Skills]
    collections = {"contact": jay.contacts, "project": jay.projects, "skill": jay.skills}
    return collections[noun]


def _own(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record; what else a method takes is none of them."""
    if taken := sorted({"of", "reason", "redact"} & set(fields)):
        raise Invalid(f"A record has no field {quoted(taken[0])}.")
    return fields


def _stored(noun: str, record: Contact | Project | Skill) -> Reply:
    """A caller that may not read gets the id, and nothing else."""
    if not caller().may("read"):
        return Reply(f"{noun} {record.id} is stored.", record)
    text = f"{noun} {record.id} is at version {record.version}."
    return Reply("\n".join([text, *replies.note_lines(record.remarks)]), record)


def _profile(version: Version) -> Reply:
    text = f"The profile is at version {version.version}."
    return Reply("\n".join([text, *replies.note_lines(version.remarks)]), version)


def _versions(found: list[Version]) -> Reply:
    text = replies.lines(list(map(records.version_line, found)), nothing="There is no version yet.")
    return Reply(text, {"versions": found})


def _differences(found: list[Difference]) -> Reply:
    return Reply(replies.lines([records.differences(found)]), {"differences": found})


TOOLS = (
    profile_get, profile_set, profile_unset, profile_merge, profile_history, profile_rollback,
    contact_create, contact_update, contact_list,
    project_create, project_update, project_list, project_set_source, project_remove_source, project_sources,
    skill_create, skill_update, skill_list, skill_ran,
    record_get, record_delete, record_history, record_rollback,
)  # fmt: skip
