"""The store's rules about memories: stored, known again, merged, changed, read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scrubjay.errors import EmbedderMismatch, Invalid, NotFound
from scrubjay.stores import Store
from scrubjay.stores.contract import NewMemory
from scrubjay.types import Filter
from tests.support.stored import (
    MODEL,
    NOW,
    OTHER_MODEL,
    SPACE,
    by_meaning,
    by_word,
    everything,
    evidence,
    later,
    made,
    put,
    step,
    vectors,
)


def test_a_stored_memory_comes_back_as_it_was(store: Store) -> None:
    whole = made(
        "Tea is ready", title="Tea", context="kitchen", tags=("a", "b"), metadata={"k": [1, "x"]}, source="mcp",
        client="c", actor="someone", trust="agent", confidence=0.5, importance=7, project="p", subject="tea",
        session="s", speaker="Ann", document=None, lines=(3, 9), expires_at=later(5),
    )  # fmt: skip
    stored, created, *_ = store.memories.put([NewMemory(whole)], None)[0]
    assert created and stored == replace(whole, id=stored.id)
    assert store.memories.get([stored.id], [SPACE], NOW) == {stored.id: stored}


def test_ids_grow_and_are_never_given_twice(store: Store) -> None:
    first, second = put(store, "One"), put(store, "Two")
    store.trash.put([second.id], [SPACE], NOW)
    assert first.id < second.id < put(store, "Three").id


def test_a_memory_of_another_space_or_past_its_expiry_is_not_there(store: Store) -> None:
    other, expiring = put(store, "One", space="other"), put(store, "Two", expires_at=later(1))
    assert store.memories.get([other.id, expiring.id], [SPACE], later(1)) == {}
    assert set(store.memories.get([other.id, expiring.id], [SPACE, "other"], NOW)) == {other.id, expiring.id}


def test_what_says_the_same_is_known_and_merged(store: Store) -> None:
    first = put(store, "Tea  is\nready", tags=("a",), metadata={"k": 1}, trust="agent")
    again = made("Tea is ready", tags=("b",), metadata={"k": 2, "l": 3}, at=later(1), importance=9)
    assert store.memories.known([again, made("Coffee")]) == [first, None]
    merged, created, *_ = store.memories.put([NewMemory(again, given={"importance"})], None)[0]
    assert not created and merged.id == first.id
    assert (merged.tags, merged.metadata, merged.trust) == (("a", "b"), {"k": 2, "l": 3}, "user")
    assert (merged.importance, merged.updated_at, merged.text) == (9, later(1), first.text)


def test_somebody_less_trusted_changes_nothing_that_is_there(store: Store) -> None:
    put(store, "Tea is ready", metadata={"k": 1}, importance=3)
    again = made("Tea is ready", metadata={"k": 2, "l": 3}, importance=9, trust="external")
    merged = store.memories.put([NewMemory(again, given={"importance"})], None)[0].memory
    assert (merged.metadata, merged.importance, merged.trust) == ({"k": 1, "l": 3}, 3, "user")


@pytest.mark.parametrize("fields", [{"space": "other"}, {"kind": "note"}, {"subject": "pot"}])
def test_the_same_text_elsewhere_is_another_memory(store: Store, fields: dict[str, Any]) -> None:
    assert put(store, "Tea").id != put(store, "Tea", **fields).id


def test_what_was_superseded_or_has_expired_is_not_known(store: Store) -> None:
    put(store, "Tea", expires_at=later(1))
    assert store.memories.known([made("Tea", at=later(2))]) == [None]


def test_a_turn_is_known_by_its_place_and_gets_the_next_one(store: Store) -> None:
    turns = [put(store, "Hi", kind="turn", session="s", speaker="Ann") for _ in range(2)]
    assert [turn.position for turn in turns] == [0, 1]
    assert store.memories.known([made("Other", kind="turn", session="s", position=1)]) == [turns[1]]
    assert store.sessions.get(SPACE, "s", NOW).turns == 2


def test_vectors_of_another_model_are_refused_and_nothing_is_stored(store: Store) -> None:
    put(store, "One", vectors(0))
    with pytest.raises(EmbedderMismatch):
        store.memories.put([NewMemory(made("Two"), vectors(1))], OTHER_MODEL)
    assert [memory.text for memory in store.memories.newest(everything(), None)] == ["One"]


def test_a_write_that_fails_leaves_nothing(store: Store) -> None:
    with pytest.raises(Exception, match="confidence"):
        store.memories.put([NewMemory(made("One")), NewMemory(made("Two", confidence=2.0))], None)
    assert store.memories.newest(everything(), None) == []


def test_a_change_is_written_and_can_be_read(store: Store) -> None:
    memory = put(store, "Tea", vectors(0))
    after = store.memories.change(
        memory.id, [SPACE], lambda one: replace(one, title="Green", tags=("x",), updated_at=later(1)), vectors(3)
    )
    assert after == store.memories.get([memory.id], [SPACE], NOW)[memory.id]
    assert by_word(store, "green") == [memory.id]
    assert evidence(store, memory.id, vector=vectors(3)[0]).cosines[memory.id] == pytest.approx(1)


def test_a_change_may_not_make_two_memories_say_the_same(store: Store) -> None:
    put(store, "Tea", subject="pot")
    other = put(store, "Tea", subject="cup")
    with pytest.raises(Invalid, match="says the same already"):
        store.memories.change(other.id, [SPACE], lambda one: replace(one, subject="pot", updated_at=later(1)))


def test_a_change_of_what_is_not_there_is_refused(store: Store) -> None:
    memory = put(store, "Tea")
    with pytest.raises(NotFound, match="There is no memory"):
        store.memories.change(memory.id, ["other"], lambda one: one)


def test_the_newest_come_first_and_in_pages(store: Store) -> None:
    ids = [put(store, text).id for text in ("One", "Two", "Three")]
    assert [memory.id for memory in store.memories.newest(everything(), None)] == ids[::-1]
    assert [memory.id for memory in store.memories.newest(everything(), 1, 1)] == [ids[1]]


def test_neighbours_in_time_and_in_a_conversation(store: Store) -> None:
    turns = [put(store, text, kind="turn", session="s", at=later(n)) for n, text in enumerate("abcd")]
    around = store.memories.around(turns[1].id, everything(), 1)
    assert [memory.text for memory in around] == ["a", "b", "c"]
    beside = store.memories.beside([turns[1]], NOW, 2)[turns[1].id]
    assert [memory.text for memory in beside] == ["a", "c", "d"]


def test_what_there_is(store: Store) -> None:
    put(store, "One", subject="tea", tags=("hot", "wet"), project="p")
    put(store, "Two", subject="tea", kind="note", tags=("hot",), space="other")
    assert store.memories.spaces() == [SPACE, "other"]
    assert store.memories.kinds([SPACE, "other"]) == ["fact", "note"]
    assert store.memories.values({"tag"}, [SPACE, "other"]) == {"tag": ["hot", "wet"]}
    assert store.memories.values({"project", "speaker"}, [SPACE]) == {"project": ["p"], "speaker": []}
    both = Filter(spaces=(SPACE, "other"), now=NOW)
    assert store.memories.counts("subject", both) == {"tea": 2}
    assert store.memories.counts("tag", both) == {"hot": 2, "wet": 1}
    assert store.memories.counts("space", both) == {SPACE: 1, "other": 1}


def test_uses_are_counted_when_something_is_written_anyway(store: Store) -> None:
    from scrubjay.stores import Use

    memory = put(store, "Tea")
    store.uses.note([Use(memory.id, SPACE, later(1), "get"), Use(memory.id, SPACE, later(2), "search", 0.5, "tea")])
    put(store, "Coffee")
    used = store.memories.get([memory.id], [SPACE], NOW)[memory.id]
    assert (used.shown_count, used.used_count, used.used_at) == (1, 1, later(1))


def test_a_secret_is_withheld_from_every_filter(store: Store) -> None:
    memory = put(store, "The key is [redacted]", vectors(0))
    store.withheld.keep_secret(memory.id, SPACE, "The key is 42")
    assert store.withheld.secrets([SPACE]) == {memory.id: "The key is 42"}
    assert store.memories.newest(everything(), None) == []
    assert by_word(store, "key") == []
    assert by_meaning(store, 0) == {}
    assert store.vectors.model() == MODEL


# What an add asks and writes, each in one call


def test_before_an_add_one_call_tells_what_is_known_and_embedded(store: Store) -> None:
    one = put(store, "One", vectors(0))
    again, retitled, new = made("One"), made("One", title="First"), made("Two")
    before = store.memories.before_add([again, retitled, new], with_vectors=True)
    assert before.model == MODEL and list(before.known) == [one, one, None]
    assert before.vectors == {}  # the known one needs none, and the others were not embedded yet
    store.trash.put([one.id], [SPACE], NOW)
    assert store.memories.before_add([again], with_vectors=False).known == [None]


def test_one_call_stores_a_memory_with_all_that_follows_from_it(store: Store) -> None:
    old, like, given_up = (put(store, text, vectors(0)) for text in ("Red", "Pink", "Green"))
    blue = NewMemory(
        made("Blue"), supersedes=step(given_up.id), retires=step(old.id),
        conflicts={old.id: 0.9, like.id: 0.8}, refused="too odd",
    )  # fmt: skip
    (stored,) = store.memories.put([blue], MODEL)
    assert stored.created and stored.retired and stored.problem is None
    assert stored.replaced is not None and stored.replaced.id == given_up.id
    assert [(pair.older.id, pair.score) for pair in store.conflicts.open(SPACE, NOW)] == [(like.id, 0.8)]
    assert [one.memory for one in store.ledger.quarantined(SPACE)] == [stored.memory.id]
    assert {memory.id for memory in store.memories.newest(everything(), None)} == {like.id, stored.memory.id}


def test_what_can_no_longer_be_replaced_is_said_and_the_memory_is_stored(store: Store) -> None:
    old = put(store, "Red")
    store.revisions.retire(old.id, [SPACE], step(old.id))
    blue = NewMemory(made("Blue"), supersedes=step(old.id), retires=step(old.id))
    (stored,) = store.memories.put([blue], None)
    assert stored.created and not stored.retired and stored.replaced is None
    assert stored.problem is not None and "already replaced" in stored.problem
    with pytest.raises(Invalid):
        store.memories.put([NewMemory(made("Green"), replaces=[step(old.id)])], None)
    assert [memory.text for memory in store.memories.newest(everything(), None)] == ["Blue"]


def test_the_nearest_of_several_filters_are_one_call(store: Store) -> None:
    one, two = put(store, "Red paint", vectors(0)), put(store, "Blue paint", vectors(0), subject="door")
    filters = [everything(), everything(subject="door")]
    both, of_door = store.search.near("paint", vectors(0)[0], MODEL, filters, 5)
    assert {memory.id for memory, _ in both} == {one.id, two.id}
    assert {memory.id: cosine for memory, cosine in of_door} == {two.id: pytest.approx(1)}
    ((by_word, cosine),) = store.search.near("paint", None, None, filters[:1], 5, without=[two.id])[0]
    assert (by_word.id, cosine) == (one.id, 0.0)
    with pytest.raises(EmbedderMismatch):
        store.search.near("paint", vectors(0)[0], OTHER_MODEL, filters, 5)


def test_the_nearest_of_one_filter_are_those_of_the_widest_of_several(store: Store) -> None:
    around = np.random.default_rng(3).normal(size=(60, MODEL.dimensions)).astype(np.float32)
    around /= np.linalg.norm(around, axis=1, keepdims=True)
    stored = [put(store, f"Note {number}", around[number : number + 1]) for number in range(50)]
    for question in around[50:]:
        best = sorted(stored, key=lambda one: -float(around[int(one.text.split()[1])] @ question))
        gone = [best[0].id, best[2].id]
        filters = [everything(), everything(subject="door")]
        (alone,), (widest, _) = (
            store.search.near("?", question, MODEL, some, 5, gone) for some in (filters[:1], filters)
        )
        wanted = [one.id for one in best[:7] if one.id not in gone]
        assert [memory.id for memory, _ in alone] == [memory.id for memory, _ in widest] == wanted
