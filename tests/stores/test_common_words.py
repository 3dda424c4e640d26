"""Words that many memories hold: they are weighed within a budget, and nothing that passes is missed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.stores.sqlite import text_index
from scrubjay.stores.sqlite.caches import word_frequencies

METALS = ("iron", "copper", "silver", "gold")


@pytest.fixture
def jay(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scrubjay]:
    """A memory that counts as large, and every word as one that many hold."""
    monkeypatch.setattr(text_index, "SMALL", 0)
    monkeypatch.setattr(text_index, "RANKED", 0)
    with scrubjay.open(path, embedder="none") as jay:
        jay.add_many(
            [
                {
                    "text": f"Crate {number} of {METALS[number % 4]} ore from mine {number % 7}",
                    "subject": f"mine {number % 7}",
                    "tags": [f"shelf {number % 5}"],
                    "kind": ("fact", "note")[number % 2],
                }
                for number in range(280)
            ]
        )
        yield jay


def texts(found: scrubjay.Results) -> list[str]:
    return [hit.memory.text for hit in found]


def test_what_holds_the_most_and_rarest_words_comes_first(jay: Scrubjay) -> None:
    assert texts(jay.search("the crate 77 of copper ore"))[0] == "Crate 77 of copper ore from mine 0"


def test_of_equal_holders_the_shorter_text_comes_first(jay: Scrubjay) -> None:
    jay.add("Zinc arrived with a long letter about all that had happened on its way here from the old harbour")
    jay.add("Zinc arrived")
    assert texts(jay.search("zinc ore", limit=3))[0] == "Zinc arrived"


def test_filters_hold_before_the_best_are_cut_off(jay: Scrubjay) -> None:
    found = jay.search("crate of ore", subject="mine 3", limit=100)
    assert len(found) == 40 and all(hit.memory.subject == "mine 3" for hit in found)
    found = jay.search("crate of ore", tags=["shelf 2", "shelf 4"], kinds=["note"], limit=100)
    assert len(found) == 56 and all(hit.memory.kind == "note" for hit in found)


def test_filters_that_an_index_tells_hold_too(jay: Scrubjay) -> None:
    for id in (5, 6, 7):
        jay.update(id, project="dig")
    found = jay.search("crate of ore", project="dig", limit=100)
    assert {hit.memory.id for hit in found} == {5, 6, 7}
    assert len(jay.search("crate of ore", kinds=["note"], limit=300)) == 140
    assert len(jay.search("crate of ore", since="2020-01-01", until="2020-12-31")) == 0
    assert len(jay.search("crate of ore", since="2020-01-01", limit=300)) == 280


@pytest.mark.parametrize("tag", ['a "quoted" tag', "back\\slash", "C++", "!!", "書類", "tab\there"])
def test_tags_with_signs_are_found_as_they_are(jay: Scrubjay, tag: str) -> None:
    added = jay.add("Crate of gold ore, lent", tags=[tag], subject="!!").memory
    assert [hit.memory.id for hit in jay.search("crate of gold ore", tags=added.tags)] == [added.id]
    assert [hit.memory.id for hit in jay.search("crate of gold ore", subject="!!")] == [added.id]


def test_what_only_words_beyond_the_budget_tell_is_still_found(jay: Scrubjay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "READ", 10)
    jay.add("Zinc arrived", kind="event")
    found = texts(jay.search("zinc ore", limit=20))
    assert len(found) == 20 and found[0] == "Zinc arrived"
    assert len(jay.search("crate of ore", subject="mine 3", limit=30)) == 30


def test_who_holds_a_word_is_known_anew_after_every_change(jay: Scrubjay, path: Path) -> None:
    def holders() -> set[int]:
        return {hit.memory.id for hit in jay.search("amber ore", limit=10) if "amber" in hit.words}

    assert holders() == set()
    added = jay.add("Amber arrived").memory
    assert holders() == {added.id}
    with scrubjay.open(path, embedder="none") as other:
        other.update(5, tags=["amber"])
        assert holders() == {added.id, 5}
        other.update(5, tags=[])
        other.delete(added.id)
    assert holders() == set()


def test_very_many_holders_are_not_all_remembered(jay: Scrubjay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_frequencies, "KEPT_HOLDERS", 100)
    first = texts(jay.search("crate of gold ore", limit=50))
    assert texts(jay.search("crate of gold ore", limit=50)) == first


def test_a_new_text_is_compared_with_those_that_share_its_rare_words(jay: Scrubjay) -> None:
    (like,) = [hit.memory.text for hit in jay.add("The crate 77 of copper ore, from mine 0").similar][:1]
    assert like == "Crate 77 of copper ore from mine 0"


def test_a_new_text_without_any_rare_word_is_compared_with_those_that_hold_all_its_words(
    jay: Scrubjay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_index, "RARE", 30)
    alike = jay.add("Iron ore from the mine").similar
    assert alike and all("iron ore" in hit.memory.text for hit in alike)
    assert jay.add("Gold ore from the mine").similar  # common words are known by now
