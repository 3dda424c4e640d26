"""Contacts: unique by email, found as memories, versioned, deleted to the trash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scrubjay import Contact, Invalid, NotFound, Scrubjay
from tests.support.clock import Clock

SECRET = "ghp_" + "a1B2c3D4e5" * 4  # of the right form, and nobody's
FIELDS: Any = {
    "name": "Ann Lee", "email": "Ann@Example.org", "company": "Initech", "role": "CTO", "type": "personal",
    "notes": "Likes tea.\nNever calls.",
}  # fmt: skip


def names(found: list[Contact]) -> list[str]:
    return [one.name for one in found]


def test_every_field_that_is_given_comes_back(jay: Scrubjay, clock: Clock) -> None:
    made = jay.contacts.create(**FIELDS)
    assert {name: getattr(made, name) for name in FIELDS} == FIELDS
    assert (made.version, made.trust, made.created_at, made.updated_at) == (1, "user", clock.now, clock.now)
    assert jay.contacts.get(made.id) == jay.contacts.get("ann@example.ORG") == made


def test_only_a_name_is_needed_and_two_may_have_the_same(jay: Scrubjay) -> None:
    first = jay.contacts.create(name="Ann")
    assert (first.type, first.email, first.notes) == ("work", None, None)
    second = jay.contacts.create(name="Ann", company="Initech")
    assert first.id != second.id and names(jay.contacts.list()) == ["Ann", "Ann"]


def test_an_update_is_a_version_with_its_reason_and_none_empties_a_field(jay: Scrubjay, clock: Clock) -> None:
    made = jay.contacts.create(**FIELDS)
    clock.pass_(days=1)
    changed = jay.contacts.update(made.id, role="CEO", company=None, reason="left")
    assert (changed.id, changed.uid, changed.version) == (made.id, made.uid, 2)
    assert (changed.role, changed.company, changed.email) == ("CEO", None, made.email)
    assert (changed.created_at, changed.updated_at) == (made.created_at, clock.now)
    first, second = jay.contacts.history(made.id)
    assert (first.data["role"], second.data["role"], second.reason, second.holds) == ("CTO", "CEO", "left", True)
    assert [one.path for one in jay.contacts.diff(made.id, 1, 2)] == ["company", "role"]
    back = jay.contacts.rollback(made.id, 1)
    assert (back.version, back.role, back.company) == (3, "CTO", "Initech")


def test_a_hit_leads_to_the_contact_also_after_a_change(jay: Scrubjay) -> None:
    made = jay.contacts.create(**FIELDS)
    jay.contacts.update(made.id, role="CEO")
    (hit,) = jay.search("Who is the CEO of Initech?")
    assert hit.memory.kind == "contact" and hit.memory.subject == "Ann Lee" and hit.memory.id != made.id
    assert hit.memory.text == (
        "Ann Lee, CEO at Initech. Email: Ann@Example.org. Personal contact.\nLikes tea.\nNever calls."
    )
    found = jay.contacts.get(hit.memory.id)
    assert found is not None and found.id == made.id


def test_contacts_are_listed_by_name_and_filtered(jay: Scrubjay) -> None:
    jay.contacts.create(name="bea Ann", company="Globex")
    jay.contacts.create(**FIELDS)
    jay.contacts.create(name="Cleo", company="initech", type="ignored")
    assert names(jay.contacts.list()) == ["Ann Lee", "bea Ann", "Cleo"]
    assert names(jay.contacts.list(name="ANN")) == ["Ann Lee", "bea Ann"]
    assert names(jay.contacts.list(email="ann@example.org")) == ["Ann Lee"]
    assert names(jay.contacts.list(company="INITECH")) == ["Ann Lee", "Cleo"]
    assert names(jay.contacts.list(type="ignored")) == ["Cleo"]
    assert names(jay.contacts.list(limit=1)) == ["Ann Lee"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda contacts: contacts.create(name="X", email="ANN@example.org"), r"with this email already \(1\)"),
        (lambda contacts: contacts.update(2, email="ann@example.org"), r"with this email already \(1\)"),
        (lambda contacts: contacts.create(email="x@example.org"), "name of a contact cannot be empty"),
        (lambda contacts: contacts.create(name="  "), "name must be text"),
        (lambda contacts: contacts.create(name="X", email="nobody"), "is no email address"),
        (lambda contacts: contacts.create(name="X", type="friend"), "must be one of work, personal, ignored"),
        (lambda contacts: contacts.create(name="X", phone="1"), "has no field 'phone'; it has name"),
        (lambda contacts: contacts.create(name="X", notes=SECRET), "looks like a secret"),
        (lambda contacts: contacts.create(name="X", reason=SECRET), "looks like a secret"),
        (lambda contacts: contacts.update(1), "Nothing to update"),
        (lambda contacts: contacts.update(1, name=None), "cannot be empty"),
        (lambda contacts: contacts.update(9, name="X"), "There is no contact 9"),
        (lambda contacts: contacts.update(3, name="X"), "There is no contact 3"),
        (lambda contacts: contacts.delete("x@example.org"), "There is no contact x@example.org"),
        (lambda contacts: contacts.rollback(1, 7), "has no version 7; it has 1 to 1"),
        (lambda contacts: contacts.list(type="friend"), "must be one of work"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(
    jay: Scrubjay, change: Callable[[Any], object], sentence: str
) -> None:
    jay.contacts.create(**FIELDS)
    jay.contacts.create(name="Ben")
    jay.add("Ann is a plain memory", kind="contact")
    before = jay.contacts.list(), jay.list(include_superseded=True)
    with pytest.raises((Invalid, NotFound), match=sentence) as refused:
        change(jay.contacts)
    assert "\n" not in str(refused.value) and SECRET not in str(refused.value)
    assert (jay.contacts.list(), jay.list(include_superseded=True)) == before


def test_two_contacts_never_become_one(jay: Scrubjay) -> None:
    jay.contacts.create(name="Ann")
    second = jay.contacts.create(name="Bea")
    with pytest.raises(Invalid, match="says the same of another record"):
        jay.contacts.update(second.id, name="Ann")
    assert names(jay.contacts.list()) == ["Ann", "Bea"]


def test_a_deleted_contact_is_in_no_answer_and_can_be_restored(jay: Scrubjay) -> None:
    made = jay.contacts.create(**FIELDS)
    jay.contacts.update(made.id, role="CEO")
    gone = jay.contacts.delete(made.id)
    assert gone.name == "Ann Lee" and jay.contacts.list() == [] and jay.contacts.get(made.id) is None
    assert jay.search("Ann Lee Initech", include_superseded=True).hits == () and jay.list(include_superseded=True) == []
    assert {one.memory.id for one in jay.trash.list()} == {made.id, gone.memory}
    assert jay.undelete(made.id).id == gone.memory
    restored = jay.contacts.get("ann@example.org")
    assert restored == gone and len(jay.contacts.history(made.id)) == 2 and jay.trash.list() == []
    assert jay.check(deep=True).problems == []


def test_what_is_erased_is_nowhere_in_the_file(jay: Scrubjay, path: Any) -> None:
    jay.contacts.create(name="Quetzalcanary", email="quetzalmail@example.org", notes="Quetzalnote")
    jay.contacts.update("quetzalmail@example.org", notes="Quetzallater", reason="Quetzalreason")
    jay.contacts.delete("quetzalmail@example.org")
    assert jay.trash.empty() == 2
    jay.close()
    for file in path.parent.glob("memory.db*"):
        assert b"uetzal" not in file.read_bytes(), file


def test_its_memory_is_changed_only_with_the_contact(jay: Scrubjay) -> None:
    made = jay.contacts.create(**FIELDS)
    for change in (
        lambda: jay.supersede(made.memory, "Ann is somebody else"),
        lambda: jay.supersede(made.memory, by=jay.add("Ann left").memory.id),
        lambda: jay.update(made.memory, subject="Ben"),
        lambda: jay.update(made.memory, kind="fact"),
    ):
        with pytest.raises(Invalid, match=f"tells contact {made.id}; change that with `contacts`"):
            change()
    jay.update(made.memory, tags=["vip"], importance=9)
    after = jay.contacts.update(made.id, role="CEO")
    memory = jay.get(after.memory)
    assert memory is not None and memory.tags == ("vip",) and memory.importance == 9


def test_reverting_its_memory_brings_the_version_before_back(jay: Scrubjay) -> None:
    made = jay.contacts.create(**FIELDS)
    changed = jay.contacts.update(made.id, role="CEO")
    jay.revert(changed.memory)
    found = jay.contacts.get(made.id)
    assert found is not None and (found.role, found.version) == ("CTO", 1)
    assert jay.contacts.update(made.id, role="CFO").version == 3


def test_another_space_does_not_see_it(jay: Scrubjay) -> None:
    made = jay.contacts.create(**FIELDS)
    other = jay.lend(space="other")
    assert other.contacts.get(made.id) is None and other.contacts.list() == []
    with pytest.raises(NotFound):
        other.contacts.delete(made.id)
    assert other.contacts.create(**FIELDS).id != made.id


def test_its_changes_and_its_deletion_are_on_the_timeline(jay: Scrubjay, clock: Clock) -> None:
    made = jay.contacts.create(**FIELDS)
    clock.pass_(hours=1)
    jay.contacts.update(made.id, role="CEO", reason="promoted")
    events = [(event.what, event.detail) for event in jay.timeline()]
    assert events == [("contact updated", "promoted"), ("contact created", "")]
    assert [event.what for event in jay.timeline(query="Ann Lee")] == ["contact updated", "contact created"]
    assert [event.what for event in jay.timeline(kinds=["contact"])] == ["contact updated", "contact created"]
    clock.pass_(hours=1)
    jay.contacts.delete(made.id)
    assert [(event.what, event.detail) for event in jay.timeline()] == [("contact deleted", str(made.id))]
