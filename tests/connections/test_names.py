"""A memory is found by every name of what it is about: aliases, abbreviations, and what it has replaced."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.contents import files_hold, ids

SECRET = "ghp_" + "Zx9Cv8Bn7Mq6Ws5Ed4Rf" * 2


def first(jay: Scrubjay, question: str, **asked: Any) -> int | None:
    found = jay.search(question, **asked)
    return found[0].memory.id if found else None


def filled(jay: Scrubjay) -> Scrubjay:
    jay.add("PostgreSQL 17 holds the orders", subject="PostgreSQL", aliases=["pg"])
    jay.add("PostgreSQL is backed up at night to Graz", subject="PostgreSQL")
    jay.add("Elasticsearch (ES) has three nodes", subject="search")
    jay.add("Elasticsearch wants much heap", subject="search")
    for thing in ("office", "coffee", "parking", "lunch", "garden", "lift"):
        jay.add(f"The {thing} is on the second floor", subject=thing)
    return jay


# Aliases


def test_who_has_only_the_first_words_of_a_long_name_does_not_hold_it(jay: Scrubjay) -> None:
    jay.add("It is made by tumours", subject="programmed death ligand", aliases=["pdl"])
    jay.add("The programmed death of cells was seen in worms")
    jay.add("Tumours that make programmed death ligand answer to the drug")
    assert sorted(ids(jay.search("pdl", mode="keyword"))) == [1, 3]
    assert "pdl" not in jay.search("pdl in cells of worms", mode="keyword")[0].words


def test_a_memory_is_found_by_its_aliases_and_so_are_others_of_that_subject(jay: Scrubjay) -> None:
    filled(jay)
    assert first(jay, "which orders are in pg?", mode="keyword") == 1
    assert first(jay, "when is pg backed up?", mode="keyword") == 2
    assert first(jay, "pg") in (1, 2)
    jay.add("The wild one was born in May", aliases=["Rex the dog"])
    assert first(jay, "how old is Rex?", mode="keyword") == 11


def test_aliases_are_given_later_taken_away_and_brought_back(jay: Scrubjay) -> None:
    jay.add("The load tests run on Thursdays", subject="load tests")
    assert ids(jay.search("k6", mode="keyword")) == []
    assert jay.update(1, aliases=["k6", "stress"]).aliases == ("k6", "stress")
    assert first(jay, "k6", mode="keyword") == 1
    assert jay.update(1, aliases=[]).aliases == ()
    assert ids(jay.search("k6", mode="keyword")) == []
    assert jay.revert(1).fields == ("aliases",)
    assert first(jay, "when is k6?", mode="keyword") == 1
    assert [edit.fields for edit in jay.history(1).edits] == [("aliases",), ("aliases",)]


def test_a_text_that_is_told_again_brings_its_aliases_along_and_a_successor_has_them(jay: Scrubjay) -> None:
    jay.add("The primary is db-1", subject="PostgreSQL", kind="fact", aliases=["pg"])
    again = jay.add("The primary is db-1", subject="PostgreSQL", kind="fact", aliases=["postgres"])
    assert not again.created and again.memory.aliases == ("pg", "postgres")
    assert jay.supersede(1, "The primary is db-2").memory.aliases == ("pg", "postgres")
    assert first(jay, "pg primary", mode="keyword") == 2


@pytest.mark.parametrize(
    "aliases",
    [[""], ["  "], ["!?"], ["x" * 10_000], "pg", ["a"] * 21, [7], [f"a {SECRET}"], ["\ud800"]],
    ids=["empty", "blank", "signs", "10 kB", "text", "many", "number", "secret", "surrogate"],
)
def test_a_wrong_alias_is_one_sentence_and_changes_nothing(jay: Scrubjay, path: Path, aliases: Any) -> None:
    jay.add("The primary is db-1")
    for attempt in (lambda: jay.add("Another text", aliases=aliases), lambda: jay.update(1, aliases=aliases)):
        with pytest.raises(Invalid) as refused:
            attempt()
        assert "\n" not in str(refused.value) and len(str(refused.value)) < 400 and SECRET not in str(refused.value)
    assert [(memory.text, memory.aliases) for memory in jay.list()] == [("The primary is db-1", ())]
    assert jay.history(1).edits == () and files_hold(path, SECRET) == []


def test_told_again_with_too_many_aliases_the_memory_stays_as_it_was(jay: Scrubjay) -> None:
    jay.add("The primary is db-1", aliases=[f"a{number}" for number in range(15)])
    with pytest.raises(Invalid, match="at most 20 aliases"):
        jay.add("The primary is db-1", aliases=[f"b{number}" for number in range(15)])
    assert jay.list()[0].aliases[-1] == "a14"


def test_a_secret_in_an_alias_is_redacted_on_request(jay: Scrubjay, path: Path) -> None:
    assert jay.add("The primary is db-1", aliases=[SECRET], redact=True).memory.aliases == ("[redacted: GitHub token]",)
    assert files_hold(path, SECRET) == []


def test_an_erased_memory_leaves_its_aliases_in_no_file(path: Path, clock: Clock) -> None:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        jay.add("The primary is db-1", subject="Zirbelkiefer", aliases=["quokkaroo"])
        jay.add("Marabustork (MBS) is the log server")
        assert first(jay, "quokkaroo", mode="keyword") == 1
        jay.delete(1, 2)
        assert ids(jay.search("quokkaroo", mode="keyword")) == [] and ids(jay.search("MBS", mode="keyword")) == []
        clock.pass_(days=31)
        jay.cleanup()
    assert files_hold(path, "quokkaroo", "Zirbelkiefer", "zirbelkiefer", "Marabustork", "marabustork") == []


# Abbreviations


def test_an_abbreviation_that_a_memory_defines_is_understood_for_all_of_them(jay: Scrubjay) -> None:
    filled(jay)
    assert first(jay, "does ES want heap?", mode="keyword") == 4
    assert first(jay, "how many nodes has ES?", mode="keyword") == 3
    jay.add("CI fails on Mondays")
    jay.add("We speak of continuous integration (CI) in the wiki")
    assert first(jay, "continuous integration on Mondays", mode="keyword") == 11


def test_what_another_space_calls_a_thing_tells_nothing_here(jay: Scrubjay) -> None:
    filled(jay)
    other = jay.lend(space="other")
    other.add("Elasticsearch wants much heap")
    alone = other.search("does ES want heap?", mode="keyword")[0]
    other.add("ES is the name of a river")
    assert ids(other.search("ES", mode="keyword")) == [12]
    assert "es" not in alone.words


def test_a_definition_goes_with_its_memory_and_comes_back_with_it(jay: Scrubjay) -> None:
    filled(jay)
    for forget, restore in ((jay.delete, jay.undelete), (lambda id: jay.supersede(id, "No nodes"), jay.revert)):
        forget(3)
        assert "es" not in jay.search("does ES want heap?", mode="keyword")[0].words
        restore(3)
        assert "es" in jay.search("does ES want heap?", mode="keyword")[0].words


def test_names_that_do_not_fit_their_texts_are_found_and_learnt_again(jay: Scrubjay, path: Path) -> None:
    filled(jay)
    db = apsw.Connection(str(path))
    db.execute("delete from names")
    assert any("names" in problem for problem in jay.check(deep=True).problems)
    jay.check(deep=True, repair=True)
    assert jay.check(deep=True).problems == []
    assert first(jay, "does ES want heap?", mode="keyword") == 4


# What was replaced


def moved(jay: Scrubjay) -> Scrubjay:
    filled(jay)
    jay.add("Builds run on Jenkins at build-01", subject="builds", kind="fact")
    jay.supersede(11, "Pipelines moved to Woodpecker", subject="builds")
    return jay


def test_a_question_about_a_replaced_thing_leads_to_what_replaced_it_and_says_so(jay: Scrubjay) -> None:
    hit = moved(jay).search("how is our Jenkins set up?")[0]
    assert hit.memory.id == 12 and hit.in_place_of == 11 and hit.memory.text == "Pipelines moved to Woodpecker"
    assert 11 not in ids(jay.search("Jenkins", limit=50))
    direct = jay.search("where did pipelines move?")[0]
    assert direct.memory.id == 12 and direct.in_place_of is None


def test_it_leads_over_several_steps_and_back_after_a_revert(jay: Scrubjay) -> None:
    moved(jay)
    jay.supersede(12, "All is built by hand again")
    hit = jay.search("Jenkins")[0]
    assert (hit.memory.id, hit.in_place_of) == (13, 11)
    jay.revert(12)
    jay.revert(11)
    hit = jay.search("Jenkins")[0]
    assert (hit.memory.id, hit.in_place_of) == (11, None)


def test_what_was_replaced_is_itself_the_answer_where_the_past_is_asked_for(jay: Scrubjay, clock: Clock) -> None:
    before = clock()
    clock.pass_(days=1)
    moved(jay)
    assert ids(jay.search("Jenkins", include_superseded=True))[0] == 11
    assert all(hit.in_place_of is None for hit in jay.search("Jenkins", include_superseded=True))
    assert all(hit.in_place_of is None for hit in jay.search("Jenkins", as_of=before))


@pytest.mark.parametrize("asked", [{"kinds": ["preference"]}, {"subject": "search"}, {"mode": "vector"}])
def test_a_filter_holds_for_what_stands_in_its_place(jay: Scrubjay, asked: dict[str, Any]) -> None:
    assert all(hit.in_place_of is None for hit in moved(jay).search("Jenkins", **asked))


def test_what_was_replaced_by_something_deleted_leads_nowhere(jay: Scrubjay) -> None:
    moved(jay)
    jay.delete(12)
    assert all(hit.in_place_of is None for hit in jay.search("Jenkins"))


# Every door


def test_the_command_line_takes_and_shows_them(run: Run) -> None:
    run("add", "PostgreSQL 17 holds the orders", "--subject", "PostgreSQL", "--alias", "pg", "--alias", "postgres")
    assert json.loads(run("get", "1", "--json").out)["memories"][0]["aliases"] == ["pg", "postgres"]
    assert "aliases" in run("get", "1").out and "pg, postgres" in run("get", "1").out
    run("update", "1", "--alias", "pg17")
    assert "PostgreSQL 17 holds" in run("search", "pg17").out
    run("update", "1", "--clear", "aliases")
    assert run("search", "pg17").out == "Nothing found.\n"
    assert run("add", "x", "--alias", "").code != 0
    run("add", "Builds run on Jenkins")
    run("supersede", "2", "Pipelines moved to Woodpecker")
    assert "(in place of 2) Pipelines moved" in run("search", "Jenkins").out
    assert json.loads(run("search", "Jenkins", "--json").out)["results"][0]["in_place_of"] == 2
    assert "Has replaced 2, which has more of your words" in run("search", "Jenkins", "--explain").out
    assert "(in place of 2)" in run("context", "what about Jenkins builds?").out


def test_a_file_of_an_older_version_learns_what_its_memories_define(
    path: Path, reopen: Callable[..., Scrubjay]
) -> None:
    with reopen(embedder="none") as jay:
        filled(jay)
    db = apsw.Connection(str(path))
    for trigger in ("added", "deleted", "changed", "tasks"):
        db.execute(f"drop trigger events_of_{trigger}")
    for index in ("citing", "with_paths", "shown", "weighed", "of_no_use"):
        db.execute(f"drop index memories_{index}")
    db.execute("drop view indexed_memories")
    for table in ("names", "links", "ratings", "logins", "events", "attempts", "forgotten_names"):
        db.execute(f"drop table {table}")
    for column in ("aliases", "cites", "paths", "shown_count", "helpful_count", "unhelpful_count", "stems"):
        db.execute(f"alter table memories drop column {column}")
    db.execute("alter table mark_key drop column own")
    db.execute("alter table trash drop column deleted_by")
    db.pragma("user_version", 17)
    db.close()
    with reopen() as jay:
        assert first(jay, "does ES want heap?", mode="keyword") == 4
