"""The store's rules about finding: by word, by meaning, and under every filter."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scrubjay.stores import Store, open_store
from scrubjay.stores.contract import CandidateRequest, Candidates
from tests.support.stored import NOW, SPACE, by_meaning, by_word, everything, evidence, later, put, step, vectors


def by_substring(store: Store, text: str, **filter: Any) -> list[int]:
    with store.search.snapshot() as snapshot:
        return snapshot.by_substring(text, everything(**filter), 5)


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
    counts = evidence(store, one.id, two.id, text="tea or coffee").words
    assert counts is not None
    assert list(counts.words) == ["tea", "coffee"]
    assert list(counts.frequencies) == [2, 1] and counts.memories == 2
    assert list(counts.counted.rows) == [one.id, two.id]
    assert counts.counted.occurrences.tolist() == [[2, 1], [1, 0]] and counts.counted.lengths.tolist() == [3, 1]
    assert counts.held_by(two.id) == ("tea",)


def test_neighbours_are_counted_in_one_memory_only(store: Store) -> None:
    one, two, both = put(store, "we drink green"), put(store, "tea for us"), put(store, "green, and green-tea")
    counts = evidence(store, one.id, two.id, both.id, text="green-tea").words
    assert counts is not None
    pair = list(counts.words).index("green tea")
    assert counts.counted.occurrences[:, pair].tolist() == [0, 0, 1]


def test_what_is_changed_is_counted_anew(store: Store) -> None:
    memory = put(store, "tea", tags=("green",))
    store.memories.change(memory.id, [SPACE], lambda before: replace(before, tags=("black",)))
    counts = evidence(store, memory.id, text="green or black tea").words
    assert counts is not None and counts.held_by(memory.id) == ("black", "tea")


def test_of_a_very_long_memory_the_words_of_its_beginning_are_counted_and_others_are_known(store: Store) -> None:
    memory = put(store, "tea " * 10_000 + "coffee")
    counts = evidence(store, memory.id, text="tea or coffee").words
    assert counts is not None and counts.held_by(memory.id) == ("tea", "coffee")
    assert counts.counted.occurrences.tolist() == [[5_000, 1]]
    assert by_word(store, "coffee") == [memory.id]


def test_a_question_is_compared_with_memories_that_were_not_chosen_for_it(store: Store) -> None:
    for number in range(4):
        put(store, f"tea {number}", vector=vectors(number % 2))
    put(store, "elsewhere", space="other", vector=vectors(1))
    background = evidence(store, vector=vectors(0)[0]).background
    assert background is not None
    assert (background.mean, background.deviation, background.size) == (0.5, 0.5, 4)
    assert evidence(store).background is None


def test_a_part_of_a_text_is_found_as_it_is_written(store: Store) -> None:
    one, _ = put(store, "100% sure_thing"), put(store, "100 sure things")
    assert by_substring(store, "100% SURE_") == [one.id]


def test_the_nearest_in_meaning_come_with_their_exact_cosines(store: Store) -> None:
    near, far = put(store, "One", vectors(0, 3)), put(store, "Two", vectors(1, lean=1.0))
    cosines = by_meaning(store, 3)
    assert cosines == {near.id: pytest.approx(1), far.id: pytest.approx(0)}
    assert list(by_meaning(store, 3, limit=1)) == [near.id]
    fields = evidence(store, near.id, far.id, vector=vectors(3)[0]).fields
    assert {id: own.pieces for id, own in fields.items()} == {near.id: 2, far.id: 1}


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
    inside = put(store, "Green tea", vectors(0), **passing)
    put(store, "Black tea", vectors(0), **other)
    assert by_word(store, "tea", **filter) == [inside.id]
    assert set(by_meaning(store, 0, **filter)) == {inside.id}
    assert by_substring(store, "tea", **filter) == [inside.id]
    assert [memory.id for memory in store.memories.newest(everything(**filter), None)] == [inside.id]


def test_superseded_memories_are_found_only_when_asked_for(store: Store) -> None:
    old, new = put(store, "Green tea", vectors(0)), put(store, "Black tea", vectors(0))
    store.revisions.link(old.id, new.id, [SPACE], step(old.id, later(1)))
    assert by_word(store, "tea") == [new.id] and set(by_meaning(store, 0)) == {new.id}
    assert set(by_meaning(store, 0, include_superseded=True)) == {old.id, new.id}
    assert set(by_word(store, "tea", include_superseded=True)) == {old.id, new.id}


def test_ranking_fields_and_places_in_a_conversation(store: Store) -> None:
    turns = [put(store, text, kind="turn", session="s", speaker="Ann") for text in "abcd"]
    fact = put(store, "Tea", project="p", at=NOW - timedelta(days=1))
    fields = evidence(store, fact.id, 999).fields
    assert set(fields) == {fact.id}
    assert (fields[fact.id].kind, fields[fact.id].project, fields[fact.id].happened_at) == (
        "fact",
        "p",
        fact.happened_at,
    )
    places = evidence(store, turns[1].id, fact.id, neighbours_of=()).turns
    assert set(places) == {turns[1].id}
    assert places[turns[1].id].beside == {-1: turns[0].id, 1: turns[2].id, 2: turns[3].id}


def test_neighbours_of_the_leading_turns_become_candidates_if_they_pass_the_filter(store: Store) -> None:
    turns = [put(store, text, kind="turn", session="s", speaker=who) for text, who in zip("abc", "ABA", strict=True)]
    found = evidence(store, turns[1].id, neighbours_of=[turns[1].id])
    assert set(found.ids) == set(found.fields) == {turn.id for turn in turns}
    assert set(evidence(store, turns[1].id, neighbours_of=[]).ids) == {turns[1].id}
    only = evidence(store, turns[0].id, neighbours_of=[turns[0].id], filter=everything(speaker="A"))
    assert set(only.ids) == {turns[0].id}


def test_short_turns_are_compared_with_the_one_before(store: Store) -> None:
    turns = [put(store, f"tea {n}", vectors(n), kind="turn", session="s") for n in range(2)]
    asked = {"text": "tea", "vector": vectors(0)[0], "neighbours_of": ()}
    found = evidence(store, turns[1].id, short_turn_words=5, **asked)
    ((id, (before, cosine)),) = found.previous.items()
    assert (id, before) == (turns[1].id, turns[0].id) and cosine == pytest.approx(0)
    assert set(found.cosines) == {turn.id for turn in turns}
    assert evidence(store, turns[1].id, short_turn_words=1, **asked).previous == {}


def test_candidates_are_also_those_of_the_first_time_that_finds_any(store: Store) -> None:
    tea, coffee = put(store, "Green tea", kind="note"), put(store, "Black coffee", kind="turn", session="s")
    requests = [CandidateRequest(everything(), 5, text) for text in ("cocoa", "coffee", "tea")]
    with store.search.snapshot() as snapshot:
        of_times = requests[2]._replace(times=requests)
        assert snapshot.candidates(of_times) == Candidates((tea.id, coffee.id), time=1)
        assert snapshot.candidates(of_times._replace(times=requests[:1])) == Candidates((tea.id,))
        others = requests[1]._replace(text="tea coffee", without_kinds={"turn"})
        assert snapshot.candidates(others).by_word == (tea.id,)
        newest = requests[0]._replace(newest=everything(), newest_limit=1)
        assert snapshot.candidates(newest).by_word == (coffee.id,)


def test_turns_are_presented_with_neighbours_and_replaced_memories_that_share_their_words(store: Store) -> None:
    said = [put(store, text, kind="turn", session="s") for text in ("I drink green tea", "every day")]
    old, new = put(store, "drinks green tea"), put(store, "drinks coffee")
    store.revisions.link(old.id, new.id, [SPACE], step(old.id, later(1)))
    with store.search.snapshot() as snapshot:
        shown = snapshot.present([said[0].id, new.id], [SPACE], NOW, NOW, similar=5)
    assert set(shown.memories) == {said[0].id, new.id}
    assert [memory.id for memory in shown.neighbours[said[0].id]] == [said[1].id]
    assert [(one.id, other.id) for one, other in shown.replaced[said[0].id]] == [(old.id, new.id)]


def test_a_snapshot_does_not_see_what_is_written_meanwhile(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.db"))
    one, two = put(store, "Green tea", vectors(0)), put(store, "Black tea", vectors(1))
    request = CandidateRequest(everything(), 5, "tea", vectors(0)[0])
    with store.search.snapshot() as snapshot:
        before = snapshot.candidates(request)
        put(store, "White tea", vectors(0))
        store.revisions.link(one.id, two.id, [SPACE], step(one.id, later(1)))
        assert snapshot.candidates(request) == before and set(before.by_word) == {one.id, two.id}
        assert snapshot.memories([one.id], [SPACE], NOW)[one.id].superseded_by is None
    assert set(by_word(store, "tea")) == {two.id, 3}
    store.close()
