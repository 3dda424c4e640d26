"""The store's rules about deleting: the trash, taking out of it, and erasing."""

from __future__ import annotations

import pytest

from scrubjay.errors import Invalid, NotFound
from scrubjay.stores import Store
from tests.support.stored import NOW, SPACE, by_meaning, by_word, everything, evidence, later, put, step, vectors


def texts(store: Store) -> list[str]:
    return sorted(memory.text for memory in store.memories.newest(everything(now=later(99)), None))


def test_a_deleted_memory_is_in_the_trash_and_in_no_answer(store: Store) -> None:
    memory = put(store, "Tea", vectors(0))
    store.trash.put([memory.id], [SPACE], later(1))
    (deleted,) = store.trash.all(SPACE)
    assert (deleted.memory, deleted.at, deleted.reason) == (memory, later(1), "deleted")
    assert store.memories.get([memory.id], [SPACE], NOW) == {} and store.memories.known([memory]) == [None]
    assert by_word(store, "tea") == []
    assert by_meaning(store, 0) == {}


def test_all_are_deleted_or_none(store: Store) -> None:
    memory = put(store, "Tea")
    with pytest.raises(NotFound, match="There is no memory 998, 999"):
        store.trash.put([memory.id, 998, 999], [SPACE], NOW)
    assert texts(store) == ["Tea"]


def test_what_is_taken_out_is_as_it_was(store: Store) -> None:
    one, two = put(store, "Red", vectors(0)), put(store, "Blue", vectors(1))
    store.revisions.link(one.id, two.id, [SPACE], step(one.id))
    task = put(store, "Paint", kind="task")
    store.tasks.change(task.id, SPACE, NOW, lambda _: {"priority": "high"})
    other = put(store, "Green")
    store.conflicts.put([(two.id, other.id, 0.7)], NOW)
    store.trash.put([two.id, task.id], [SPACE], NOW)
    for id in (two.id, task.id):
        store.trash.take_out(id, [SPACE], later(1), "user")
    assert texts(store) == ["Blue", "Green", "Paint"] and store.trash.all(SPACE) == []
    assert store.memories.get([one.id], [SPACE], NOW)[one.id].superseded_by == two.id
    assert store.tasks.get(task.id, SPACE, NOW).priority == "high"
    assert [pair.score for pair in store.conflicts.open(SPACE, NOW)] == [0.7]
    assert evidence(store, two.id, vector=vectors(1)[0]).cosines[two.id] == pytest.approx(1)


def test_nothing_is_taken_out_beside_a_memory_that_says_the_same(store: Store) -> None:
    memory = put(store, "Tea")
    store.trash.put([memory.id], [SPACE], NOW)
    put(store, "Tea")
    with pytest.raises(Invalid, match="says the same"):
        store.trash.take_out(memory.id, [SPACE], NOW, "user")
    with pytest.raises(NotFound, match="in the trash"):
        store.trash.take_out(memory.id, ["other"], NOW, "user")


def test_who_takes_a_memory_out_vouches_for_it(store: Store) -> None:
    memory = put(store, "Tea", trust="user")
    store.trash.put([memory.id], [SPACE], NOW)
    assert store.trash.take_out(memory.id, [SPACE], NOW, "agent").trust == "agent"


def test_a_step_leads_past_a_deleted_memory(store: Store) -> None:
    one, two, three = (put(store, text) for text in ("Red", "Blue", "Green"))
    store.revisions.link(one.id, two.id, [SPACE], step(one.id))
    store.revisions.link(two.id, three.id, [SPACE], step(two.id))
    store.trash.put([two.id], [SPACE], NOW)
    assert store.memories.get([one.id], [SPACE], NOW)[one.id].superseded_by == three.id


def test_emptying_erases_what_was_deleted_before(store: Store) -> None:
    early, late = put(store, "Tea"), put(store, "Coffee")
    store.trash.put([early.id], [SPACE], NOW)
    store.trash.put([late.id], [SPACE], later(10))
    assert store.trash.due(later(5)) == 1 and store.trash.emptied_at() is None
    assert store.trash.empty(later(5), later(11)) == 1
    assert [deleted.memory.id for deleted in store.trash.all(SPACE)] == [late.id]
    assert store.trash.due(later(5)) == 0 and store.trash.emptied_at() == later(11)


def test_what_is_evicted_tells_why(store: Store) -> None:
    memory = put(store, "Tea", expires_at=later(1))
    assert [one.id for one in store.maintenance.expired(SPACE, later(2))] == [memory.id]
    store.trash.evict([memory.id, 999], later(2), "expired")
    assert [deleted.reason for deleted in store.trash.all(SPACE)] == ["expired"]
