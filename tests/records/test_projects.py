"""Projects: their people, their repository, and the outside systems that hold them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scrubjay import Invalid, NotFound, Project, Scrubjay
from tests.support.clock import Clock

REPOSITORY = "github.com/ann/orion"


@pytest.fixture
def ann(jay: Scrubjay) -> int:
    return jay.contacts.create(name="Ann", email="ann@example.org").id


def names(found: list[Project]) -> list[str]:
    return [one.name for one in found]


def test_every_field_that_is_given_comes_back(jay: Scrubjay, ann: int) -> None:
    ben = jay.contacts.create(name="Ben").id
    fields: Any = {
        "name": "Orion", "status": "paused", "type": "personal", "description": "Charts of stars",
        "primary_contact": ann, "participants": (ben, ann), "company": "Initech", "priority": "high",
        "repository": REPOSITORY,
    }  # fmt: skip
    made = jay.projects.create(**fields)
    assert {name: getattr(made, name) for name in fields} == fields
    assert jay.projects.get("ORION") == jay.projects.get(made.id) == made
    least = jay.projects.create(name="Vega")
    assert (least.status, least.type, least.priority, least.participants) == ("active", "work", None, ())


def test_a_project_is_found_as_a_memory_without_naming_people(jay: Scrubjay, ann: int) -> None:
    made = jay.projects.create(name="Orion", description="Charts of stars", priority="low", primary_contact=ann)
    jay.projects.set_source(made.id, "Jira", external_id="ORI")
    (hit,) = jay.search("charts of stars", kinds=["project"])
    assert hit.memory.text == "Orion: active work project, low priority. Held in Jira (ORI).\nCharts of stars"
    found = jay.projects.get(hit.memory.id)
    assert found is not None and found.id == made.id


def test_contacts_are_named_by_id_or_email_and_a_deleted_one_is_left_out(jay: Scrubjay, ann: int) -> None:
    made = jay.projects.create(name="Orion", primary_contact="ann@example.org", participants=["ann@example.org"])
    assert (made.primary_contact, made.participants) == (ann, (ann,))
    jay.contacts.delete(ann)
    found = jay.projects.get(made.id)
    assert found is not None and (found.primary_contact, found.participants, found.version) == (None, (), 1)
    jay.undelete(ann)
    assert jay.projects.list(contact=ann)[0].primary_contact == ann


def test_projects_are_listed_by_name_and_filtered(jay: Scrubjay, ann: int) -> None:
    jay.projects.create(name="Vega", status="completed", type="personal", company="Globex")
    jay.projects.create(name="orion", participants=[ann], priority="high", company="Initech")
    assert names(jay.projects.list()) == ["orion", "Vega"]
    assert names(jay.projects.list(status="completed")) == ["Vega"] == names(jay.projects.list(type="personal"))
    assert names(jay.projects.list(company="INITECH")) == ["orion"] == names(jay.projects.list(priority="high"))
    assert names(jay.projects.list(contact="ann@example.org")) == ["orion"]
    assert names(jay.projects.list(limit=1)) == ["orion"]


@pytest.mark.parametrize(
    "address",
    ["git@github.com:Ann/Orion.git", "https://github.com/ann/orion", "github.com/ann/orion", "GitHub.com/Ann/Orion"],
)
def test_a_repository_is_its_identity_however_it_is_written(jay: Scrubjay, address: str) -> None:
    assert jay.projects.create(name="Orion", repository=address).repository == REPOSITORY


def test_the_record_and_the_work_in_its_folder_are_one_thing(reopen: Callable[..., Scrubjay]) -> None:
    with reopen(embedder="hashing", project=REPOSITORY) as jay:
        made = jay.projects.create(name="Orion", repository=".", description="Charts of stars")
        jay.add("We use pnpm", kind="convention")
        here = jay.projects.here()
        assert here is not None and here.id == made.id and here.repository == REPOSITORY
        assert {memory.kind for memory in jay.list(project=REPOSITORY)} == {"project", "convention"}
        assert "Orion: active work project." in jay.context().text
    with reopen(embedder="hashing", project="github.com/ann/vega") as jay:
        assert jay.projects.here() is None and "Orion" not in jay.context().text


def test_a_source_is_set_once_for_a_project_and_a_system(jay: Scrubjay, clock: Clock) -> None:
    made = jay.projects.create(name="Orion")
    first = jay.projects.set_source("orion", "jira", external_id="ORI", external_name="Orion board")
    assert (first.status, first.checked_at, first.project, first.project_name) == ("unknown", None, made.id, "Orion")
    clock.pass_(hours=1)
    second = jay.projects.set_source(made.id, "jira", status="warning")
    assert (second.external_id, second.status, second.checked_at) == ("ORI", "warning", clock.now)
    jay.projects.set_source(made.id, "github", status="ok", checked_at="2026-04-30T10:00Z")
    assert [(one.system, one.status) for one in jay.projects.sources()] == [("jira", "warning"), ("github", "ok")]
    assert [one.system for one in jay.projects.sources("Orion", system="github")] == ["github"]


def test_a_check_is_no_version_but_another_system_is(jay: Scrubjay) -> None:
    made = jay.projects.create(name="Orion")
    jay.projects.set_source(made.id, "jira")
    for status in ("ok", "error", "ok"):
        jay.projects.set_source(made.id, "jira", status=status)
    assert len(jay.projects.history(made.id)) == 2
    assert jay.projects.remove_source(made.id, "jira", reason="moved").sources == ()
    assert jay.projects.rollback(made.id, 2).sources[0].status == "ok"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda jay: jay.projects.create(name="ORION"), r"of this name already \(2\)"),
        (lambda jay: jay.projects.create(name="X", primary_contact=9), "There is no contact 9"),
        (lambda jay: jay.projects.create(name="X", primary_contact=2), "There is no contact 2"),
        (lambda jay: jay.projects.create(name="X", participants=[1, "b@example.org"]), "no contact b@example.org"),
        (lambda jay: jay.projects.create(name="X", participants="ann@example.org"), "participants is a list"),
        (lambda jay: jay.projects.create(name="X", status="stopped"), "must be one of active, paused, completed"),
        (lambda jay: jay.projects.create(name="X", priority="medium"), "must be one of high, normal, low"),
        (lambda jay: jay.projects.create(name="X", repository="."), "You are in no repository"),
        (
            lambda jay: jay.projects.create(name="X", repository="not a repo"),
            "'not a repo' is no repository; write its",
        ),
        (lambda jay: jay.projects.create(name="X", repository="orion"), "'orion' is no repository"),
        (lambda jay: jay.projects.create(name="X", repository="../orion"), "'../orion' is no repository"),
        (lambda jay: jay.projects.update("Orion", repository="not a: repo"), "'not a: repo' is no repository"),
        (lambda jay: jay.projects.create(name="X", repository="git@github.com:ann/orion"), "Project 2 has this"),
        (lambda jay: jay.projects.create(), "name of a project cannot be empty"),
        (lambda jay: jay.projects.update("Orion"), "Nothing to update"),
        (lambda jay: jay.projects.set_source("Orion", " "), "system must be text"),
        (lambda jay: jay.projects.set_source("Orion", "jira", status="fine"), "must be one of ok, warning, error"),
        (lambda jay: jay.projects.set_source("Vega", "jira"), "There is no project Vega"),
        (lambda jay: jay.projects.remove_source("Orion", "jira"), "not held in 'jira'"),
        (lambda jay: jay.projects.sources("Vega"), "There is no project Vega"),
        (lambda jay: jay.projects.list(contact="x@example.org"), "There is no contact"),
        (
            lambda jay: jay.projects.create(name="X", primary_contact="9" * 5_000),
            "primary_contact is 5,000 characters long",
        ),
        (lambda jay: jay.projects.update("Orion", participants=["9" * 5_000]), "participants is 5,000 characters long"),
        (lambda jay: jay.projects.update(1, name="X"), "There is no project 1"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(
    jay: Scrubjay, ann: int, change: Callable[[Scrubjay], object], sentence: str
) -> None:
    jay.projects.create(name="Orion", repository=REPOSITORY)
    before = jay.projects.list(), jay.list(include_superseded=True)
    with pytest.raises((Invalid, NotFound), match=sentence) as refused:
        change(jay)
    assert "\n" not in str(refused.value)
    assert (jay.projects.list(), jay.list(include_superseded=True)) == before
