"""Links between memories: made, listed, followed on request within a budget, and gone with their memories."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay import Invalid, NotFound, Scrubjay
from scrubjay.search.constants import MOST_LINKED
from tests.support.clock import Clock
from tests.support.commands import Run
from tests.support.contents import ids

SECRET = "ghp_" + "Zx9Cv8Bn7Mq6Ws5Ed4Rf" * 2
NUMBERS = [f"number {word}" for word in ("one", "two", "three", "four")]


def filled(jay: Scrubjay, number: int = 4) -> Scrubjay:
    jay.add_many([{"text": f"Fact {place} about {'heron' if not place else 'willow'}"} for place in range(number)])
    return jay


def linked(jay: Scrubjay, question: str = "heron", **asked: Any) -> list[int]:
    return ids(jay.search(question, mode="keyword", limit=1, **asked)[0].linked)


def test_a_link_is_made_listed_from_both_ends_and_taken_away(jay: Scrubjay) -> None:
    filled(jay)
    made = jay.link(1, 2, "depends_on")
    assert (made.source, made.target, made.word) == (1, 2, "depends_on")
    jay.link(1, 2, "depends_on")
    jay.link(3, 1)
    assert [(one.source, one.target, one.word, one.memory and one.memory.id) for one in jay.links(1)] == [
        (1, 2, "depends_on", 2),
        (3, 1, "relates_to", 3),
    ]
    assert ids(jay.links(2)) == [1]
    assert jay.unlink(1, 2) == 1 and ids(jay.links(1)) == [3]
    with pytest.raises(NotFound):
        jay.unlink(1, 2)


def test_a_hit_brings_what_is_linked_along_only_when_asked(jay: Scrubjay) -> None:
    filled(jay)
    jay.link(1, 2, "part_of")
    jay.link(2, 3)
    assert linked(jay) == [] and linked(jay, expand=1) == [2] and linked(jay, expand=2) == [2, 3]


def test_a_hundred_links_deep_and_in_a_circle_it_stays_within_its_budget_and_ends(jay: Scrubjay) -> None:
    filled(jay, 101)
    for id in range(1, 101):
        jay.link(id, id + 1)
    assert linked(jay, expand=100) == list(range(2, 2 + MOST_LINKED))
    jay.unlink(5, 6)
    jay.link(5, 1)
    assert sorted(linked(jay, expand=100)) == [2, 3, 4, 5]
    for other in range(30, 80):
        jay.link(1, other)
    assert len(linked(jay, expand=1)) == MOST_LINKED


def test_links_go_on_to_what_is_current(jay: Scrubjay) -> None:
    filled(jay)
    jay.link(1, 2)
    jay.supersede(2, "Fact two is another")
    jay.supersede(1, "The heron has moved")
    assert ids(jay.links(6)) == [5] and linked(jay, expand=1) == [5]
    jay.delete(5)
    assert jay.links(6) == []


def test_a_link_and_its_end_are_in_the_history_of_both_memories(jay: Scrubjay, clock: Clock) -> None:
    filled(jay)
    made = clock.now
    jay.link(1, 2, "depends_on")
    clock.pass_(minutes=1)
    jay.lend(actor="Ann").unlink(1, 2)
    clock.pass_(minutes=1)
    jay.link(1, 2, "depends_on")
    undone, again = made + timedelta(minutes=1), made + timedelta(minutes=2)
    for id in (1, 2):
        told = [
            (one.source, one.target, one.word, one.at, one.undone_at, one.undone_by) for one in jay.history(id).links
        ]
        assert told == [(1, 2, "depends_on", made, undone, "Ann"), (1, 2, "depends_on", again, None, None)]
    jay.supersede(1, "The heron has moved")
    assert len(jay.history(5).links) == 2 and jay.history(3).links == ()
    jay.delete(2)
    jay.undelete(2)
    assert len(jay.history(2).links) == 2 and ids(jay.links(2)) == [5]


def test_the_same_link_of_two_memories_is_one_and_is_taken_away_as_one(
    jay: Scrubjay, tmp_path: Path, clock: Clock
) -> None:
    filled(jay)
    jay.export(tmp_path / "before")
    clock.pass_(minutes=1)
    jay.link(1, 2)
    jay.link(3, 4)
    clock.pass_(minutes=1)
    jay.unlink(3, 4)
    with scrubjay.open(tmp_path / "other.db", embedder="hashing", clock=clock) as other:
        other.import_file(tmp_path / "before")
        other.link(1, 2)
        jay.export(tmp_path / "after")
        other.import_file(tmp_path / "after")
        assert ids(other.links(1)) == [2] and len(other.history(1).links) == 2
        assert [one.undone_at for one in other.history(3).links] == [clock.now]
        assert other.unlink(1, 2) == 1 and other.links(1) == []


def test_some_memories_leave_with_the_links_between_them(jay: Scrubjay, tmp_path: Path) -> None:
    filled(jay)
    jay.link(2, 3)
    jay.link(1, 2)
    jay.update(1, tags=["apart"])
    jay.update(2, tags=["willow"])
    jay.update(3, tags=["willow"])
    jay.export(tmp_path / "some", tags=["willow"])
    found = [json.loads(line) for line in (tmp_path / "some").read_text().splitlines()]
    assert [line["type"] for line in found] == ["header", "memory", "memory", "edit", "edit", "link", "end"]


def test_deleted_memories_take_their_links_along_and_bring_them_back_in_any_order(jay: Scrubjay, clock: Clock) -> None:
    filled(jay)
    jay.link(1, 2)
    for first, second in ((1, 2), (2, 1)):
        jay.delete(1, 2)
        jay.undelete(first)
        assert jay.links(first) == []
        jay.undelete(second)
        assert ids(jay.links(1)) == [2]
    jay.delete(2)
    clock.pass_(days=31)
    jay.cleanup()
    assert jay.links(1) == [] and jay.check(deep=True).problems == []


@pytest.mark.parametrize(
    ("id", "to", "word"),
    [(1, 1, None), (1, 99, None), (99, 1, None), (1, 5, None), (1, 2, ""), (1, 2, "two words"), (1, 2, "x" * 10_000),
     (1, 2, SECRET.lower()), (1, 2, 7), (1, True, None), (0, 1, None), ("1", 2, None)],
)  # fmt: skip
def test_a_wrong_link_is_one_sentence_and_changes_nothing(jay: Scrubjay, id: Any, to: Any, word: Any) -> None:
    filled(jay)
    jay.lend(space="other").add("Of another space")
    with pytest.raises((Invalid, NotFound)) as refused:
        jay.link(id, to, word)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 300
    assert jay.links(1) == [] and jay.links(2) == []


def test_a_result_that_is_less_likely_is_brought_along_by_its_link(jay: Scrubjay) -> None:
    heron = jay.add("The heron nests in the willow").memory.id
    other = jay.add("Ann plays the cello").memory.id
    jay.link(heron, other)
    first, second = jay.search("heron willow", expand=1)
    assert first.likely and not second.likely
    assert [one.target for one in first.linked] == [second.memory.id] == [other]


@pytest.mark.parametrize("expand", [-1, 101, True, "1", 1.5])
def test_expand_is_a_number_of_links(jay: Scrubjay, expand: Any) -> None:
    with pytest.raises(Invalid, match="expand must be a whole number from 0 to 100"):
        jay.search("heron", expand=expand)


def test_what_another_space_has_is_never_brought_along(jay: Scrubjay) -> None:
    filled(jay)
    other = jay.lend(space="other")
    jay.link(1, 2)
    with pytest.raises(NotFound):
        other.links(1)
    with pytest.raises(NotFound):
        other.unlink(1, 2)
    assert all(not hit.linked for hit in other.search("heron", expand=3))


def test_the_command_line_links_lists_and_follows(run: Run) -> None:
    run("add", "The heron nests here", "--kind", "fact")
    run("add", "The willow is old", "--kind", "fact")
    assert run("link", "1", "2", "depends_on").out == "Linked: 1 depends_on 2\n"
    assert run("links", "1").out == "1 depends_on 2: [2] The willow is old\n"
    assert "    1 depends_on 2: [2] The willow is old" in run("search", "heron", "--expand", "1").out
    found = json.loads(run("search", "heron", "--expand", "1", "--json").out)["results"][0]["linked"]
    told = {name: found[0][name] for name in ("source", "target", "word", "undone_at", "id", "kind", "title")}
    assert list(told.values()) == [1, 2, "depends_on", None, 2, "fact", "The willow is old"]
    assert run("unlink", "1", "2").out == "Took away 1 link from 1 to 2\n"
    *_, line = run("history", "2").out.splitlines()
    assert re.fullmatch(r"1 was linked to 2 on [\d-]+: depends_on; undone on [\d-]+", line)
    assert run("links", "1").out == "Memory 1 has no links.\n"
    assert run("link", "1", "1").code != 0
