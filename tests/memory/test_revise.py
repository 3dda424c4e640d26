"""Knowledge that changes: replaced, confirmed, updated, deleted, and still told truly."""

from __future__ import annotations

from typing import Any

import pytest

import scrubjay
from scrubjay import Invalid, NotFound, Scrubjay
from tests.support.clock import Clock


def test_a_replaced_memory_is_kept_but_no_longer_found(jay: Scrubjay, clock: Clock) -> None:
    old = jay.add("User prefers dark mode", kind="preference", subject="user", tags=["ui"]).memory
    clock.pass_(days=1)
    new = jay.supersede(old.id, "User prefers light mode").memory
    assert (new.kind, new.subject, new.tags) == ("preference", "user", ("ui",))
    kept = jay.get(old.id)
    assert kept is not None and (kept.superseded_by, kept.superseded_at) == (new.id, clock.now)
    assert [hit.memory.id for hit in jay.search("prefers mode")] == [new.id]
    assert [memory.id for memory in jay.history(old.id)] == [old.id, new.id] == [m.id for m in jay.history(new.id)]


def test_an_existing_memory_can_take_the_place_of_another(jay: Scrubjay) -> None:
    old, new = jay.add("Port is 80").memory, jay.add("Port is 8080").memory
    assert jay.supersede(old.id, by=new.id).memory.id == new.id
    assert [memory.id for memory in jay.list()] == [new.id]


def test_several_memories_may_be_replaced_by_one(jay: Scrubjay) -> None:
    first, second, both = (jay.add(text).memory for text in ("Likes tea", "Likes coffee", "Likes tea and coffee"))
    for old in (first, second):
        jay.supersede(old.id, by=both.id)
    assert {memory.id for memory in jay.history(first.id)} == {first.id, second.id, both.id}


@pytest.mark.parametrize("call", [{}, {"text": "x", "by": 2}])
def test_replacing_needs_a_text_or_a_memory(jay: Scrubjay, call: dict[str, Any]) -> None:
    jay.add_many([{"text": "one"}, {"text": "two"}])
    with pytest.raises(Invalid, match="either"):
        jay.supersede(1, **call)


def test_a_memory_cannot_replace_itself_or_what_is_replaced_already(jay: Scrubjay) -> None:
    one, two = jay.add("one").memory, jay.add("two").memory
    with pytest.raises(Invalid, match="itself"):
        jay.supersede(one.id, by=one.id)
    with pytest.raises(Invalid, match="itself"):
        jay.supersede(one.id, "one", kind=one.kind)
    jay.supersede(one.id, by=two.id)
    with pytest.raises(Invalid, match="already replaced"):
        jay.supersede(two.id, by=one.id)
    with pytest.raises(Invalid, match="already replaced"):
        jay.supersede(one.id, "three")
    with pytest.raises(NotFound, match="no memory 99"):
        jay.supersede(two.id, by=99)
    assert len(jay.list(include_superseded=True)) == 2


def test_adding_with_a_link_that_fails_keeps_the_memory_and_warns(jay: Scrubjay) -> None:
    added = jay.add("Port is 8080", supersedes=99)
    assert added.created and "no memory 99" in added.notes[0]
    assert jay.add("Port is 9090", supersedes=added.memory.id).notes == ()
    assert [memory.text for memory in jay.list()] == ["Port is 9090"]


def test_deleting_from_the_middle_keeps_the_chain_whole(jay: Scrubjay) -> None:
    first = jay.add("v1").memory
    second = jay.supersede(first.id, "v2").memory
    third = jay.supersede(second.id, "v3").memory
    jay.delete(second.id)
    assert [memory.id for memory in jay.history(first.id)] == [first.id, third.id]
    jay.delete(third.id)
    assert jay.list() == [] and jay.check(deep=True).problems == []


def test_confirming_counts_and_lifts_up_to_a_point(jay: Scrubjay, clock: Clock) -> None:
    jay.add_many(
        [{"text": "Lunch is at noon sharp", "kind": "fact"}, {"text": "Lunch is at one sharp", "kind": "fact"}]
    )
    for _ in range(5):
        clock.pass_(minutes=1)
        confirmed = jay.confirm(1)
    assert (confirmed.confirmed_count, confirmed.confirmed_at) == (5, clock.now)
    best = jay.search("lunch", mode="keyword")[0]
    assert best.memory.id == 1 and best.why["confirmed"] == pytest.approx(0.1)


