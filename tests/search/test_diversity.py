"""Repetitions among results: folded into the best of them, counted, and never mistaken for something else."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay import Memory, Scrubjay
from scrubjay.search.diversity import repeated
from scrubjay.types import first_words
from tests.support.commands import Run

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LONG = "Every Friday after lunch the team meets in the small room beside the kitchen to talk about releases"
words = st.sampled_from(
    "the port is 8080 8081 not never open on Monday, Tuesday (staging) Staging! v1.2 v1.3 -5 5".split()
)
statements = st.lists(words, min_size=1, max_size=14).map(" ".join)


def memory(id: int, text: str, **fields: Any) -> Memory:
    plain = {"uid": str(id), "space": "default", "kind": "fact", "title": first_words(text)}
    return Memory(id=id, text=text, happened_at=NOON, created_at=NOON, updated_at=NOON, **{**plain, **fields})


def same(one: str, other: str) -> bool:
    return repeated([memory(1, one), memory(2, other)]) == {2: 1}


def numbers(text: str) -> list[str]:
    return [word.strip("(),!") for word in text.split() if re.search(r"\d", word)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User prefers dark mode", "the user prefers  DARK mode."),
        ("The port is “8080”", "the port is 8080!"),
        ("Don’t deploy on Fridays", "don't deploy on Fridays."),
        (LONG, LONG.replace("small room", "small quiet room")),
    ],
)
def test_the_same_words_in_another_dress_are_one_statement(one: str, other: str) -> None:
    assert same(one, other) and same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The port is 8080", "The port is 8081"),
        ("It was -5 degrees", "It was 5 degrees"),
        ("We use C++ here", "We use C# here"),
        ("Ann called Bob", "Bob called Ann"),
        ("It works", "It works?"),
        ("Version v1.2 is out", "Version v1.3 is out"),
        (LONG, LONG.replace("Friday", "Monday")),
        (LONG, LONG.replace("meets", "never meets")),
        (LONG, LONG.replace("meets", "no longer meets")),
        (LONG, f"{LONG} without Ann"),
        (LONG, LONG.replace("the team", "two of the team")),
        (LONG, LONG.replace("kitchen", "entrance")),
        ("", ""),
    ],
)
def test_another_number_day_name_or_denial_makes_another_statement(one: str, other: str) -> None:
    assert not same(one, other) and not same(other, one)


@pytest.mark.parametrize(
    "fields",
    [
        {"speaker": "Ben"},
        {"space": "team"},
        {"project": "shop"},
        {"subject": "deploy"},
        {"superseded_at": NOON},
        {"title": "On macOS"},
        {"context": "Only at night"},
    ],
)
def test_equal_words_of_another_person_or_about_another_thing_are_two_statements(fields: dict[str, Any]) -> None:
    assert repeated([memory(1, "Run the installer"), memory(2, "Run the installer", **fields)]) == {}


@given(st.lists(statements, min_size=1, max_size=12))
def test_folding_keeps_the_best_loses_nothing_and_never_joins_other_numbers(said: list[str]) -> None:
    found = {number: memory(number, text) for number, text in enumerate(said, start=1)}
    again = repeated(found.values())
    assert 1 not in again and again.keys() <= found.keys()
    for folded, better in again.items():
        assert better < folded and better not in again
        assert numbers(found[folded].text) == numbers(found[better].text)


def test_a_search_shows_the_best_of_its_repetitions_and_fills_the_freed_places(jay: Scrubjay) -> None:
    jay.add_turns("s", [{"speaker": "Ann", "text": f"Yes, go on with the tests{'.' * (n % 3)}"} for n in range(6)])
    jay.add_turns("t", [{"speaker": "Ben", "text": "Yes, go on with the tests"}])
    jay.add_many([{"text": f"The tests of part {number} go on"} for number in range(4)])
    results = jay.search("yes, go on with the tests", limit=4)
    assert len(results) == 4 and len({hit.memory.text.rstrip(".") for hit in results if not hit.memory.speaker}) == 2
    (ann,) = (hit for hit in results if hit.memory.speaker == "Ann")
    assert {ann.memory.id, *ann.also} == set(range(1, 7))
    assert "5 near-identical results are folded into others." in results.notes


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_no_number_of_repetitions_hides_what_else_there_is(jay: Scrubjay, mode: Any) -> None:
    jay.add_turns("s", [{"speaker": "Ann", "text": "the licence of the heron"}] * 150)
    jay.add_many([{"text": "the licence of the heron is kept by Ann in a drawer"}, {"text": "a heron by the river"}])
    results = jay.search("licence heron", limit=3, mode=mode)
    assert len(results) == 3 and {hit.memory.id for hit in results} >= {151, 152}


def test_only_what_is_shown_or_folded_was_found(jay: Scrubjay) -> None:
    jay.add_turns("s", [{"speaker": "Ann", "text": f"heron {number // 3}"} for number in range(9)])
    results = jay.search("heron", limit=10)
    assert sorted(id for hit in results for id in (hit.memory.id, *hit.also)) == list(range(1, 10))
    assert [len(hit.also) for hit in results] == [2, 2, 2]


def test_a_timeline_tells_repetitions_one_by_one(jay: Scrubjay) -> None:
    jay.add_turns("s", [{"speaker": "Ann", "text": "the heron is back"}] * 3)
    assert len([event for event in jay.timeline(query="heron") if event.memory]) == 3


def test_the_command_line_marks_and_counts_repetitions(run: Run) -> None:
    run("add", "The staging server is called heron", "--kind", "fact")
    run("add", "the staging server is called Heron!", "--kind", "note")
    found = run("search", "heron")
    assert "(+1 alike) " in found.out and "1 near-identical result is folded into others." in found.err
    (hit,) = run("search", "heron", "--json").json["results"]
    assert sorted([hit["id"], *hit["also"]]) == [1, 2]
    (full,) = run("search", "heron", "--json", "--full").json["results"]
    assert full["also"] == hit["also"] and full["words"] == ["heron"]
