"""Two memories of one user that each have a profile, the same contact or the same project become one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import scrubjay
from scrubjay import Scrubjay
from tests.support.clock import Clock


@pytest.fixture
def other(tmp_path: Path, clock: Clock) -> Iterator[Scrubjay]:
    with scrubjay.open(tmp_path / "other.db", embedder="hashing", clock=clock) as opened:
        yield opened


def exchange(one: Scrubjay, other: Scrubjay, folder: Path) -> None:
    """Each is imported into the other, until there is no news."""
    for _ in range(2):
        one.export(folder / "one.jsonl")
        other.import_file(folder / "one.jsonl")
        other.export(folder / "other.jsonl")
        one.import_file(folder / "other.jsonl")


def versions(jay: Scrubjay) -> list[tuple[int, Any, str | None, bool]]:
    return [(one.version, one.data["name"], one.reason, one.holds) for one in jay.profile.history()]


def test_two_profiles_become_one_with_both_histories(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    for place, name, reason in ((jay, "Ann", "first"), (other, "Bea", "second"), (jay, "Ada", "third")):
        place.profile.set("name", name, reason=reason)
        clock.pass_(minutes=1)
    exchange(jay, other, tmp_path)
    expected = [(1, "Ann", "first", False), (2, "Bea", "second", False), (3, "Ada", "third", True)]
    assert versions(jay) == versions(other) == expected
    assert jay.profile.get("name") == other.profile.get("name") == "Ada"
    assert jay.profile.rollback(2).data["name"] == "Bea"
    assert jay.check(deep=True).problems == [] == other.check(deep=True).problems
    assert not other.import_file(tmp_path / "one.jsonl").changed


def test_changes_of_one_record_in_two_memories_are_all_in_its_history(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    jay.profile.set("name", "Ann", reason="first")
    jay.export(tmp_path / "start.jsonl")
    other.import_file(tmp_path / "start.jsonl")
    for place, name, reason in ((other, "Bea", "second"), (jay, "Ada", "third"), (other, "Cleo", "fourth")):
        clock.pass_(minutes=1)
        place.profile.set("name", name, reason=reason)
    exchange(jay, other, tmp_path)
    assert [(version, name) for version, name, *_ in versions(jay)] == [(1, "Ann"), (2, "Bea"), (3, "Ada"), (4, "Cleo")]
    assert versions(jay) == versions(other) and jay.profile.get("name") == "Cleo"


@pytest.mark.parametrize("numbers", [range(1, 100), range(100, 1, -1)], ids=["first is lesser", "first is greater"])
def test_a_project_keeps_its_people_when_two_contacts_become_one(
    jay: Scrubjay, other: Scrubjay, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, numbers: range
) -> None:
    """Of two records the one with the lesser uid stays, whichever memory it is from."""
    uids = iter(numbers)
    chosen = SimpleNamespace(urandom=lambda length: next(uids).to_bytes(length, "big"))
    monkeypatch.setattr("scrubjay.records.versions.os", chosen)
    for place, role in ((jay, "CTO"), (other, "CEO")):
        place.contacts.create(name="Ann", email="ann@example.org", role=role)
        place.projects.create(name=f"Project of the {role}", primary_contact="ann@example.org")
        clock.pass_(minutes=1)
    exchange(jay, other, tmp_path)
    for place in (jay, other):
        assert [one.role for one in place.contacts.list()] == ["CEO"]
        assert len(place.contacts.history("ann@example.org")) == 2
        assert [one.name for one in place.projects.list(contact="ann@example.org")] == [
            "Project of the CEO",
            "Project of the CTO",
        ]
    assert jay.check(deep=True).problems == [] == other.check(deep=True).problems
