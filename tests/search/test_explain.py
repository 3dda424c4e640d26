"""Why something was found: sentences that a person understands, the same at every door."""

from __future__ import annotations

import pytest

from scrubjay import Hit, Results, Scrubjay
from scrubjay.search.explain import because, overall
from tests.support.clock import Clock
from tests.support.commands import Run


def explained(results: Results, place: int = 0) -> str:
    return " ".join(because(results[place], results))


def test_the_words_that_were_found_are_named_and_counted(jay: Scrubjay) -> None:
    jay.add("The postgres migration waits for a lock")
    results = jay.search("which redis or postgres migrations lock?", mode="keyword")
    assert results.words == ("redis", "postgres", "migrations", "lock")
    assert results[0].words == ("postgres", "migrations", "lock")
    assert "Has 3 of your 4 words: postgres, migrations, lock (0." in explained(results)
    assert overall(results) == ["Searched by words."]
    assert "Has your word: lock (" in explained(jay.search("lock", mode="keyword"))
    assert "Has all your 2 words: postgres, lock" in explained(jay.search("postgres lock"))


def test_the_weightiest_reason_comes_first_and_none_is_told_that_cannot_be_seen(jay: Scrubjay) -> None:
    jay.add("The postgres migration waits for a lock", kind="note")
    results = jay.search("postgres lock")
    assert results[0].why["decay"] == 0
    shares = sorted((share for share in results[0].why.values() if share), reverse=True)
    likelihood, *told = because(results[0], results)
    assert all(f"({share:.2f})" in one for share, one in zip(shares, told, strict=True))
    assert results[0].confidence and likelihood == f"Answers you with a likelihood of {results[0].confidence:.0%}."


def test_meaning_alone_says_that_no_word_was_met(jay: Scrubjay) -> None:
    jay.add_many([{"text": "herons fish by the river"}, {"text": "the river is low"}])
    results = jay.search("heron river")
    other = next(hit for hit in jay.search("herons") if not hit.words)
    assert overall(results)[0] == "Searched by words and by meaning."
    assert because(other, results)[-1] == "Has none of your words."
    assert "words" not in explained(jay.search("heron", mode="vector"))


def test_speakers_neighbours_and_corrections_are_told_in_words(jay: Scrubjay) -> None:
    jay.add_turns(
        "s",
        [
            {"speaker": "Caroline", "text": "Where does the heron nest?"},
            {"speaker": "Ben", "text": "In the old oak"},
        ],
    )
    jay.add_many([{"text": f"It rained on day {number}"} for number in range(9)])
    results = jay.search("where does Caroline see the heron nest")
    assert "Said by Caroline, whom you asked about (0." in explained(results)
    ben = next(hit for hit in results if hit.memory.speaker == "Ben")
    assert "The turns around it have your words (0." in " ".join(because(ben, results))


def test_confirmation_project_and_age_are_told_with_what_they_count(jay: Scrubjay, clock: Clock) -> None:
    note = jay.add("the canteen closes for lunch early", kind="note").memory.id
    for _ in range(2):
        jay.confirm(note)
    clock.pass_(days=30)
    results = jay.search("canteen lunch")
    assert "Confirmed twice (0." in explained(results)
    assert "Older, so it keeps " in because(results[0], results)[-1] and "(-0." in because(results[0], results)[-1]


def test_a_signal_without_a_sentence_is_still_named(jay: Scrubjay) -> None:
    hit = Hit(jay.add("the heron").memory, 0.2, {"weather": 0.2})
    assert because(hit, Results((hit,))) == ["Counts for its weather (0.20)."]


def test_what_was_replaced_or_repeated_is_said(jay: Scrubjay) -> None:
    memory = jay.add("the heron").memory
    hit = Hit(memory, 0.5, {"substring": 0.5}, corrected_by=7, also=(8,))
    assert because(hit, Results((hit,), ("substring",))) == [
        "Contains the text you typed (0.50).",
        "What it states has been replaced by 7.",
        "Another says nearly the same: 8.",
    ]
    more = Hit(memory, 0.5, {}, also=(8, 9))
    assert because(more, Results((more,))) == ["2 others say nearly the same: 8, 9."]


@pytest.mark.parametrize("full", [(), ("--full",)])
def test_the_command_line_tells_why_below_each_hit(run: Run, full: tuple[str, ...]) -> None:
    for bird in ("heron", "stork"):
        run("add", f"The {bird} nests beside the river, where it finds frogs, fish and quiet all through the summer")
    above, *rest = run("search", "stork heron river fish frogs summer quiet", "--explain", *full).out.splitlines()
    assert above == "Searched by words."
    told = [line for line in rest if line.startswith("    ")]
    assert "Has 6 of your 7 words: " in told[0] and all(len(line) <= 100 for line in told)


def test_json_has_the_same_sentences(run: Run) -> None:
    run("add", "The staging server is called heron")
    told = run("search", "heron", "--json", "--explain").json
    assert told["because"] == ["Searched by words."]
    assert told["results"][0]["because"][1].startswith("Has your word: heron (")
    assert "because" not in run("search", "heron", "--json", "--full").json["results"][0]
