"""Questions that tell a time by an event: what came before it, or after it, comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay import Scrubjay
from scrubjay.search.time import landmark_in
from scrubjay.types import Mode

FIRST = datetime(2024, 1, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "event", "before"),
    [
        ("Where did I live before the move?", "the move", True),
        ("Before Anna's wedding, where did we stay?", "Anna's wedding", True),
        ("what did we decide prior to migrating to Postgres", "migrating to Postgres", True),
        ("what was the rule until the audit?", "the audit", True),
        ("What changed after the outage?", "the outage", False),
        ("what broke since we upgraded to v2?", "we upgraded to v2", False),
        ("before my flight did I pack the charger?", "my flight", True),
        ("what did we use before Python 3.12?", "Python 3.12", True),
        ("what happened after Émile left?", "Émile left", False),
    ],
)
def test_an_event_is_read_from_the_question(question: str, event: str, before: bool) -> None:
    assert landmark_in(question) == (event, before)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "who looks after the dog?",
        "is she named after her aunt?",
        "what does he do after work",
        "what happened after?",
        "and before that?",
        "the day after",
        "call before 5 pm",
        "what should I check before the release?",
        "which middleware runs before the auth check?",
        "run the checks before you commit",
        "Since the API is slow, what about a cache?",
        "before the move " * 50,
    ],
)
def test_what_tells_no_time_by_an_event_names_none(question: str) -> None:
    assert landmark_in(question) is None


@given(
    st.text() | st.lists(st.sampled_from("before after since the a ing Ann , ? İ".split()), max_size=9).map(" ".join)
)
def test_any_text_may_be_asked(text: str) -> None:
    event = landmark_in(text)
    assert event is None or event.text in " ".join(text.split())


def tell(jay: Scrubjay, number: int, *texts: str) -> None:
    day = FIRST + timedelta(days=60 * number)
    jay.add_turns(f"session-{number}", [{"speaker": "Ann", "text": text, "happened_at": day} for text in texts])


def tell_of_flats(jay: Scrubjay) -> None:
    for number in range(12):
        tell(jay, number, f"My flat is in street {number}.", f"The rent of the flat is {500 + number} euros.")
    tell(jay, 6, "We moved to Porto with all our furniture, the removal lorry broke down twice.")


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_what_came_before_or_after_comes_first(jay: Scrubjay, mode: Mode) -> None:
    tell_of_flats(jay)
    before = jay.search("in which street was my flat before we moved to Porto?", mode=mode, limit=5)
    after = jay.search("in which street was my flat after we moved to Porto?", mode=mode, limit=5)
    assert {hit.memory.session for hit in before} <= {f"session-{number}" for number in range(7)}
    assert {hit.memory.session for hit in after} <= {f"session-{number}" for number in range(6, 12)}
    assert all(hit.why["when"] == 0 for hit in (*before, *after))


def test_the_other_side_ranks_lower_but_is_not_hidden(jay: Scrubjay) -> None:
    tell_of_flats(jay)
    found = jay.search("the flat in street 11, before we moved to Porto", limit=100)
    late = next(hit for hit in found if hit.memory.session == "session-11")
    assert late.why["when"] < 0 and late.score == pytest.approx(sum(late.why.values()))


def test_an_event_that_is_spoken_of_twice_may_be_either(jay: Scrubjay) -> None:
    tell_of_flats(jay)
    tell(jay, 9, "We moved to Porto with all our furniture, and the removal lorry broke down.")
    found = jay.search("in which street was my flat before we moved to Porto?", limit=100)
    unhurt = {hit.memory.session for hit in found if hit.why["when"] == 0}
    assert "session-9" in unhurt and "session-11" not in unhurt


def test_an_event_of_which_nothing_is_known_changes_nothing(jay: Scrubjay) -> None:
    tell_of_flats(jay)
    assert all("when" not in hit.why for hit in jay.search("which flat did I have before the coronation of Sigismund?"))


def test_a_date_says_more_than_an_event(jay: Scrubjay) -> None:
    tell_of_flats(jay)
    found = jay.search("in which street was my flat in January 2024, before we moved to Porto?", limit=100)
    assert {hit.memory.session for hit in found if hit.why["when"] == 0} == {"session-0"}


def test_the_event_is_found_outside_of_what_may_be_in_the_answer(jay: Scrubjay) -> None:
    tell_of_flats(jay)
    kept = jay.add("My flat had a leaking roof in January.", kind="fact", happened_at=FIRST).memory
    jay.add("My flat has a leaking roof and a balcony.", kind="fact", happened_at=FIRST + timedelta(days=700))
    assert jay.search("which flat had a leaking roof before we moved to Porto?", kinds=["fact"])[0].memory.id == kept.id
