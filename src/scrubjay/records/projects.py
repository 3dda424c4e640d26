"""Projects: what the user works on, with whom, in which repository, and which outside systems hold them."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Unpack

from scrubjay.dates.arguments import first_moment
from scrubjay.dates.timestamps import Moment
from scrubjay.errors import Invalid, NotFound
from scrubjay.memory.arguments import short_text
from scrubjay.memory.fields import with_full_signatures
from scrubjay.project.identity import identity_of
from scrubjay.records.checks import chosen
from scrubjay.records.collection import Collection
from scrubjay.records.contacts import Contacts
from scrubjay.records.fields import PROJECT_FIELDS, Outcome, ProjectFields, ProjectStatus, ProjectType
from scrubjay.records.texts import project_text
from scrubjay.records.versions import Data, Notes, Noun, Record, Versions, record_fields
from scrubjay.stores import KeptRecord
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types.agents import Priority
from scrubjay.types.limits import is_id

__all__ = ["Project", "ProjectSource", "Projects"]

HERE = "."  # the repository that the caller works in
SOURCE_FIELDS = ("external_id", "external_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSource:
    """An outside system that holds a project."""

    project: int
    project_name: str
    system: str
    external_id: str | None = None  # of the project, there
    external_name: str | None = None
    status: Outcome = "unknown"  # of the last check
    checked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project(Record):
    """Something that the user works on."""

    name: str
    status: ProjectStatus = "active"
    type: ProjectType = "work"
    description: str | None = None
    primary_contact: int | None = None  # id of a contact
    participants: tuple[int, ...] = ()
    company: str | None = None
    priority: Priority | None = None
    repository: str | None = None  # the identity that memories of its folder have as their project
    sources: tuple[ProjectSource, ...] = ()


EMPTY: Data = {
    "status": "active", "type": "work", "description": None, "primary_contact": None, "participants": [],
    "company": None, "priority": None, "repository": None, "sources": [],
}  # fmt: skip


@with_full_signatures
class Projects(Collection[Project]):
    """The projects of one space. Each change is a version."""

    noun = Noun(
        name="project",
        command="projects",
        text=project_text,
        key=lambda data: data["name"].casefold(),
        subject=lambda data: data["name"],
        project=lambda data: data.get("repository"),
    )
    fields = PROJECT_FIELDS
    empty = EMPTY

    def create(self, *, reason: str | None = None, redact: bool = False, **fields: Unpack[ProjectFields]) -> Project:
        """Remember a project. A name is needed, and no other project of the space may have it."""
        return self._create(fields, reason, redact)

    def update(
        self, of: int | str, *, reason: str | None = None, redact: bool = False, **fields: Unpack[ProjectFields]
    ) -> Project:
        """Change fields; None empties one."""
        return self._update(of, fields, reason, redact)

    def here(self) -> Project | None:
        """The project whose repository the caller works in."""
        place = self._view.project
        kept = (one for one in self._versions.all() if place and one.data.get("repository") == place)
        return next(map(self._made, kept), None)

    def list(
        self, *, status: ProjectStatus | None = None, type: ProjectType | None = None, company: str | None = None,
        contact: int | str | None = None, priority: Priority | None = None, limit: int = 50,
    ) -> builtins.list[Project]:  # fmt: skip
        """By name; `contact` is the primary one, or a participant."""
        exact = {"status": status, "type": type, "priority": priority}
        asked = {**exact, "company": company}
        self._given({field: value for field, value in asked.items() if value is not None}, False)
        person = None if contact is None else Contacts(self._view)._versions.existing(contact).id

        def wanted(one: Project) -> bool:
            return (
                all(value is None or getattr(one, name) == value for name, value in exact.items())
                and (company is None or (one.company or "").casefold() == company.casefold())
                and (person is None or person in (one.primary_contact, *one.participants))
            )

        return self._matching(wanted, lambda one: (one.name.casefold(), one.id), limit)

    # Sources

    def set_source(
        self, of: int | str, system: str, *, external_id: str | None = None, external_name: str | None = None,
        status: Outcome | None = None, checked_at: Moment | None = None, reason: str | None = None,
        redact: bool = False,
    ) -> ProjectSource:  # fmt: skip
        """Say which system holds a project, or how the last check of it went. What is not given stays as it is."""
        now, name = self._view.clock(), self._allowed_text("system", system, redact)
        given = {"external_id": external_id, "external_name": external_name}
        own = {key: self._allowed_text(key, value, redact) for key, value in given.items() if value is not None}
        state = {} if status is None else {"status": chosen(Outcome)("status", status, now)}
        if status is not None or checked_at is not None:
            state["checked_at"] = first_moment(checked_at or now, "checked_at", now).isoformat()
        changed = partial(_with_source, system=name, own=own)
        checked = partial(_with_check, system=name, check=state)
        record, _ = self._versions.change(of, changed, reason, redact, checked)
        return next(one for one in self._made(record).sources if one.system == name)

    def remove_source(self, of: int | str, system: str, *, reason: str | None = None) -> Project:
        """Say that a system does not hold a project any more."""
        system = short_text("system", system)
        if system not in [one["system"] for one in self._versions.existing(of).data.get("sources", ())]:
            raise NotFound(f"The project is not held in {quoted(system)}.")
        return self._made(*self._versions.change(of, lambda data: _without_source(data, system), reason))

    def sources(self, of: int | str | None = None, *, system: str | None = None) -> builtins.list[ProjectSource]:
        """Which systems hold projects: one, or all."""
        kept = self._versions.all() if of is None else [self._versions.existing(of)]
        found = [source for one in map(self._made, kept) for source in one.sources]
        return [one for one in found if system is None or one.system == system]

    def _allowed_text(self, name: str, value: Any, redact: bool) -> str:
        return short_text(name, self._view.allowed(short_text(name, value), redact))

    def _given(self, fields: Mapping[str, Any], redact: bool) -> dict[str, Any]:
        """With the uids of contacts, and the identity of the repository."""
        given = super()._given(fields, redact)
        if given.get("primary_contact") is not None:
            given["primary_contact"] = self._contact(given["primary_contact"])
        if "participants" in given:
            given["participants"] = self._contacts(given["participants"] or ())
        if given.get("repository"):
            given["repository"] = self._repository(given["repository"])
        return given

    def _contact(self, of: int | str) -> str:
        return Versions(self._view, Contacts.noun).existing(int(of) if isinstance(of, str) and is_id(of) else of).record

    def _contacts(self, of: Sequence[int | str]) -> builtins.list[str]:
        return list(dict.fromkeys(map(self._contact, of)))

    def _repository(self, given: str) -> str:
        if given != HERE:
            if identity := identity_of(given):
                return identity
            raise Invalid(
                f"{quoted(given)} is no repository; write its address, e.g. github.com/ann/orion, or its path."
            )
        if self._view.project is None:
            raise Invalid("You are in no repository; name it, e.g. github.com/ann/orion.")
        return self._view.project

    def _changed(self, data: Data, given: Mapping[str, Any]) -> Data:
        after = {**data, **given}
        repository = after.get("repository")
        if repository and repository != data.get("repository"):
            for one in self._versions.all():
                if one.data.get("repository") == repository:
                    raise Invalid(f"Project {one.id} has this repository already; update that one.")
        return after

    def _made(self, kept: KeptRecord, remarks: Notes = ()) -> Project:
        data = self._data(kept)
        named = [data["primary_contact"], *data["participants"]]
        ids = self._view.store.records.named(self._view.space, [uid for uid in named if uid])
        made = Project(
            **record_fields(kept, remarks),
            **{
                **data,
                "primary_contact": ids.get(data["primary_contact"]),
                "participants": tuple(ids[uid] for uid in data["participants"] if uid in ids),
                "sources": (),
            },
        )
        return replace(made, sources=_sources(kept, made))


def _sources(kept: KeptRecord, project: Project) -> tuple[ProjectSource, ...]:
    checks = kept.state.get("sources") or {}
    return tuple(_source(one, checks.get(one["system"], {}), project) for one in kept.data.get("sources", ()))


def _source(source: Mapping[str, Any], check: Mapping[str, Any], project: Project) -> ProjectSource:
    checked_at = check.get("checked_at")
    return ProjectSource(
        project=project.id,
        project_name=project.name,
        system=source["system"],
        external_id=source.get("external_id"),
        external_name=source.get("external_name"),
        status=check.get("status", "unknown"),
        checked_at=datetime.fromisoformat(checked_at) if checked_at else None,
    )


def _with_source(data: Data, system: str, own: Mapping[str, Any]) -> Data:
    sources = data.get("sources", [])
    known = [one for one in sources if one["system"] == system]
    new = {"system": system, **dict.fromkeys(SOURCE_FIELDS), **(known[0] if known else {}), **own}
    others = [new if one["system"] == system else one for one in sources]
    return {**data, "sources": others if known else [*sources, new]}


def _with_check(state: Data, system: str, check: Mapping[str, Any]) -> Data:
    checks = state.get("sources") or {}
    return {**state, "sources": {**checks, system: {**checks.get(system, {}), **check}}}


def _without_source(data: Data, system: str) -> Data:
    return {**data, "sources": [one for one in data.get("sources", ()) if one["system"] != system]}
