"""Whether a newer statement replaces an older one, or only adds to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.memory.contradictions import CONFLICT, RETIRE, same_statement

NEAR = 0.85  # a cosine that two such short statements often have

UPDATES = [
    ("User prefers dark mode", "User prefers light mode"),
    ("Deploys run on Fridays", "Deploys moved to Mondays"),
    ("Port is 8080", "The port is 9090 now"),
    ("Has never used Flask", "Built two Flask apps"),
    ("User lives in Berlin", "User moved to Lisbon"),
    ("Works at Acme as a data engineer", "No longer works at Acme"),
    ("Uses npm for package management", "Switched from npm to pnpm for package management"),
    ("Meeting with Dana is on Tuesday at 3 PM", "Meeting with Dana rescheduled to Thursday at 11 AM"),
    ("Monthly budget for hosting is $400", "Hosting budget increased to $650 a month"),
    ("Python 3.10 is the minimum version", "Minimum Python version is 3.12"),
    ("Feature flags are enabled in production", "Feature flags are disabled in production"),
    ("User loves sushi", "User hates sushi"),
    ("User likes coffee", "User doesn’t like coffee anymore"),
    ("Budget for the trip is 2000 euros", "Budget for the trip is 2500 euros"),
    ("The staging server is at 10.0.0.4", "The staging server is at 10.0.0.19"),
    ("User is learning Spanish", "User gave up learning Spanish"),
]
ADDITIONS = [
    ("Ann likes tea", "Ann likes hiking"),
    ("Ann's brother is Tom", "Ann's sister is Eve"),
    ("Ticket 412 is closed", "Ticket 413 is open"),
    ("Ticket 412 is open", "Ticket 413 is open"),
    ("Port of the API is 8080", "Port of the admin page is 9090"),
    ("User visited Rome in 2019", "User visited Oslo in 2022"),
    ("Bob works at Google", "Carol works at Meta"),
    ("User is allergic to peanuts", "User is allergic to shellfish"),
    ("CPU usage was 40% on Monday", "CPU usage was 55% on Tuesday"),
    ("Release 1.2 shipped on May 3", "Release 1.3 shipped on June 7"),
    ("Version 2.1 of the SDK requires Python 3.9", "Version 3.0 of the SDK requires Python 3.11"),
    ("User works as a nurse", "User works night shifts"),
    ("User likes coffee", "User likes coffee without sugar"),
    ("User has been to Japan", "User has never been to Korea"),
    ("User has never been to Japan", "User plans to visit Japan"),
    ("User avoids ride-sharing services", "User does not use ride-sharing services"),
    ("User lives in Berlin", "User's sister moved to Rome"),
]
EVENTS = [
    ("Lunch with Sam on March 3", "Lunch with Sam on April 7"),
    ("Deploy failed at 14:02", "Deploy failed at 16:40"),
    ("Lee reviewed PR 10", "Lee reviewed PR 12"),
    ("The timeout is 30 s", "The timeout for uploads is 120 s"),
]


@pytest.mark.parametrize(("old", "new"), UPDATES)
def test_an_update_retires_the_older_statement(old: str, new: str) -> None:
    assert same_statement(old, new, NEAR) >= RETIRE


@pytest.mark.parametrize(("old", "new"), ADDITIONS)
def test_an_addition_leaves_the_older_statement_alone(old: str, new: str) -> None:
    assert same_statement(old, new, NEAR) < CONFLICT


@pytest.mark.parametrize(("old", "new"), EVENTS)
def test_what_may_be_another_event_or_another_part_is_shown_and_never_retired(old: str, new: str) -> None:
    assert CONFLICT <= same_statement(old, new, NEAR)
    assert same_statement(old, new, 1.0) < RETIRE


def test_a_restatement_changes_nothing() -> None:
    assert same_statement("The port is 8080", "Port: 8080", 1.0) == 0
    assert same_statement("I never eat meat.", "I never eat meat.", 1.0) == 0


def test_a_number_announced_in_a_long_message_updates_the_one_in_another() -> None:
    old = (
        "I'm kinda worried about staying within my budget, I allocated $5,000 for post-production software licenses "
        "like Premiere Pro and Resolve, which I purchased on April 25, can you help me track my expenses?"
    )
    new = "What's the best way to allocate the increased budget of $6,200 for post-production software licenses?"
    assert same_statement(old, new, 0.67) >= RETIRE


def test_a_long_message_about_another_amount_does_not() -> None:
    old = (
        "I've agreed with Alexis on a $500 joint budget for groceries starting in September, and I'm thinking about "
        "how this change will affect our expenses, especially with the contract I'm considering"
    )
    new = "What's the best way to allocate the increased budget of $6,200 for post-production software licenses?"
    assert same_statement(old, new, 0.5) < CONFLICT


def test_code_between_fences_is_not_read() -> None:
    old, new = "The port is 8080\n```\nretries = 3\n```", "The port is 8080\n```\nretries = 5\n```"
    assert same_statement(old, new, 1.0) == 0


def test_another_number_is_seen_in_any_language() -> None:
    assert same_statement("El puerto es 8080", "El puerto es 9090", NEAR) >= RETIRE


def test_texts_that_are_not_near_are_not_the_same_statement() -> None:
    assert same_statement("Port is 8080", "The port is 9090 now", 0.2) < CONFLICT
    assert same_statement("Port is 8080", "The port is 9090 now", -0.3) == 0


def test_to_retire_takes_more_than_to_show() -> None:
    assert 0 < CONFLICT < RETIRE < 1


@given(old=st.text(), new=st.text(), cosine=st.floats(-1.001, 1.001))
def test_the_score_is_between_0_and_1_for_any_text(old: str, new: str, cosine: float) -> None:
    assert 0 <= same_statement(old, new, cosine) <= 1


WORDS = st.sampled_from("user port is now never not like 8080 $40 May 3 moved to the . , tea 9:30 no longer 's".split())


@given(old=st.lists(WORDS), new=st.lists(WORDS))
def test_the_score_never_exceeds_the_cosine(old: list[str], new: list[str]) -> None:
    assert 0 <= same_statement(" ".join(old), " ".join(new), 0.7) <= 0.7
    assert same_statement(" ".join(old), " ".join(old), 0.7) >= 0


@pytest.mark.parametrize("piece", ["never saw 3 cats on May 4 now ", "a 1. ", "```", "x", "\n", "not "])
def test_a_megabyte_is_judged_too(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert 0 <= same_statement(text, text.replace("3", "4"), 0.9) <= 1
    assert 0 <= same_statement(text, "The port is 9090 now", 0.9) <= 1
    assert 0 <= same_statement("The port is 8080", text, 0.9) <= 1
