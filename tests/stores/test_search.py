"""The store's rules about finding: by word, by meaning, and under every filter."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from scrubjay.stores import Store
from tests.support.stored import NOW, SPACE, everything, later, put, step, vectors


def by_word(store: Store, text: str, **filter: Any) -> list[int]:
    return store.search.by_word(text, everything(**filter), 10, 0)


def by_meaning(store: Store, direction: int, limit: int = 10, **filter: Any) -> dict[int, float]:
    return dict(store.search.by_meaning(vectors(direction)[0], everything(**filter), limit).cosines)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Runners were running", "run"),
        ("Der Käse ist alt", "kase"),
        ("parseHTTPHeader fails", "header"),
        ("Written in C++", "c++"),
        ("It cost 1,000 euros", "1000"),
        ("我喜欢喝茶", "喝茶"),
    ],
)
def test_words_are_found_in_other_forms(store: Store, text: str, asked: str) -> None:
    put(store, "Something else entirely")
    memory = put(store, text)
    assert by_word(store, asked) == [memory.id]


def test_title_context_tags_and_subject_are_found_by_word(store: Store) -> None:
    memory = put(store, "x", title="Teapot", context="kitchen", tags=("hot",), subject="breakfast")
    assert [by_word(store, word) for word in ("teapot", "kitchen", "hot", "breakfast")] == [[memory.id]] * 4


def test_words_of_a_question_are_never_syntax(store: Store) -> None:
    memory = put(store, 'He said "stop" AND left')
    assert by_word(store, 'stop" OR (*') == [memory.id]
    assert by_word(store, "...") == []


def test_words_are_counted_in_each_memory_and_in_all(store: Store) -> None:
    one, two = put(store, "tea tea coffee"), put(store, "tea")
    counts = store.search.word_counts("tea or coffee", [one.id, two.id], [SPACE])
    assert list(counts.words) == ["tea", "coffee"]
    assert list(counts.frequencies) == [2, 1] and counts.memories == 2
    assert counts.counted == {one.id: ([2, 1], 3), two.id: ([1, 0], 1)}
    assert counts.held_by(two.id) == ("tea",)


def test_a_language_is_spoken_where_its_small_words_are_common(store: Store) -> None:
    put(store, "the tea and the pot")
    assert store.search.speaks(["the"], [SPACE]) and not store.search.speaks(["und"], [SPACE])


def test_a_part_of_a_text_is_found_as_it_is_written(store: Store) -> None:
    one, _ = put(store, "100% sure_thing"), put(store, "100 sure things")
    assert store.search.by_substring("100% SURE_", everything(), 5) == [one.id]


def test_the_nearest_in_meaning_come_with_their_exact_cosines(store: Store) -> None:
    near, far = put(store, "One", vectors(0, 3)), put(store, "Two", vectors(1, lean=1.0))
    cosines = by_meaning(store, 3)
    assert cosines == {near.id: pytest.approx(1), far.id: pytest.approx(0)}
    assert list(by_meaning(store, 3, limit=1)) == [near.id]
    assert store.search.pieces([near.id, far.id]) == {near.id: 2, far.id: 1}
    assert store.search.alike({near.id: far.id}) == {near.id: pytest.approx(0)}


FILTERS: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"kinds": ("note",)}, {"kind": "note"}, {"kind": "fact"}),
    ({"subject": "tea"}, {"subject": "tea"}, {"subject": "Tea"}),
    ({"project": "p"}, {"project": "p"}, {}),
    ({"session": "s"}, {"session": "s"}, {"session": "t"}),
    ({"speaker": "Ann"}, {"speaker": "Ann"}, {"speaker": "Bob"}),
    ({"tags": ("a", "z")}, {"tags": ("a", "b")}, {"tags": ("b",)}),
    ({"sources": ("file",)}, {"source": "file:a.md"}, {"source": "files:a.md"}),
    ({"since": later(1)}, {"at": later(1)}, {"at": NOW}),
    ({"until": NOW}, {"at": NOW}, {"at": later(1)}),
    ({"min_importance": 6}, {"importance": 6}, {"importance": 5}),
    ({"min_confidence": 0.5}, {"confidence": 0.5}, {"confidence": 0.4}),
    ({"metadata": (("n", "<", 10),)}, {"metadata": {"n": 9}}, {"metadata": {"n": "9"}}),
    ({"metadata": (("n", "=", True),)}, {"metadata": {"n": True}}, {"metadata": {"n": 1}}),
    ({"metadata": (("n", "=", None),)}, {"metadata": {}}, {"metadata": {"n": 1}}),
    ({"metadata": (("n", "!=", "x"),)}, {"metadata": {"n": "y"}}, {"metadata": {"n": "x"}}),
    ({"spaces": ("other", "third")}, {"space": "other"}, {}),
    ({"now": later(5)}, {"expires_at": later(6)}, {"expires_at": later(5)}),
]


@pytest.mark.parametrize(("filter", "passing", "other"), FILTERS, ids=lambda value: next(iter(value), "-"))
def test_every_way_of_finding_holds_to_the_filter(
    store: Store, filter: dict[str, Any], passing: dict[str, Any], other: dict[str, Any]
) -> None:
    inside, outside = put(store, "Green tea", vectors(0), **passing), put(store, "Black tea", vectors(0), **other)
    assert by_word(store, "tea", **filter) == [inside.id]
    assert set(by_meaning(store, 0, **filter)) == {inside.id}
    assert store.search.by_substring("tea", everything(**filter), 5) == [inside.id]
    assert [memory.id for memory in store.memories.newest(everything(**filter), None)] == [inside.id]
    assert store.search.passing([outside.id, inside.id], everything(**filter)) == [inside.id]


def test_superseded_memories_are_found_only_when_asked_for(store: Store) -> None:
    old, new = put(store, "Green tea", vectors(0)), put(store, "Black tea", vectors(0))
    store.revisions.link(old.id, new.id, [SPACE], step(old.id, later(1)))
    assert by_word(store, "tea") == [new.id] and set(by_meaning(store, 0)) == {new.id}
    assert set(by_meaning(store, 0, include_superseded=True)) == {old.id, new.id}
    assert set(by_word(store, "tea", include_superseded=True)) == {old.id, new.id}


def test_ranking_fields_and_places_in_a_conversation(store: Store) -> None:
    turns = [put(store, text, kind="turn", session="s", speaker="Ann") for text in "abcd"]
    fact = put(store, "Tea", project="p", at=NOW - timedelta(days=1))
    fields = store.search.ranking_fields([fact.id, 999])
    assert set(fields) == {fact.id}
    assert (fields[fact.id].kind, fields[fact.id].project, fields[fact.id].happened_at) == (
        "fact",
        "p",
        fact.happened_at,
    )
    places = store.search.turns([turns[1].id, fact.id])
    assert set(places) == {turns[1].id}
    assert places[turns[1].id].beside == {-1: turns[0].id, 1: turns[2].id, 2: turns[3].id}
