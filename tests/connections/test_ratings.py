"""Shown is not used; ratings move ranks a little and eviction more, and never put anything above the user's word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scrubjay import Invalid, NotFound, Scrubjay
from scrubjay.config import config_file
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.contents import ids


def order(jay: Scrubjay, question: str = "heron nest") -> list[int]:
    return ids(jay.search(question, mode="keyword"))


def agent(jay: Scrubjay) -> Scrubjay:
    return jay.lend(trust="agent", actor="codex")


def test_a_search_shows_and_only_reading_telling_and_rating_use(jay: Scrubjay) -> None:
    jay.add("The heron nests in the willow")
    for _ in range(3):
        jay.search("heron")
    jay.add("Another")
    assert [(memory.shown_count, memory.used_count) for memory in jay.list()][-1] == (3, 0)
    jay.get(1)
    jay.rate(1, helpful=True)
    jay.add("A third")
    memory = jay.list()[-1]
    assert (memory.shown_count, memory.used_count, memory.helpful_count) == (3, 2, 1)


def test_ratings_decide_between_matches_that_are_about_as_good(jay: Scrubjay) -> None:
    one = agent(jay).add("The heron nest is in the north", kind="fact").memory.id
    two = agent(jay).add("The heron nest is in the south", kind="fact").memory.id
    assert order(jay) == [two, one]
    jay.rate(one, helpful=True)
    assert order(jay) == [one, two]
    jay.rate(one, helpful=False)
    assert order(jay) == [two, one]
    assert "rated" in jay.search("heron nest", mode="keyword")[1].why


def test_each_session_counts_once_and_its_last_word_counts(jay: Scrubjay) -> None:
    jay.add("The heron nests in the willow")
    for helpful in (True, True, False, True):
        rated = jay.rate(1, helpful=helpful, session="a")
    assert (rated.helpful_count, rated.unhelpful_count) == (1, 0)
    rated = jay.rate(1, helpful=False, session="b")
    assert (rated.helpful_count, rated.unhelpful_count) == (1, 1)


def test_no_number_of_ratings_by_an_agent_outranks_what_the_user_told(jay: Scrubjay) -> None:
    agents = agent(jay).add("The heron nest is in the north, said an agent", kind="fact").memory.id
    users = jay.add("The heron nest is in the south, said the user", kind="fact").memory.id
    assert order(jay) == [users, agents]
    before = jay.search("heron nest", mode="keyword")[0].score
    for number in range(200):
        agent(jay).rate(agents, helpful=True, session=f"s{number}")
        agent(jay).rate(users, helpful=False, session=f"s{number}")
    assert order(jay) == [users, agents]
    assert jay.search("heron nest", mode="keyword")[0].score == pytest.approx(before)
    assert jay.list()[0].unhelpful_count == 0
    jay.rate(users, helpful=False)
    assert jay.list()[0].unhelpful_count == 1


def test_a_rating_moves_nothing_in_another_space(jay: Scrubjay) -> None:
    other = jay.lend(space="other")
    mine = jay.add("The heron nest is in the north").memory.id
    other.add("The heron nest is in the north")
    scores = [hit.score for hit in other.search("heron nest")]
    jay.rate(mine, helpful=False)
    assert [hit.score for hit in other.search("heron nest")] == pytest.approx(scores)
    with pytest.raises(NotFound):
        other.rate(mine, helpful=False)
    assert jay.list()[0].unhelpful_count == 1


def test_what_was_of_no_help_is_evicted_first_and_what_was_last(jay: Scrubjay, clock: Clock) -> None:
    for text in ("oldest", "of no help", "of help", "newest"):
        agent(jay).add(f"The heron is {text}", kind="fact")
        clock.pass_(days=2)
    jay.rate(1, helpful=True)
    jay.rate(2, helpful=False)
    config_file().parent.mkdir(parents=True, exist_ok=True)
    found = jay.view.store.maintenance.expendable("default", clock(), 4)
    assert [memory.id for memory in found] == [2, 3, 4, 1]


def test_the_statistics_say_what_is_never_of_use(jay: Scrubjay) -> None:
    jay.add("The heron nests in the willow")
    jay.add("The stork nests on the roof")
    jay.add("The owl is of no help")
    for _ in range(5):
        jay.search("heron stork", mode="keyword")
    jay.get(2)
    jay.rate(3, helpful=False)
    stats = jay.stats()
    assert stats.never_of_use == (3, 1) and stats.shown == 10 and stats.used == 2


@pytest.mark.parametrize("given", [{"helpful": 1}, {"helpful": None}, {"helpful": True, "session": ""}])
def test_a_wrong_rating_is_one_sentence_and_changes_nothing(jay: Scrubjay, given: dict[str, Any]) -> None:
    jay.add("The heron nests in the willow")
    with pytest.raises(Invalid):
        jay.rate(1, **given)
    with pytest.raises(NotFound):
        jay.rate(99, helpful=True)
    assert jay.list()[0].helpful_count == 0


def test_ratings_come_back_with_their_memory(jay: Scrubjay) -> None:
    jay.add("The heron nests in the willow")
    jay.rate(1, helpful=True, session="a")
    jay.delete(1)
    assert jay.undelete(1).helpful_count == 1
    assert jay.rate(1, helpful=True, session="a").helpful_count == 1


def test_the_command_line_rates(run: Run) -> None:
    run("add", "The heron nests in the willow")
    assert run("rate", "1", "--helpful", "--session", "a").out == "Rated 1: 1 helpful, 0 unhelpful\n"
    assert json.loads(run("rate", "1", "--unhelpful", "--json").out)["unhelpful_count"] == 1
    assert "--helpful or --unhelpful" in run("rate", "1").err
    assert "never of use" in run("stats").out
