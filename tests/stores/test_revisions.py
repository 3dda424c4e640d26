"""The store's rules about change: replacing, retiring, updating, contradicting, and undoing each of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrubjay.errors import Invalid, NotFound
from scrubjay.stores import Store
from scrubjay.stores.contract import NewMemory
from scrubjay.types.history import Reverted
from tests.support.stored import NOW, SPACE, by_meaning, everything, later, made, put, step, vectors


def current(store: Store) -> list[str]:
    return sorted(memory.text for memory in store.memories.newest(everything(now=later(99)), None))


def undo(store: Store, id: int) -> Reverted:
    return store.revisions.undo(id, [SPACE], later(50), "someone", None, "user")


def test_a_memory_takes_the_place_of_others_in_one_change(store: Store) -> None:
    old = [put(store, text, vectors(0)) for text in ("Red", "Pink")]
    blue = NewMemory(made("Blue", at=later(1)), replaces=[step(one.id) for one in old])
    new = store.memories.put([blue], None)[0].memory
    assert current(store) == ["Blue"]
    found = store.memories.get([one.id for one in old], [SPACE], NOW)
    assert {one.superseded_by for one in found.values()} == {new.id}
    undone = undo(store, old[0].id)
    assert set(undone.restored) == {one.id for one in old} and current(store) == ["Pink", "Red"]


def test_only_current_memories_of_one_space_replace_each_other(store: Store) -> None:
    old, new, other = put(store, "Red"), put(store, "Blue"), put(store, "Green", space="other")
    with pytest.raises(Invalid, match="cannot replace itself"):
        store.revisions.link(old.id, old.id, [SPACE], step(old.id))
    with pytest.raises(NotFound):
        store.revisions.link(old.id, other.id, [SPACE, "other"], step(old.id))
    store.revisions.link(old.id, new.id, [SPACE], step(old.id))
    with pytest.raises(Invalid, match="was already replaced"):
        store.revisions.link(old.id, new.id, [SPACE], step(old.id))


def test_undoing_an_undoing_puts_everything_back(store: Store) -> None:
    old, new = put(store, "Red"), put(store, "Blue")
    store.revisions.link(old.id, new.id, [SPACE], step(old.id, created=True))
    undo(store, old.id)
    assert current(store) == ["Red"]
    undo(store, new.id)
    assert current(store) == ["Blue"]


def test_what_was_built_upon_is_undone_first(store: Store) -> None:
    first, second, third = (put(store, text) for text in ("Red", "Blue", "Green"))
    store.revisions.link(first.id, second.id, [SPACE], step(first.id, created=True))
    store.revisions.link(second.id, third.id, [SPACE], step(second.id, created=True))
    with pytest.raises(Invalid, match=f"revert {second.id} first"):
        undo(store, first.id)


def test_of_two_that_say_the_same_only_one_is_current_again(store: Store) -> None:
    old, new = put(store, "Red"), put(store, "Blue")
    store.revisions.link(old.id, new.id, [SPACE], step(old.id))
    put(store, "Red")
    assert undo(store, old.id).notes
    assert current(store) == ["Blue", "Red"]


def test_a_retired_memory_comes_back_by_undoing(store: Store) -> None:
    memory = put(store, "Red", vectors(0))
    store.revisions.retire(memory.id, [SPACE], step(memory.id))
    assert current(store) == [] and by_meaning(store, 0) == {}
    undo(store, memory.id)
    assert current(store) == ["Red"] and set(by_meaning(store, 0)) == {memory.id}


def test_an_update_is_kept_and_undone(store: Store) -> None:
    memory = put(store, "Red", importance=5)
    store.memories.change(memory.id, [SPACE], lambda one: replace(one, importance=9, updated_at=later(1)), None, "me")
    (edit,) = store.revisions.chain(memory.id, [SPACE]).edits
    assert (edit.fields, edit.actor, edit.at) == (("importance",), "me", later(1))
    assert undo(store, memory.id).fields == ("importance",)
    assert store.memories.get([memory.id], [SPACE], NOW)[memory.id].importance == 5
    with pytest.raises(Invalid, match="nothing to revert"):
        undo(store, memory.id)


def test_the_chain_has_all_that_replaced_one_another_and_the_steps(store: Store) -> None:
    first, second, third = (put(store, text, subject="Paint") for text in ("Red", "Blue", "Green"))
    store.revisions.link(first.id, second.id, [SPACE], step(first.id, reason="repainted"))
    chain = store.revisions.chain(second.id, [SPACE])
    assert [memory.id for memory in chain] == [first.id, second.id]
    assert [(one.old, one.new, one.reason) for one in chain.steps] == [(first.id, second.id, "repainted")]
    assert [memory.id for memory in store.revisions.of_subject("paint", SPACE)] == [first.id, second.id, third.id]


def test_what_was_true_then_is_found_as_of_then(store: Store) -> None:
    old, new = put(store, "Red"), put(store, "Blue", at=later(10))
    store.revisions.link(old.id, new.id, [SPACE], step(old.id, later(10)))
    then = [memory.id for memory in store.memories.newest(everything(as_of=later(5)), None)]
    assert then == [old.id]


def test_conflicts_are_open_until_dismissed_or_one_is_replaced(store: Store) -> None:
    one, two, three = (put(store, text) for text in ("Red", "Blue", "Green"))
    store.conflicts.put([(one.id, two.id, 0.9), (one.id, three.id, 0.8)], NOW)
    assert [(pair.older.id, pair.newer.id) for pair in store.conflicts.open(SPACE, NOW)] == [
        (one.id, three.id),
        (one.id, two.id),
    ]
    store.conflicts.dismiss(two.id, one.id, SPACE, NOW)
    with pytest.raises(NotFound, match="no open conflict"):
        store.conflicts.dismiss(two.id, one.id, SPACE, NOW)
    store.revisions.link(one.id, three.id, [SPACE], step(one.id))
    assert store.conflicts.open(SPACE, NOW) == []


def test_a_conflict_is_remembered_once(store: Store) -> None:
    one, two = put(store, "Red"), put(store, "Blue")
    store.conflicts.put([(one.id, two.id, 0.9)], NOW)
    store.conflicts.put([(one.id, two.id, 0.1), (one.id, 999, 0.5)], later(1))
    assert [pair.score for pair in store.conflicts.open(SPACE, NOW)] == [0.9]
