"""How likely each result answers: the likely ones apart from the rest, by any way of searching."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Results, Scrubjay
from scrubjay.models.word_likeness import nearest_in_texts
from scrubjay.search.confidence import Traits, confidence, likely_from
from tests.support.clock import Clock

TOLD = [
    "Allergic to peanuts.",
    "The heron nests in the old oak",
    "Deploys are on Tuesday and Thursday before three",
    "Ann plays the cello on Fridays",
    "The staging database listens on port 6543",
]
NEVER_TOLD = "explain quantum entanglement in two sentences"
THE_NEAREST = "Nothing found seems to answer this; these are the nearest."


@pytest.fixture
def few(path: Path, clock: Clock) -> Iterator[Scrubjay]:
    """Five memories, with the bundled model."""
    with scrubjay.open(path, clock=clock) as opened:
        opened.add_many([{"text": text} for text in TOLD])
        yield opened


def likely(results: Results) -> list[str]:
    return [hit.memory.text for hit in results.likely]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which snacks are dangerous for me?", TOLD[0]),
        ("where does the heron nest?", TOLD[1]),
        ("on which days do we deploy?", TOLD[2]),
        ("staging database port", TOLD[4]),
    ],
)
def test_of_five_memories_only_the_answer_is_likely(few: Scrubjay, question: str, answer: str) -> None:
    found = few.search(question)
    assert likely(found) == [answer] and len(found) == len(TOLD) and not found.doubtful


def test_nothing_is_likely_where_nothing_answers_and_a_note_says_so(few: Scrubjay) -> None:
    found = few.search(NEVER_TOLD)
    assert found.doubtful and not found.likely and found.notes == (THE_NEAREST,)


def test_only_the_likely_are_given_if_asked_and_how_many_are_left_out_is_said(few: Scrubjay) -> None:
    found = few.search("where does the heron nest?", likely=True)
    assert [hit.memory.text for hit in found] == [TOLD[1]]
    assert found.notes == ("4 less likely results are left out.",)
    assert not few.search(NEVER_TOLD, likely=True)


def test_what_is_of_the_time_that_was_asked_for_is_likely(few: Scrubjay) -> None:
    found = few.search("what happened today?")
    assert len(found.likely) == len(TOLD)


def test_what_was_deleted_shifts_no_confidence(few: Scrubjay, path: Path) -> None:
    few.search(NEVER_TOLD)
    few.delete(2)
    told = [(hit.memory.id, hit.confidence) for hit in few.search(NEVER_TOLD)]
    with scrubjay.open(path) as fresh:
        assert told == [(hit.memory.id, hit.confidence) for hit in fresh.search(NEVER_TOLD)]


def test_a_word_that_means_nearly_the_same_covers_more_of_the_question_than_any_other() -> None:
    likeness = nearest_in_texts(["automobile", "quince", ""], ["We sold the car.", "Deploys are on Tuesday", ""])
    assert likeness[0][0] > 2 * likeness[1][0] > likeness[2][0] == 0
    assert all(0 <= alike <= 1 for row in likeness for alike in row) and likeness[0][2] == 0


def test_facts_about_somebody_else_are_less_likely(path: Path) -> None:
    with scrubjay.open(path) as jay:
        jay.add("Ann has a black laptop from work", subject="Ann")
        hers, others = (jay.search(f"which laptop does {name} have?")[0].confidence for name in ("Ann", "Petra"))
    assert hers is not None and others is not None and hers > others


@given(
    st.sampled_from(["hybrid", "keyword", "vector"]), st.floats(-5, 10), st.floats(0, 1), st.floats(0, 1),
    st.integers(0, 10**7), st.booleans(),
)  # fmt: skip
def test_a_confidence_is_a_probability(
    ways: str, distance: float, covered: float, behind: float, memories: int, unnamed: bool
) -> None:
    assert 0 < confidence(Traits(ways, distance, covered, behind, memories, unnamed)) < 1
    assert 0 < likely_from(memories) <= likely_from(memories // 2) < 1
