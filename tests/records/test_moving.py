"""Records that move to another memory keep their versions, their people and how their last runs and checks went."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import scrubjay
from scrubjay import Project, Scrubjay, Version
from tests.support.exports import as_export


def told(jay: Scrubjay) -> dict[str, Any]:
    """All that records tell, but for the ids of this store."""
    projects = [(_plain(one), one.primary_contact is not None) for one in jay.projects.list()]
    return {
        "profile": list(map(_without_ids, jay.profile.history())),
        "contacts": [replace(one, id=0, memory=0) for one in jay.contacts.list()],
        "history": list(map(_without_ids, jay.contacts.history("ann@example.org"))),
        "projects": projects,
        "skills": [replace(one, id=0, memory=0) for one in jay.skills.list()],
    }


def _plain(one: Project) -> Project:
    sources = tuple(replace(source, project=0) for source in one.sources)
    return replace(one, id=0, memory=0, primary_contact=None, sources=sources)


def _without_ids(one: Version) -> Version:
    return replace(one, memory=0)


def test_records_move_with_all_their_versions(jay: Scrubjay, tmp_path: Path, clock: Any) -> None:
    jay.profile.set("user_info.name", "Ann", reason="said so")
    jay.profile.set("user_info.name", "Bea")
    ann = jay.contacts.create(name="Ann", email="ann@example.org")
    jay.contacts.update(ann.id, role="CTO", reason="promoted")
    orion = jay.projects.create(name="Orion", primary_contact=ann.id)
    jay.projects.set_source(orion.id, "jira", external_id="ORI", status="warning")
    jay.skills.create(name="digest", instructions="Collect", interval_minutes=5)
    jay.skills.ran("digest", "error", summary="no network")
    jay.export(tmp_path / "memory.jsonl")
    with scrubjay.open(tmp_path / "other.db", embedder="hashing", clock=clock) as other:
        other.add("Something that moves the ids")
        other.import_file(tmp_path / "memory.jsonl")
        assert told(other) == told(jay)
        assert not other.import_file(tmp_path / "memory.jsonl").added
        assert other.contacts.update("ann@example.org", role="CEO").version == 3
        assert other.projects.list(contact="ann@example.org")[0].name == "Orion"
        assert other.check(deep=True).problems == []


def test_a_copy_in_another_space_has_records_of_its_own(jay: Scrubjay, tmp_path: Path) -> None:
    ann = jay.contacts.create(name="Ann", email="ann@example.org")
    jay.contacts.update(ann.id, role="CTO")
    jay.projects.create(name="Orion", primary_contact=ann.id)
    jay.export(tmp_path / "memory.jsonl")
    before, other = told(jay), jay.lend(space="other")
    for _ in range(2):
        other.import_file(tmp_path / "memory.jsonl", trust_file=True)
    assert other.contacts.get("ann@example.org").version == 2  # type: ignore[union-attr]
    assert other.projects.list(contact="ann@example.org")[0].name == "Orion"
    other.contacts.update("ann@example.org", role="CEO")
    assert told(jay) == before and len(other.contacts.list()) == 1
    assert jay.check(deep=True).problems == []


def test_a_file_for_one_space_changes_no_record_of_another(jay: Scrubjay, tmp_path: Path) -> None:
    ann = jay.contacts.create(name="Ann", email="ann@example.org")
    jay.export(tmp_path / "memory.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "memory.jsonl").read_text().splitlines()]
    (version,) = [line for line in lines if line["type"] == "record"]
    other = jay.lend(space="other")
    eve = other.add("Eve was here", kind="contact").memory
    data = {**version["data"], "name": "Eve", "email": "eve@example.org"}
    planted = [
        {**version, "memory": eve.uid, "uid": uid, "version": 9, "key": "eve@example.org", "data": data}
        for uid in (version["uid"], "f" * 32)  # a version that is known there, and one more of its record
    ]
    (tmp_path / "planted.jsonl").write_bytes(as_export(planted))
    before = told(jay)
    other.import_file(tmp_path / "planted.jsonl", trust_file=True)
    assert told(jay) == before and jay.contacts.get(ann.id).name == "Ann"  # type: ignore[union-attr]