def test_a_confirmation_is_taken_back(jay: Scrubjay) -> None:
    jay.add("The heating is on", kind="fact")
    first = jay.confirm(1)
    jay.confirm(1)
    assert jay.confirm(1, undo=True).confirmed_count == 1
    last = jay.confirm(1, undo=True)
    assert first.confirmed_count == 1 and (last.confirmed_count, last.confirmed_at) == (0, None)
    with pytest.raises(Invalid, match="never confirmed"):
        jay.confirm(1, undo=True)


def test_an_update_changes_what_is_not_text(jay: Scrubjay, clock: Clock) -> None:
    id = jay.add("Port is 80", tags=["a"], metadata={"x": 1, "y": 2}, subject="server").memory.id
    clock.pass_(days=1)
    after = jay.update(id, tags=["b"], metadata={"y": None, "z": 3}, importance=9, subject=None, kind="FACT")
    assert (after.tags, after.metadata, after.importance, after.subject, after.kind) == (
        ("b",), {"x": 1, "z": 3}, 9, None, "fact",
    )  # fmt: skip
    assert jay.get(id) == after and after.updated_at == clock.now
    assert [hit.memory.id for hit in jay.search("b", mode="keyword")] == [id]


@pytest.mark.parametrize(
    "fields", [{"text": "new"}, {"trust": "user"}, {"kind": None}, {"importance": 0}, {"colour": "red"}, {"tags": "x"}]
)
def test_an_update_refuses_what_it_cannot_do(jay: Scrubjay, fields: dict[str, Any]) -> None:
    before = jay.add("Port is 80").memory
    with pytest.raises(Invalid):
        jay.update(before.id, **fields)
    assert jay.get(before.id) == before


def test_a_new_title_is_found_by_meaning(path: Any) -> None:
    with scrubjay.open(path) as jay:
        jay.add("It takes twenty minutes and nobody likes it")
        before = jay.search("canteen food", mode="vector")[0].score
        jay.update(1, title="Lunch in the cafeteria")
        assert jay.search("canteen food", mode="vector")[0].score > before
        assert jay.check(deep=True).problems == []


def test_the_timeline_always_holds_its_anchor_even_when_times_tie(jay: Scrubjay) -> None:
    ids = [added.memory.id for added in jay.add_many([{"text": f"event {number}"} for number in range(30)])]
    for id, around in ((ids[0], ids[:4]), (ids[15], ids[12:19]), (ids[-1], ids[-4:])):
        assert [memory.id for memory in jay.timeline(id, window=3)] == around
    assert [memory.id for memory in jay.timeline(ids[3], window=0)] == [ids[3]]


@pytest.mark.parametrize("verb", ["delete", "confirm", "history", "timeline", "update"])
def test_a_missing_memory_is_said_to_be_missing(jay: Scrubjay, verb: str) -> None:
    with pytest.raises(NotFound, match="no memory 7 in space 'default'"):
        getattr(jay, verb)(7)
    assert jay.get(7) is None and jay.get_many([7, 8]) == []


@pytest.mark.parametrize("id", ["7", 1.5, None, True, 0, -1, 2**63])
def test_an_id_is_a_whole_number(jay: Scrubjay, id: Any) -> None:
    for verb in (jay.get, jay.delete, jay.confirm, jay.revert, jay.update):
        with pytest.raises(Invalid, match="id"):
            verb(id)


def test_a_turn_that_states_what_was_corrected_is_marked(jay: Scrubjay) -> None:
    jay.add_turns("s1", [{"speaker": "Ann", "text": "Our office is on Baker Street in London"}])
    old = jay.add("The office is on Baker Street in London", kind="fact").memory
    assert jay.search("where is the office", kinds=["turn"])[0].corrected_by is None
    new = jay.supersede(old.id, "The office is on Rua Augusta in Lisbon").memory
    assert jay.search("where is the office", kinds=["turn"])[0].corrected_by == new.id
    assert f"corrected by {new.id}" in jay.context("where is the office in London?").text
    jay.add_turns("s2", [{"speaker": "Ann", "text": "We moved the office to Rua Augusta in Lisbon"}])
    assert jay.search("Rua Augusta", kinds=["turn"])[0].corrected_by is None
