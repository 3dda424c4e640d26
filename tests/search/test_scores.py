"""How candidates are scored where words and meaning are both asked: conversations, matches by words, distances."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Results, Scrubjay
from scrubjay.search import signals
from scrubjay.stores.contract import Background
from scrubjay.stores.evidence.word_counts import Counted

WEATHER = [f"It rained again on day {number}." for number in range(12)]

VET, OKAFOR = "Which vet did you take the parrot to in the end?", "Doctor Okafor, next to the bakery."


@pytest.fixture
def meaning(path: Path) -> Iterator[Scrubjay]:
    """A memory with the bundled model."""
    with scrubjay.open(path) as opened:
        yield opened


def texts(results: Results) -> list[str]:
    return [hit.memory.text for hit in results]


def talk_about_the_parrot(jay: Scrubjay) -> None:
    jay.add_turns("pets", [{"speaker": "Ann", "text": VET}, {"speaker": "Ben", "text": OKAFOR}])


def test_the_answer_beside_the_words_that_were_asked_for_is_found(meaning: Scrubjay) -> None:
    meaning.add_turns("weather", [{"speaker": "Ben", "text": text} for text in WEATHER])
    talk_about_the_parrot(meaning)
    found = meaning.search("Which vet does Ben take the parrot to?", limit=2)
    answer = found[texts(found).index(OKAFOR)]
    assert answer.why["keyword"] > 0 and answer.why["session"] > 0


def test_a_neighbour_that_the_filter_does_not_let_through_is_no_result(meaning: Scrubjay) -> None:
    talk_about_the_parrot(meaning)
    assert texts(meaning.search("which vet for the parrot", speaker="Ann")) == [VET]
    assert texts(meaning.search("which vet for the parrot", speaker="Ben")) == [OKAFOR]


def test_whose_turn_it_is_counts_in_words_and_in_meaning(meaning: Scrubjay) -> None:
    for speaker in ("Ann", "Ben"):
        meaning.add_turns(speaker, [{"speaker": speaker, "text": "I took up the cello this spring"}])
    for mode in ("hybrid", "keyword", "vector"):
        for speaker in ("Ann", "Ben"):
            found = meaning.search(f"which instrument does {speaker} play, the cello?", mode=mode)
            assert found[0].memory.speaker == speaker, mode


def test_a_role_or_a_name_that_the_text_begins_with_is_not_said_twice(jay: Scrubjay) -> None:
    for speaker, text, said in [
        ("user", "hello", "hello"),
        ("Ann", "Ann: hello", "Ann: hello"),
        ("Ann", "hello", "Ann: hello"),
    ]:
        (turn,) = jay.add_turns("s", [{"speaker": speaker, "text": text}])
        assert turn.memory.said == said and turn.memory.text == text


def test_what_people_tell_comes_before_what_an_assistant_makes_of_it(meaning: Scrubjay) -> None:
    said = "The cello lesson is on Tuesday at five."
    meaning.add_turns("s", [{"speaker": "assistant", "text": said}])
    meaning.add_turns("t", [{"speaker": "user", "text": said}])
    first, second = meaning.search("when is the cello lesson?")
    assert first.memory.speaker == "user" and second.why["assistant"] < 0


@pytest.mark.parametrize(
    "question", ["which diet did you suggest?", "the diet you recommended", "your advice on a diet"]
)
def test_what_you_said_is_asked_of_the_assistant(meaning: Scrubjay, question: str) -> None:
    for speaker in ("assistant", "user"):
        meaning.add_turns(f"by {speaker}", [{"speaker": speaker, "text": "A diet of rice and beans is cheap."}])
    assert meaning.search(question)[0].memory.speaker == "assistant"
    assert meaning.search("which diet is cheap?")[0].memory.speaker == "user"


def test_words_that_hold_little_of_the_question_give_way_to_meaning(meaning: Scrubjay) -> None:
    told = ("The heron nests in the old oak", "Ann enjoys fiery Sichuan dishes", "Restaurants would suit a hotel")
    meaning.add_many([{"text": text} for text in (*WEATHER, *told)])
    assert meaning.search("where does the heron nest")[0].memory.text == told[0]
    asked = meaning.search("which kind of place would somebody enjoy who likes spicy noodles")
    assert asked[0].memory.text == told[1]


@pytest.mark.parametrize(
    "question",
    [
        "¿Dónde construyó su casa Ostervald?",
        "Ostervald在哪里建造了他的房子？",
        "Πού έχτισε ο Ostervald;",
        "Où Ostervald a-t-il construit ?",
    ],
)
def test_of_a_question_in_another_language_the_names_count_more(meaning: Scrubjay, question: str) -> None:
    meaning.add_many([{"text": text} for text in (*WEATHER, "Ostervald settled on the hill")])
    found = meaning.search(question)
    assert found[0].memory.text == "Ostervald settled on the hill"


COUNTS = st.lists(st.integers(0, 5), min_size=3, max_size=3)
COUNTED = st.dictionaries(st.integers(1, 9), st.tuples(COUNTS, st.integers(1, 200)), min_size=1).map(
    lambda of_memories: Counted(
        {id: row for row, id in enumerate(of_memories)},
        np.array([counts for counts, _ in of_memories.values()], dtype=np.float64),
        np.array([length for _, length in of_memories.values()], dtype=np.float64),
    )
)


@given(COUNTED, st.lists(st.integers(0, 9), min_size=3, max_size=3))
def test_a_match_by_words_stays_between_0_and_1(counted: Counted, frequencies: list[int]) -> None:
    scores, covered = (part(frequencies, 9, counted) for part in (signals.word_scores, signals.coverage))
    assert all(0 <= match <= 1 for match in signals.word_matches(scores, covered))


@given(st.dictionaries(st.integers(1, 9), st.floats(-1, 1)), st.floats(-1, 1), st.floats(0, 1), st.integers(0, 128))
def test_distances_keep_the_order_of_the_cosines(
    cosines: dict[int, float], mean: float, deviation: float, size: int
) -> None:
    for model in ("all-MiniLM-L6-v2/int8", "another"):
        far = signals.distances(cosines, Background(mean, deviation, size), model)
        nearest = sorted(cosines, key=lambda id: cosines[id])
        assert all(far[lower] <= far[higher] for lower, higher in pairwise(nearest))


@given(COUNTED, st.lists(st.integers(1, 9), max_size=4))
def test_what_is_read_around_a_turn_only_adds_words(counted: Counted, beside: list[int]) -> None:
    around = signals.with_neighbours(counted, counted.rows, {next(iter(counted.rows)): beside})
    assert (around.occurrences >= counted.occurrences).all() and (around.lengths >= counted.lengths).all()
