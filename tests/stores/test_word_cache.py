"""The cache of words of a large space: lost, damaged, foreign or old, it finds the same as one that is new."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrubjay
from scrubjay import Scrubjay
from scrubjay.stores.sqlite import text_index
from scrubjay.stores.sqlite.caches import word_cache
from scrubjay.stores.sqlite.caches.postings import Postings
from scrubjay.text.tokenizer import stem_numbers, stems_of

WORDS = "amber basalt cobalt copper flint garnet granite jade marble onyx opal pearl quartz ruby slate topaz".split()
COUNT = 300


def items(first: int, count: int) -> list[dict[str, Any]]:
    chance = random.Random(first)
    return [
        {
            "text": f"Crate {number} holds {' and '.join(chance.choices(WORDS, k=3))}",
            "kind": chance.choice(["fact", "note"]),
            "tags": [f"t{number % 20}"],
            "subject": f"shelf {number % 7}",
        }
        for number in range(first, first + count)
    ]


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every space is large, and nothing fades."""
    monkeypatch.setattr(text_index, "CACHED_FROM", 0)
    monkeypatch.setenv("SCRUBJAY_DECAY_NOTE", "0")


@pytest.fixture
def jay(path: Path) -> Iterator[Scrubjay]:
    with scrubjay.open(path, embedder="none") as jay:
        jay.add_many(items(0, COUNT))
        yield jay


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The spaces whose words were read from the file."""
    seen: list[str] = []
    build = word_cache._build

    def noted(db: apsw.Connection, space: str) -> Any:
        seen.append(space)
        return build(db, space)

    monkeypatch.setattr(word_cache, "_build", noted)
    return seen


def found(jay: Scrubjay, question: str, limit: int = 10, **filter: Any) -> list[int]:
    return [hit.memory.id for hit in jay.search(question, mode="keyword", limit=limit, **filter)]


def holding(jay: Scrubjay, *words: str, **filter: Any) -> set[int]:
    return {memory.id for memory in jay.list(limit=None, **filter) if any(word in memory.text for word in words)}


def test_all_that_hold_a_word_are_found(jay: Scrubjay) -> None:
    for word in WORDS:
        assert set(found(jay, word, limit=COUNT)) == holding(jay, word)
    assert set(found(jay, "amber topaz", limit=COUNT)) == holding(jay, "amber", "topaz")


def test_who_holds_more_and_rarer_words_comes_first(jay: Scrubjay) -> None:
    best = jay.add("A crate of malachite and amber").memory.id
    other = jay.add("Malachite, and much else besides that nobody has asked for").memory.id
    assert found(jay, "amber malachite crate")[:2] == [best, other]


def test_words_that_are_neighbours_are_looked_for_together(jay: Scrubjay) -> None:
    together = jay.add("the redAmber jar").memory.id
    assert found(jay, "redAmber", limit=1) == [together]


@pytest.mark.parametrize(
    "filter", [{"kinds": ["note"]}, {"tags": ["t3"]}, {"subject": "shelf 2"}, {"sources": ["manual"]}]
)
def test_no_filter_shortens_an_answer(jay: Scrubjay, filter: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "TAKEN", (20, None))
    passing = {id for id in holding(jay, "amber", "opal") if id in found(jay, "crate", limit=COUNT, **filter)}
    assert set(found(jay, "amber opal", limit=COUNT, **filter)) == passing
    assert len(found(jay, "amber opal", limit=5, **filter)) == min(5, len(passing))


def test_beyond_the_budget_common_words_still_count(jay: Scrubjay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_cache, "READ", 1)
    one, two = jay.add("malachite holds").memory.id, jay.add("malachite bowls").memory.id
    assert found(jay, "malachite holds", limit=2) == [one, two]
    assert set(found(jay, "crate holds", limit=COUNT)) >= holding(jay, "Crate")


def test_what_is_added_changed_replaced_and_deleted_is_followed(jay: Scrubjay, builds: list[str]) -> None:
    assert found(jay, "malachite") == []
    new = jay.add("Crate of malachite").memory.id
    assert found(jay, "malachite") == [new]
    jay.update(new, tags=["green"])
    assert found(jay, "green") == [new]
    newer = jay.supersede(new, "Crate of azurite").memory.id
    assert found(jay, "malachite azurite") == [newer]
    jay.delete(newer)
    assert found(jay, "malachite azurite") == []
    jay.undelete(newer)
    assert found(jay, "azurite") == [newer]
    assert builds == ["default"]


def test_no_memory_is_found_by_what_it_said_before_a_change(jay: Scrubjay, path: Path) -> None:
    crate = jay.add("Crate of azurite", tags=["malachite"]).memory.id
    assert found(jay, "malachite") == [crate]
    jay.update(crate, tags=["green"])
    assert found(jay, "malachite") == [] and found(jay, "azurite") == found(jay, "green") == [crate]
    jay.add_many(items(COUNT, 2 * COUNT))  # so that the cache is saved
    assert found(jay, "malachite") == []
    jay.close()
    with scrubjay.open(path, embedder="none") as again:
        assert found(again, "malachite") == [] and found(again, "green") == [crate]


@pytest.mark.parametrize("seed", range(3))
def test_whatever_changes_the_same_are_found_as_in_the_memories(jay: Scrubjay, path: Path, seed: int) -> None:
    chance, deleted = random.Random(seed), list[int]()

    def change(jay: Scrubjay) -> None:
        id = chance.choice(jay.list(limit=None)).id
        what = chance.choice(["add", "update", "update", "delete", "undelete"])
        if what == "add":
            jay.add_many(items(chance.randrange(1_000, 9_000), chance.randrange(1, 9)))
        elif what == "update":
            jay.update(id, tags=chance.sample(WORDS, 2))
        elif what == "delete":
            jay.delete(id)
            deleted.append(id)
        elif deleted:
            jay.undelete(deleted.pop())

    with scrubjay.open(path, embedder="none") as other:
        for _ in range(40):
            for one in chance.choices([jay, other], k=3):
                change(one)
            word, one = chance.choice(WORDS), chance.choice([jay, other])
            every = one.list(limit=None)
            holders = {memory.id for memory in every if word in memory.text or word in memory.tags}
            assert set(found(one, word, limit=1_000)) == holders


@pytest.mark.parametrize("seed", range(3))
def test_scores_do_not_depend_on_what_the_cache_has_followed(jay: Scrubjay, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    found(jay, "amber")
    for number in range(12):
        id = chance.choice(jay.list(limit=None)).id
        what = chance.choice(["add", "update", "supersede", "delete"])
        if what == "add":
            jay.add(" ".join(chance.choices(WORDS, k=chance.randrange(3, 60))))
        elif what == "update":
            jay.update(id, tags=chance.sample(WORDS, 2))
        elif what == "supersede":
            jay.supersede(id, f"Crate {chance.random()} holds {chance.choice(WORDS)}")
        else:
            jay.delete(id)
        question = " ".join(chance.choices(WORDS, k=4))
        jay.backup(copy := tmp_path / f"copy-{number}.db")
        with scrubjay.open(copy, embedder="none") as fresh:
            answers = [one.search(question, mode="keyword", limit=50) for one in (jay, fresh)]
        one, other = ([(hit.memory.id, hit.score) for hit in answer] for answer in answers)
        assert one == other


def test_a_text_is_found_by_its_last_words_and_its_tags_however_long_it_is(jay: Scrubjay) -> None:
    long = " ".join(f"line{number} of the minutes" for number in range(3_000)) + " signed by Xanthippe"
    new = jay.add(long, tags=["zeppelin"]).memory.id
    for word in ("Xanthippe", "zeppelin", "line2999"):
        assert found(jay, word) == [new]
        assert jay.search(word, mode="keyword").hits[0].score > 0


def test_many_small_changes_are_merged_and_found(jay: Scrubjay, builds: list[str]) -> None:
    new = [jay.add(f"Note {number} about malachite").memory.id for number in range(40) if found(jay, "amber")]
    assert set(found(jay, "malachite", limit=COUNT)) == set(new)
    assert set(found(jay, "amber", limit=COUNT)) == holding(jay, "amber")
    assert builds == ["default"]


def test_what_another_scrubjay_writes_is_found(jay: Scrubjay, path: Path, builds: list[str]) -> None:
    assert found(jay, "malachite") == []
    with scrubjay.open(path, embedder="none") as other:
        new = other.add("Crate of malachite").memory.id
        assert found(jay, "malachite") == found(other, "malachite") == [new]
    assert builds == ["default"]


def test_a_saved_cache_is_used_and_follows_what_came_since(jay: Scrubjay, path: Path, builds: list[str]) -> None:
    before = found(jay, "amber opal", limit=50)
    jay.add("Crate of malachite")
    jay.close()
    with scrubjay.open(path, embedder="none") as again:
        assert found(again, "amber opal", limit=50) == before
        assert len(found(again, "malachite")) == 1
    assert builds == ["default"]


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "garbage", "of another space"])
def test_a_damaged_cache_is_made_anew(jay: Scrubjay, path: Path, builds: list[str], damage: str) -> None:
    before = found(jay, "amber opal", limit=50)
    other = jay.lend(space="attic")
    other.add_many(items(0, COUNT))
    found(other, "amber")
    jay.close()
    first, second = sorted(Path(f"{path}.vectors").glob("*.words"))
    for cache, content in ((first, second.read_bytes()), (second, first.read_bytes())):
        own = bytearray(cache.read_bytes())
        own[len(own) // 2] ^= 1
        spoilt: dict[str, bytes | bytearray] = {
            "cut": own[:100],
            "flipped": own,
            "garbage": b"x\n" * 3,
            "of another space": content,
        }
        cache.write_bytes(spoilt.get(damage, b""))
    builds.clear()
    with scrubjay.open(path, embedder="none") as again:
        assert found(again, "amber opal", limit=50) == before
    assert builds == ["default"]


def test_a_restored_backup_is_noticed(jay: Scrubjay, path: Path, tmp_path: Path) -> None:
    found(jay, "amber")
    jay.backup(copy := tmp_path / "copy.db")
    jay.add_many([{"text": f"Malachite {number}"} for number in range(COUNT)])
    assert len(found(jay, "malachite", limit=COUNT)) == COUNT
    jay.close()
    shutil.copy(copy, path)
    for beside in ("-wal", "-shm"):
        Path(f"{path}{beside}").unlink(missing_ok=True)
    with scrubjay.open(path, embedder="none") as again:
        again.add_many([{"text": f"Azurite {number}"} for number in range(COUNT)])
        assert len(found(again, "azurite", limit=COUNT)) == COUNT and found(again, "malachite") == []


def test_no_stem_of_what_was_erased_is_left_in_any_cache(jay: Scrubjay, path: Path) -> None:
    with scrubjay.open(path, embedder="none") as other:
        secret = jay.add("The canary is called Xanthippe").memory.id
        jay.add_many(items(COUNT, 2 * COUNT))
        for each in (jay, other):
            assert found(each, "xanthippe") == [secret]
        jay.forget(secret)
        assert found(other, "amber") and found(other, "xanthippe") == []
        other.add_many(items(5 * COUNT, 2 * COUNT))
        found(other, "amber")
    jay.close()
    files = [file for file in path.parent.rglob("*") if file.is_file()]
    assert any(file.suffix == ".words" for file in files)
    assert not any(stem_numbers(["xanthipp"]) in file.read_bytes() for file in files)


MEMORIES = st.dictionaries(st.integers(1, 40), st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=12)


def postings(memories: dict[int, list[str]]) -> Postings:
    return Postings.of([(id, stem_numbers(stems_of(" ".join(words)))) for id, words in sorted(memories.items())])


def counted(made: Postings) -> dict[tuple[str, int], int]:
    """By word and id, how often."""
    holders = {word: made.holders(int.from_bytes(stem_numbers(stems_of(word)), "little")) for word in WORDS}
    return {
        (word, int(made.ids[row])): int(count)
        for word, (rows, counts) in holders.items()
        for row, count in zip(rows, counts, strict=True)
    }


@given(MEMORIES, MEMORIES, MEMORIES)
def test_what_was_replaced_does_not_come_back_by_a_merge(
    old: dict[int, list[str]], new: dict[int, list[str]], newest: dict[int, list[str]]
) -> None:
    first, second, third = postings(old), postings(new), postings(newest)
    parts = (first.without(second.ids).without(third.ids), second.without(third.ids), third)
    merged = parts[0].with_newer(parts[1].with_newer(parts[2]))
    assert counted(merged) == counted(postings({**old, **new, **newest}))
    assert parts[0].ids[parts[0].replaced].tolist() == sorted(old.keys() & (new.keys() | newest.keys()))


@given(MEMORIES, MEMORIES)
def test_merged_postings_are_those_of_all_memories(old: dict[int, list[str]], new: dict[int, list[str]]) -> None:
    merged, every = postings(old).with_newer(postings(new)), postings({**old, **new})
    assert merged.ids.tolist() == every.ids.tolist() and merged.lengths.tolist() == every.lengths.tolist()
    assert counted(merged) == counted(every)
    assert counted(Postings.from_bytes(memoryview(merged.to_bytes()))) == counted(every)
    assert np.array_equal(merged.rows_of(np.array(sorted(new))), every.rows_of(np.array(sorted(new))))
