"""The store's rules about records: versions, keys, what tells them, and what becomes of them in the trash."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from scrubjay.errors import Invalid, NotFound
from scrubjay.stores import KeptRecord, NewMemory, NewVersion, Outdated, Store, open_store
from scrubjay.types import Memory
from tests.support.stored import NOW, SPACE, everything, later, made, put, step

ANN = "a" * 32
BEN = "b" * 32


def write(
    store: Store, data: dict[str, Any], *, record: str = ANN, key: str | None = None, text: str | None = None,
    at: datetime = NOW, **fields: Any,
) -> Memory:  # fmt: skip
    """Store the next version of a contact."""
    before = current(store, record)
    version = NewVersion(
        record, "contact", key, {**data, "type": "person"}, at, "me", "why", before.uid if before else None
    )
    told = made(text or f"Contact {data}", kind="contact", at=at, **fields)
    replaces = [step(before.memory.id, at)] if before else []
    return store.memories.put([NewMemory(told, replaces=replaces, version=version)], None)[0].memory


def current(store: Store, record: str = ANN) -> KeptRecord | None:
    return next((one for one in store.records.all(SPACE, "contact", NOW) if one.record == record), None)


def data_of(store: Store, record: str = ANN) -> Any:
    found = current(store, record)
    return None if found is None else {name: value for name, value in found.data.items() if name != "type"}


def test_each_change_is_a_version_and_the_last_one_holds(store: Store) -> None:
    first = write(store, {"name": "Ann"})
    second = write(store, {"name": "Anne"}, at=later(1))
    found = store.records.get(SPACE, "contact", first.id, NOW)
    assert found == store.records.get(SPACE, "contact", second.id, NOW)
    assert found and (found.id, found.version, found.memory.id) == (first.id, 2, second.id)
    assert (found.created_at, found.at, found.actor, found.reason) == (NOW, later(1), "me", "why")
    versions = store.records.versions(SPACE, ANN)
    assert [(one.version, one.data["name"]) for one in versions] == [(1, "Ann"), (2, "Anne")]
    assert store.memories.get([first.id], [SPACE], NOW)[first.id].superseded_by == second.id


def test_two_versions_that_say_the_same_are_told_by_one_memory(store: Store) -> None:
    first = write(store, {"name": "Ann"}, text="Ann")
    assert write(store, {"name": "Ann "}, text="Ann").id == first.id
    assert data_of(store) == {"name": "Ann "} and [one.version for one in store.records.versions(SPACE, ANN)] == [1, 2]


def test_a_version_made_from_an_older_one_is_outdated(store: Store) -> None:
    write(store, {"name": "Ann"})
    stale = NewVersion(ANN, "contact", None, {}, NOW, None, None, None)
    with pytest.raises(Outdated):
        store.memories.put([NewMemory(made("Nobody", kind="contact"), version=stale)], None)
    assert data_of(store) == {"name": "Ann"} and len(store.records.versions(SPACE, ANN)) == 1


def test_no_two_current_records_have_the_same_key(store: Store) -> None:
    write(store, {"name": "Ann"}, key="ann@example.org")
    with pytest.raises(Invalid, match=r"a contact with this email already \(1\)"):
        write(store, {"name": "Ben"}, record=BEN, key="ann@example.org")
    assert current(store, BEN) is None
    write(store, {"name": "Ann"}, key="anne@example.org", text="Ann, moved")
    write(store, {"name": "Ben"}, record=BEN, key="ann@example.org")
    found = store.records.find(SPACE, "contact", "ann@example.org", NOW)
    assert found and found.record == BEN
    with pytest.raises(Invalid, match="update that one"):
        store.revisions.undo(1, [SPACE], later(5), None, None, "user")
    assert data_of(store) == {"name": "Ann"} and store.records.find(SPACE, "contact", "anne@example.org", NOW)


def test_two_records_cannot_be_told_by_the_same_memory(store: Store) -> None:
    write(store, {"name": "Ann"}, text="Ann")
    with pytest.raises(Invalid, match="of another record"):
        write(store, {"name": "Ann"}, record=BEN, text="Ann")


def test_only_the_next_version_takes_the_place_of_a_record(store: Store) -> None:
    told, other = write(store, {"name": "Ann"}), put(store, "Ann left")
    with pytest.raises(Invalid, match=r"tells contact 1; change that with `contacts`"):
        store.revisions.link(told.id, other.id, [SPACE], step(told.id))
    with pytest.raises(Invalid, match="tells contact 1"):
        store.revisions.retire(told.id, [SPACE], step(told.id))
    (stored,) = store.memories.put([NewMemory(made("Ann has left"), supersedes=step(told.id))], None)
    assert stored.replaced is None and "tells contact 1" in str(stored.problem)
    assert data_of(store) == {"name": "Ann"}


def test_what_follows_from_a_record_is_not_changed_at_its_memory(store: Store) -> None:
    told = write(store, {"name": "Ann"})
    with pytest.raises(Invalid, match="tells contact 1"):
        store.memories.change(told.id, [SPACE], lambda memory: replace(memory, subject="Ben"))
    assert store.memories.change(told.id, [SPACE], lambda memory: replace(memory, tags=("x",))).tags == ("x",)


def test_reverting_the_memory_brings_the_version_before_back(store: Store) -> None:
    write(store, {"name": "Ann"})
    second = write(store, {"name": "Anne"})
    store.revisions.undo(second.id, [SPACE], later(1), None, None, "user")
    assert data_of(store) == {"name": "Ann"}
    write(store, {"name": "Anna"})
    assert data_of(store) == {"name": "Anna"}
    assert [one.version for one in store.records.versions(SPACE, ANN)] == [1, 2, 3]


def test_a_record_is_deleted_and_restored_with_all_its_versions(store: Store) -> None:
    for name in ("Ann", "Anne", "Anna"):
        last = write(store, {"name": name}, key="ann@example.org")
    before = store.records.versions(SPACE, ANN)
    store.trash.put([last.id], [SPACE], NOW)
    assert current(store) is None and store.records.versions(SPACE, ANN) == []
    assert len(store.trash.all(SPACE)) == 3
    for id in (1, 2, 3):
        assert store.memories.get([id], [SPACE], NOW) == {}
    assert store.trash.take_out(1, [SPACE], NOW, "user").id == last.id
    assert data_of(store) == {"name": "Anna"} and store.trash.all(SPACE) == []
    assert [one.uid for one in store.records.versions(SPACE, ANN)] == [one.uid for one in before]
    assert [one.memory.superseded_by for one in store.records.versions(SPACE, ANN)] == [2, 3, None]


def test_a_deleted_record_does_not_come_back_beside_one_of_the_same_key(store: Store) -> None:
    told = write(store, {"name": "Ann"}, key="ann@example.org")
    store.trash.put([told.id], [SPACE], NOW)
    write(store, {"name": "Ben"}, record=BEN, key="ann@example.org")
    with pytest.raises(Invalid, match="update that one"):
        store.trash.take_out(told.id, [SPACE], NOW, "user")
    assert current(store) is None and len(store.trash.all(SPACE)) == 1


def test_another_space_neither_sees_nor_deletes_a_record(store: Store) -> None:
    told = write(store, {"name": "Ann"})
    write(store, {"name": "Anne"})
    assert store.records.get("other", "contact", told.id, NOW) is None
    assert store.records.versions("other", ANN) == [] and store.records.all("other", "contact", NOW) == []
    with pytest.raises(NotFound, match=r"no memory 1 in space"):
        store.trash.put([told.id], ["other"], NOW)
    with pytest.raises(NotFound):
        store.records.change_state("other", ANN, lambda state: {})


def test_the_state_of_a_record_has_no_versions_and_outlives_them(store: Store) -> None:
    write(store, {"name": "Ann"})
    store.records.change_state(SPACE, ANN, lambda state: {**state, "seen": 1})
    second = write(store, {"name": "Anne"})
    store.records.change_state(SPACE, ANN, lambda state: {**state, "seen": state["seen"] + 1})
    store.revisions.undo(second.id, [SPACE], later(1), None, None, "user")
    found = current(store)
    assert found and found.version == 1 and found.state == {"seen": 2}


def test_versions_and_deletions_are_events(store: Store) -> None:
    write(store, {"name": "Ann"})
    last = write(store, {"name": "Anne"}, at=later(1))
    events = store.sessions.events(everything(include_superseded=True), SPACE, 10, False)
    assert [(event.what, event.at) for event in events] == [("contact updated", later(1)), ("contact created", NOW)]
    store.trash.put([last.id], [SPACE], later(2))
    (event,) = store.sessions.events(everything(include_superseded=True), SPACE, 10, False)
    assert (event.what, event.detail, event.at) == ("contact deleted", "1", later(2))


def test_what_was_written_over_is_found_and_dropped_by_a_repair(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "memory.db"))
    write(store, {"name": "Ann"})
    with store._engine.writing() as rows:
        rows.run("update records set data = '['")
    (problem,) = store.maintenance.check(True, False, NOW).problems
    assert "row 1 of records cannot be read" in problem
    store.maintenance.check(True, True, NOW)
    assert store.records.versions(SPACE, ANN) == []
    store.close()


def test_no_version_of_a_record_is_evicted_for_room(store: Store) -> None:
    write(store, {"name": "Ann"})
    write(store, {"name": "Anne"})
    plain = put(store, "Something else")
    assert [memory.id for memory in store.maintenance.expendable(SPACE, NOW, 10)] == [plain.id]
