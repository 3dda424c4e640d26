"""Finding: by word, by meaning, by both, inside any filter, and honest about what was weaker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import Invalid, Scrubjay
from tests.support.clock import Clock
from tests.support.examples import examples
from tests.support.odd_queries import assert_nothing_is_raised, odd_queries

Reopen = Callable[..., Scrubjay]


def texts(results: scrubjay.Results) -> list[str]:
    return [hit.memory.text for hit in results]


def test_meaning_finds_what_shares_no_word(path: Any) -> None:
    with scrubjay.open(path) as jay:
        jay.add_many(
            [
                {"text": "The user cannot eat peanuts"},
                {"text": "Releases go out on Thursday afternoons"},
                {"text": "The staging server is called heron-2"},
                {"text": "Ann's birthday is in June"},
            ]
        )
        assert texts(jay.search("which snacks are dangerous?", limit=1)) == ["The user cannot eat peanuts"]
        assert texts(jay.search("when do we ship?", mode="vector", limit=1)) == [
            "Releases go out on Thursday afternoons"
        ]
        results = jay.search("heron-2")
        assert texts(results)[0] == "The staging server is called heron-2"
        assert set(results.tiers) == {"keyword", "vector"} and results.notes == ()


def test_scores_lie_between_0_and_1_and_are_the_sum_of_their_reasons(jay: Scrubjay) -> None:
    jay.add_many([{"text": f"apple number {number} in the basket"} for number in range(40)])
    for mode in ("hybrid", "keyword", "vector"):
        for fusion in ("sum", "rrf"):
            results = jay.search("apple number 7", mode=mode, fusion=fusion)
            scores = [hit.score for hit in results]
            assert len(results) == 10 and scores == sorted(scores, reverse=True)
            assert all(0 <= hit.score <= 1 and hit.score == pytest.approx(sum(hit.why.values())) for hit in results)
            assert results[0].memory.text == "apple number 7 in the basket"


def test_a_tiny_store_ranks_as_sensibly_as_a_large_one(jay: Scrubjay) -> None:
    jay.add_many([{"text": "the cat sleeps"}, {"text": "the dog barks"}, {"text": "the cat and the dog fight"}])
    assert texts(jay.search("dog barks", mode="keyword"))[0] == "the dog barks"
    assert all(hit.score > 0.05 for hit in jay.search("cat", mode="keyword"))


def test_weights_decide_which_signal_counts(jay: Scrubjay) -> None:
    jay.add_many([{"text": "apples", "kind": "fact"}, {"text": "pears and plums", "kind": "fact"}])
    words = jay.search("apples", weights={"keyword": 1, "vector": 0})
    assert set(words[0].why) == {"keyword"}
    for bad in ({"colour": 1}, {"keyword": -1}, {"keyword": float("inf")}, {"vector": True}):
        with pytest.raises(Invalid, match="weight"):
            jay.search("apples", weights=bad)


def test_what_is_replaced_or_expired_is_left_out_unless_asked_for(jay: Scrubjay, clock: Clock) -> None:
    old = jay.add("User prefers dark mode").memory
    jay.supersede(old.id, "User prefers light mode")
    jay.add("User prefers silence today", expires_at=clock.now + timedelta(hours=1))
    assert len(jay.search("user prefers")) == 2
    clock.pass_(hours=2)
    assert texts(jay.search("user prefers")) == ["User prefers light mode"]
    for mode in ("keyword", "vector", "hybrid"):
        both = jay.search("user prefers", include_superseded=True, mode=mode)
        assert {hit.memory.id for hit in both} == {old.id, old.id + 1}


def test_without_an_embedder_words_answer_and_say_so(path: Any) -> None:
    with scrubjay.open(path, embedder="none") as jay:
        jay.add("The staging server is called heron-2")
        results = jay.search("where is staging?")
        assert len(results) == 1 and results.tiers == ("keyword",)
        assert "by words only" in results.notes[0]
        assert jay.search("staging", mode="keyword").notes == ()


def test_where_no_word_matches_parts_of_words_do_and_it_says_so(path: Any) -> None:
    with scrubjay.open(path, embedder="none") as jay:
        jay.add("Uses pneumonoultramicroscopic tests: 100% 'real'_")
        for part in ("ultramicro", "100% 'r", "l'_"):
            results = jay.search(part, mode="keyword")
            assert len(results) == 1, part
        assert "No word matched" in jay.search("ultramicro", mode="keyword").notes[0]
        assert len(jay.search("nothing_like%it", mode="keyword")) == 0


def test_a_threshold_hides_the_weak_and_tells_how_many(jay: Scrubjay) -> None:
    jay.add_many(
        [{"text": "red apples and green pears"}, {"text": "apples"}, {"text": "apples or something else entirely"}]
    )
    everything = jay.search("apples", mode="keyword")
    some = jay.search("apples", mode="keyword", min_score=everything[0].score)
    assert len(some) == 1 and some.notes == (f"2 weaker matches are hidden by min_score {everything[0].score:g}.",)


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({"kinds": ["fact"]}, {"a"}),
    ({"kinds": "fact"}, {"a"}),
    ({"kinds": ["fact", "note"]}, {"a", "b"}),
    ({"subject": "user"}, {"a", "c"}),
    ({"tags": ["x", "nope"]}, {"a"}),
    ({"project": "p"}, {"b"}),
    ({"sources": ["file"]}, {"b", "c"}),
    ({"sources": ["file:n.md"]}, {"b"}),
    ({"metadata": {"size": 10}}, {"a"}),
    ({"metadata": {"size": {">": 9, "<=": 20}}}, {"a", "b"}),
    ({"metadata": {"size": {"!=": 10}}}, {"b"}),
    ({"metadata": {"size": "10"}}, {"c"}),
    ({"metadata": {"done": True}}, {"a"}),
    ({"metadata": {"done": None}}, {"b", "c"}),
    ({"metadata": {"a.b": "dotted"}}, {"c"}),
    ({"since": datetime(2026, 2, 1, tzinfo=UTC)}, {"b", "c"}),
    ({"until": "2026-02-15T00:00:00Z"}, {"a", "b"}),
    ({"min_importance": 6}, {"b"}),
    ({"min_confidence": 0.9}, {"a", "c"}),
    ({"session": "s"}, {"c"}),
    ({"kinds": ["fact"], "subject": "team"}, set()),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS, ids=[str(filters) for filters, _ in FILTERS])
@pytest.mark.parametrize("mode", ["keyword", "vector", "hybrid"])
def test_each_filter_keeps_just_what_it_says(
    jay: Scrubjay, filters: dict[str, Any], expected: set[str], mode: Any
) -> None:
    day = datetime(2026, 1, 15, tzinfo=UTC)
    jay.add(
        "same words a", kind="fact", subject="user", tags=["x"], metadata={"size": 10, "done": True}, happened_at=day
    )
    jay.add(
        "same words b", kind="note", project="p", source="file:n.md", metadata={"size": 20.0}, importance=8,
        confidence=0.5, happened_at=day + timedelta(days=30),
    )  # fmt: skip
    jay.add(
        "same words c", kind="event", subject="user", source="file:other.md", session="s",
        metadata={"size": "10", "a.b": "dotted"}, happened_at=day + timedelta(days=60),
    )  # fmt: skip
    assert {text[-1] for text in texts(jay.search("same words", mode=mode, **filters))} == expected
    assert {memory.text[-1] for memory in jay.list(**filters)} == expected


@pytest.mark.parametrize(
    "filters",
    [
        {"metadata": {"size": {"~": 1}}},
        {"metadata": {"size": [1]}},
        {"metadata": {'si"ze': 1}},
        {"metadata": "size"},
        {"metadata": {"done": {"<": True}}},
        {"kinds": [1]},
        {"colour": "red"},
        {"since": datetime(2026, 1, 1)},
        {"min_importance": "high"},
        {"subject": 7},
    ],
)
def test_a_filter_that_makes_no_sense_is_an_error(jay: Scrubjay, filters: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        jay.search("anything", **filters)
    with pytest.raises(Invalid):
        jay.list(**filters)


@pytest.mark.parametrize(
    "asked",
    [
        {"limit": 0},
        {"limit": 1001},
        {"limit": "5"},
        {"mode": "magic"},
        {"fusion": "glue"},
        {"min_score": 2},
        {"spaces": []},
    ],
)
def test_a_question_asked_wrongly_is_an_error(jay: Scrubjay, asked: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        jay.search("anything", **asked)
    with pytest.raises(Invalid):
        jay.search(7)  # type: ignore[arg-type]


def test_spaces_are_kept_apart_unless_several_are_named(jay: Scrubjay, reopen: Reopen) -> None:
    mine = jay.add("The secret word is heron").memory
    with reopen(space="other") as other:
        theirs = other.add("The secret word is wren").memory
        for mode in ("keyword", "vector", "hybrid"):
            assert texts(other.search("secret word", mode=mode)) == [theirs.text]
            both = other.search("secret word", mode=mode, spaces=["default", "other"])
            assert set(texts(both)) == {mine.text, theirs.text}
        assert other.get(mine.id) is None and other.get(mine.id, spaces=["default"]) == jay.get(mine.id)
        for change in (other.delete, other.confirm, other.history, other.timeline, other.update):
            with pytest.raises(scrubjay.NotFound):
                change(mine.id)
        with pytest.raises(scrubjay.NotFound):
            other.supersede(theirs.id, by=mine.id)
    assert jay.spaces() == {"default": 1, "other": 1}


def test_a_memory_of_the_project_being_worked_on_is_lifted(jay: Scrubjay, reopen: Reopen) -> None:
    jay.add("Unit tests run at night", project="one")
    jay.add("Unit tests run at noon", project="two")
    with reopen(project="one") as one, reopen(project="two") as two:
        assert one.search("when do unit tests run", limit=1)[0].memory.project == "one"
        assert two.search("when do unit tests run", limit=1)[0].memory.project == "two"
        assert "project" in two.search("when do unit tests run")[0].why


def test_a_turn_that_is_found_knows_its_neighbours(jay: Scrubjay) -> None:
    said = ["I moved", "Oh? where to?", "to Lisbon, for good", "Congratulations!"]
    jay.add_turns("s1", [{"speaker": "Ann", "text": text} for text in said])
    jay.add_turns("s2", [{"speaker": "Bob", "text": "unrelated"}])
    (hit,) = jay.search("Lisbon", mode="keyword")
    assert [turn.text for turn in hit.neighbours] == ["Oh? where to?", "Congratulations!"]


def test_several_questions_are_answered_as_one_by_one(jay: Scrubjay) -> None:
    jay.add_many([{"text": f"fruit {name}"} for name in ("apple", "pear", "plum")])
    queries = ["apple", "a plum", ""]
    together = jay.search_many(queries, limit=2)
    assert [texts(one) for one in together] == [texts(jay.search(query, limit=2)) for query in queries]


def test_a_search_shows_and_a_get_uses(jay: Scrubjay, reopen: Reopen) -> None:
    id = jay.add("apples").memory.id
    jay.search("apples")
    jay.get(id)
    jay.close()
    with reopen() as again:
        memory = again.get(id)
        assert memory is not None and (memory.shown_count, memory.used_count) == (1, 1) and memory.used_at is not None


def test_numbers_that_only_the_newer_one_has_win(jay: Scrubjay) -> None:
    jay.add_many([{"text": f"ticket {number} is closed"} for number in range(200)])
    assert texts(jay.search("ticket 137", limit=1)) == ["ticket 137 is closed"]


def test_odd_queries_raise_nothing(path: Path) -> None:
    assert_nothing_is_raised(path, odd_queries(500, 100_000))


@pytest.fixture
def by_words() -> Iterator[Scrubjay]:
    with scrubjay.open(":memory:", embedder="none") as opened:
        yield opened


@given(st.text())
@hypothesis_settings(max_examples=examples(100, searched=2_000))
def test_any_text_is_a_query_and_finds_itself(by_words: Scrubjay, text: str) -> None:
    jay = by_words
    if text.strip() and "\0" not in text:
        id = jay.add(text).memory.id
        assert id in [hit.memory.id for hit in jay.search(text)]
        jay.delete(id)
    assert len(jay.search(text)) == 0


@pytest.mark.parametrize("query", ["", " ", "\n\t \u3000"])
def test_an_empty_query_finds_nothing_and_says_what_to_do(by_words: Scrubjay, query: str) -> None:
    by_words.add("The kettle is blue")
    for found in (by_words.search(query), by_words.search_many(["tea", query])[1]):
        assert len(found) == 0
        assert any(note.startswith("The query is empty; say what to look for") for note in found.notes)


def test_a_query_without_words_finds_the_text_as_typed_also_among_turns(jay: Scrubjay) -> None:
    jay.add_turns("s", [{"text": f"Shall we begin with part {number}?"} for number in range(12)])
    results = jay.search("?", mode="keyword")
    assert len(results) == 10 and results.tiers == ("substring",)


@pytest.mark.parametrize("name", ["a\0b", "a\0", 'say "a" AND (b*', "a:b^c", "a\\b"])
@pytest.mark.parametrize("field", ["subject", "project", "session", "tags", "source"])
def test_a_filter_is_no_syntax_whatever_characters_it_has(jay: Scrubjay, field: str, name: str) -> None:
    given: dict[str, Any] = {field: [name] if field == "tags" else name}
    asked: dict[str, Any] = {"sources": [name]} if field == "source" else given
    jay.add("The kettle is blue")
    own = jay.add("The kettle is green", **given).memory
    assert [hit.memory.id for hit in jay.search("kettle", **asked)] == [own.id]
