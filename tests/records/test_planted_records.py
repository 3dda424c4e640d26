"""Records with values that no door writes, put into a file or an export by somebody else: one sentence, everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay
from scrubjay.errors import Damaged, ScrubjayError
from scrubjay.stores.records import DATA, STATE

WRONG: tuple[Any, ...] = (5, "x", ["a"], [[1]], [None], {"a": 1}, {"jira": {"checked_at": "x"}}, 10**40, None)
DOORS: tuple[Callable[[Scrubjay], object], ...] = (
    lambda jay: jay.contacts.list(name="a", company="b"),
    lambda jay: jay.contacts.update("ann@example.org", role="CTO"),
    lambda jay: jay.projects.list(company="Initech"),
    lambda jay: jay.projects.sources(),
    lambda jay: jay.projects.update("Orion", priority="high"),
    lambda jay: jay.projects.set_source("Orion", "jira", status="ok"),
    lambda jay: jay.skills.list(),
    lambda jay: jay.skills.due(),
    lambda jay: jay.skills.ran("Weekly"),
    lambda jay: jay.skills.update("Weekly", enabled=True, description="Tells the news"),
    lambda jay: jay.profile.set("user_info.name", "Ann"),
    lambda jay: jay.timeline(),
)


@pytest.fixture
def store(path: Path) -> Path:
    with scrubjay.open(path, embedder="none") as jay:
        ann = jay.contacts.create(name="Ann", email="ann@example.org")
        jay.projects.create(name="Orion", participants=[ann.id])
        jay.projects.set_source("Orion", "jira", external_id="ORI", status="ok")
        jay.skills.create(name="Weekly", instructions="Tell the news.", schedule="0 9 * * 1")
        jay.skills.ran("Weekly")
        jay.profile.set("preferences.tools[0]", "uv")
    return path


def plant(store: Path, noun: str, column: str, name: str, value: Any) -> None:
    db = apsw.Connection(str(store))
    kept = json.loads(db.execute(f"select {column} from records where noun = ? order by id limit 1", (noun,)).get)
    changed = json.dumps(kept | {name: value})
    db.execute(f"update records set {column} = ? where noun = ?", (changed, noun))
    db.close()


@pytest.mark.parametrize(
    ("noun", "column", "name"),
    [
        (noun, column, name)
        for column, shapes in (("data", DATA), ("state", STATE))
        for noun, shape in shapes.items()
        for name in shape
    ],
)
def test_a_value_that_no_door_writes_is_one_sentence_at_every_door(
    store: Path, noun: str, column: str, name: str
) -> None:
    for value in WRONG:
        plant(store, noun, column, name, value)
        with scrubjay.open(store, embedder="none") as jay:
            for door in DOORS:
                with suppress(ScrubjayError):  # and nothing else
                    door(jay)


def test_such_a_record_is_found_by_a_deep_check_and_taken_out_by_a_repair(store: Path) -> None:
    plant(store, "contact", "data", "name", ["Ann"])
    with scrubjay.open(store, embedder="none") as jay:
        with pytest.raises(Damaged, match="contact 1 cannot be read"):
            jay.contacts.list()
        assert any("row 1 of records" in problem for problem in jay.check(deep=True).problems)
        jay.check(deep=True, repair=True)
        assert jay.contacts.list() == [] and [one.name for one in jay.projects.list()] == ["Orion"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("schedule", "every day"), ("schedule", "0 0 30 2 *"), ("timezone", "../../etc/passwd"), ("timezone", "Nowhere")],
)
def test_a_time_that_never_comes_keeps_no_other_skill_from_being_due(store: Path, name: str, value: str) -> None:
    plant(store, "skill", "data", name, value)
    with scrubjay.open(store, embedder="none") as jay:
        jay.skills.create(name="Now", instructions="Do it now.", in_minutes=0)
        assert [one.name for one in jay.skills.due()] == ["Now"]
        assert jay.skills.update("Weekly", schedule="0 9 * * 1", timezone=None).schedule == "0 9 * * 1"


def test_an_export_with_such_a_record_is_refused(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    with scrubjay.open(store, embedder="none") as jay:
        jay.export(file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    (contact,) = [line for line in lines if line.get("noun") == "contact"]
    contact["data"]["name"] = ["Ann"]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with scrubjay.open(tmp_path / "other.db", embedder="none") as jay:
        with pytest.raises(Invalid, match="those of no contact"):
            jay.import_file(file)
        assert jay.contacts.list() == []


def test_after_the_last_of_all_versions_a_change_is_one_sentence_and_a_repair_finds_it(store: Path) -> None:
    db = apsw.Connection(str(store))
    db.execute("update records set version = 9223372036854775807 where noun = 'contact'")
    db.close()
    with scrubjay.open(store, embedder="none") as jay:
        with pytest.raises(Damaged, match="A number is too large"):
            jay.contacts.update("ann@example.org", role="CTO")
        assert any("row 1 of records" in problem for problem in jay.check(deep=True).problems)
        jay.check(deep=True, repair=True)
        assert jay.contacts.create(name="Ann", email="ann@example.org").version == 1


def test_a_profile_that_no_program_could_read_again_is_one_sentence(store: Path) -> None:
    for value in ('{"a": NaN}', '{"a": 1e999}', '{"a":' * 900 + "1" + "}" * 900):
        db = apsw.Connection(str(store))
        db.execute("update records set data = ? where noun = 'profile'", (value,))
        db.close()
        with scrubjay.open(store, embedder="none") as jay, pytest.raises(Damaged):
            jay.profile.get()
