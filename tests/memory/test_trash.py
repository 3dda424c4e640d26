"""Deleted memories: in no answer, taken back as they were, and in the end erased from every file of the store."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Invalid, NotFound, Scrubjay
from scrubjay.errors import Damaged, StoreError
from scrubjay.stores.sqlite.connections import Connections
from scrubjay.stores.sqlite.opening import migrations
from scrubjay.upkeep.synthesise import Change, Plan
from tests.support.clock import Clock
from tests.support.commands import Run

Reopen = Callable[..., Scrubjay]


def canary(chance: random.Random) -> str:
    """A word that nobody else says, and that can be said: letters at random look like a secret."""
    return "".join(chance.choice("bdfgklmnprst") + chance.choice("aeiou") for _ in range(8))


def holding(folder: Path, words: list[str]) -> set[str]:
    """The files below a folder in which any of the words stands, in any case."""
    sought = [word.encode() for word in words]
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {file.name for file in files if any(word in file.read_bytes().lower() for word in sought)}


def asked(path: Path, sql: str) -> Any:
    db = apsw.Connection(str(path))
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


# In no answer


def test_what_is_in_the_trash_is_in_no_answer(jay: Scrubjay) -> None:
    gone = jay.add("Ann's flamingo is called Otto", kind="fact", subject="flamingo", tags=["zoo"]).memory
    task = jay.tasks.create("Feed the flamingo")
    other = jay.add("Ann's flamingo is called Emil", kind="fact", subject="flamingo").memory
    jay.add("The kettle is blue")
    jay.delete(gone.id)
    jay.delete(task.memory.id)
    jay.delete(other.id)
    assert [found.memory.title for found in jay.search("flamingo")] in ([], ["The kettle is blue"])
    assert jay.get(gone.id) is None
    assert [memory.id for memory in jay.list(include_superseded=True)] == [4]
    assert list(jay.history(subject="flamingo")) == []
    assert [event.id for event in jay.timeline()] == [4]
    assert (jay.conflicts(), jay.tasks.list(), jay.subjects()) == ([], [], {})
    assert jay.stats().memories == 1 and sum(jay.stats().by_kind.values()) == 1
    assert "flamingo" not in jay.context().text + jay.context("flamingo").text
    assert [one.memory.id for one in jay.trash.list()] == [3, 2, 1]


def test_a_space_that_holds_only_trash_is_not_listed_and_shows_it_to_nobody_else(path: Path, clock: Clock) -> None:
    with scrubjay.open(path, embedder="hashing", space="ann", clock=clock) as ann:
        ann.delete(ann.add("Ann likes tea").memory.id)
        bob = ann.lend(space="bob")
        assert ann.spaces() == {} and bob.trash.list() == []
        with pytest.raises(NotFound, match="no memory 1 in the trash of space 'bob'"):
            bob.undelete(1)
        assert bob.trash.empty() == 0 and len(ann.trash.list()) == 1


def test_a_text_that_is_said_again_is_new_and_takes_nothing_from_the_trash(jay: Scrubjay) -> None:
    jay.delete(jay.add("Ann likes tea", kind="fact", tags=["drink"]).memory.id)
    again = jay.lend(trust="agent").add("Ann likes tea", kind="fact")
    assert again.created and again.memory.id == 2
    assert (again.memory.trust, again.memory.tags) == ("agent", ())


# Taken back


def test_a_memory_comes_back_as_it_was(jay: Scrubjay, clock: Clock) -> None:
    before = jay.add("Ann likes green tea", kind="fact", subject="ann", tags=["tea"], metadata={"cup": 2}).memory
    jay.confirm(before.id)
    task = jay.tasks.create("Buy tea", priority="high")
    jay.delete(before.id)
    jay.delete(task.memory.id)
    clock.pass_(days=3)
    back = jay.undelete(before.id)
    assert back == jay.get(before.id)
    assert (back.id, back.uid, back.text, back.tags, back.trust) == (1, before.uid, before.text, before.tags, "user")
    assert (dict(back.metadata), back.confirmed_count) == ({"cup": 2}, 1)
    assert jay.search("green tea")[0].memory.id == before.id
    assert jay.search("green tea", mode="vector")[0].memory.id == before.id and jay.stats().without_vector == 0
    assert jay.undelete(task.memory.id).kind == "task" and jay.tasks.list()[0].priority == "high"
    assert jay.trash.list() == [] and jay.check(deep=True).problems == []


def test_the_trash_says_why_and_how_many_days_are_left(jay: Scrubjay, clock: Clock) -> None:
    jay.add("The sale ends", expires_at=clock.now.replace(day=2))
    jay.delete(jay.add("Ann likes tea").memory.id)
    clock.pass_(days=2)
    assert [gone.memory.id for gone in jay.cleanup()] == [1]
    clock.pass_(hours=1)
    shown = [(one.memory.id, one.reason, one.days_left) for one in jay.trash.list()]
    assert shown == [(1, "expired", 30), (2, "deleted", 28)]
    assert jay.undelete(1).expires_at is None and jay.get(1) is not None


def test_who_takes_a_memory_out_vouches_for_it(jay: Scrubjay) -> None:
    jay.delete(jay.add("Ann likes tea").memory.id)
    assert jay.lend(trust="agent").undelete(1).trust == "agent"
    assert jay.get(1).trust == "agent"  # type: ignore[union-attr]


def test_what_is_not_in_the_trash_cannot_be_taken_out(jay: Scrubjay) -> None:
    jay.add("Ann likes tea")
    for id in (1, 2):
        with pytest.raises(NotFound, match=f"no memory {id} in the trash"):
            jay.undelete(id)
    with pytest.raises(Invalid):
        jay.undelete("1")  # type: ignore[arg-type]


def test_a_memory_stays_in_the_trash_while_another_says_the_same(jay: Scrubjay) -> None:
    jay.delete(jay.add("Ann likes tea", kind="fact").memory.id)
    jay.add("Ann likes tea", kind="fact")
    with pytest.raises(Invalid, match="Memory 2 says the same as 1, which stays in the trash"):
        jay.undelete(1)
    jay.delete(2)
    assert jay.undelete(1).id == 1 and [one.memory.id for one in jay.trash.list()] == [2]


def test_an_expired_memory_does_not_keep_its_like_in_the_trash(jay: Scrubjay, clock: Clock) -> None:
    jay.delete(jay.add("Ann is away", kind="fact").memory.id)
    jay.add("Ann is away", kind="fact", expires_at=clock.now + timedelta(hours=1))
    clock.pass_(days=1)
    assert jay.undelete(1).id == 1 and [memory.id for memory in jay.list()] == [1]


def test_a_turn_whose_place_is_taken_stays_in_the_trash(jay: Scrubjay) -> None:
    jay.add_turns("s", [{"speaker": "Ann", "text": "Five", "position": 0}])
    jay.delete(1)
    jay.add_turns("s", [{"speaker": "Ann", "text": "Six", "position": 0}])
    with pytest.raises(Invalid, match="Memory 2 has the place of 1 in its session; 1 stays in the trash"):
        jay.undelete(1)
    assert [turn.id for turn in jay.sessions.turns("s")] == [2]


CHAIN = ("Ann lives in Rome", "Ann lives in Oslo", "Ann lives in Bern", "Ann lives in Kyiv")


def chained(jay: Scrubjay) -> list[int]:
    ids = [jay.add(CHAIN[0], kind="fact", subject="ann").memory.id]
    for text in CHAIN[1:]:
        ids.append(jay.supersede(ids[-1], text, reason="moved").memory.id)
    return ids


def told(jay: Scrubjay, ids: list[int]) -> Any:
    """All that is known of a chain: links, steps, and what still holds."""
    history = jay.history(ids[0])
    links = [(memory.id, memory.superseded_by, memory.superseded_at) for memory in history]
    return links, list(history.steps), [memory.id for memory in jay.list()]


@pytest.mark.parametrize("seed", range(12))
def test_a_chain_is_whole_again_in_whatever_order_its_memories_were_deleted_and_taken_out(
    jay: Scrubjay, seed: int
) -> None:
    chance = random.Random(seed)
    ids = chained(jay)
    jay.revert(ids[3])
    before = told(jay, ids)
    gone = chance.sample(ids, chance.randint(1, 4))
    for id in gone:
        jay.delete(id)
    assert jay.check(deep=True).problems == []
    for id in chance.sample(gone, len(gone)):
        jay.undelete(id)
        assert jay.check(deep=True).problems == []
    assert told(jay, ids) == before


def test_a_chain_holds_together_while_a_memory_in_its_middle_stays_in_the_trash(jay: Scrubjay) -> None:
    first, second, third, last = chained(jay)
    jay.delete(second, third)
    jay.delete(last)
    jay.undelete(last)
    assert [(memory.id, memory.superseded_by) for memory in jay.history(first)] == [(first, last), (last, None)]
    jay.revert(first)
    assert [memory.id for memory in jay.list()] == [first] and jay.check(deep=True).problems == []


def test_a_step_that_was_undone_never_leads_to_itself(jay: Scrubjay) -> None:
    first = jay.add("Ann lives in Rome", kind="fact").memory.id
    second = jay.supersede(first, "Ann lives in Oslo").memory.id
    jay.revert(second)  # now the first one follows on the second
    jay.delete(second)
    jay.delete(first)
    jay.undelete(first)
    assert [(step.old, step.new) for step in jay.history(first).steps] == [(first, None)]


def test_a_revert_undoes_no_change_that_was_in_the_trash_when_it_was_made(jay: Scrubjay) -> None:
    lamp = jay.add("The lamp is red", kind="fact").memory.id
    green = jay.supersede(lamp, "The lamp is green").memory.id
    jay.delete(lamp, green)
    door = jay.add("The door is open", kind="fact").memory.id
    shut = jay.supersede(door, "The door is shut").memory.id
    jay.undelete(lamp)
    jay.undelete(green)
    assert jay.revert(shut).restored == (door,)
    assert {memory.text for memory in jay.list()} == {"The lamp is green", "The door is open"}


def test_an_update_is_the_last_thing_done_also_when_what_came_before_was_in_the_trash(jay: Scrubjay) -> None:
    old = jay.add("The lamp is red", kind="fact").memory.id
    new = jay.supersede(old, "The lamp is green").memory.id
    jay.delete(old)
    jay.update(new, importance=9)
    jay.undelete(old)
    assert jay.revert(new).fields == ("importance",) and [memory.id for memory in jay.list()] == [new]


def test_the_last_turns_of_a_session_can_be_taken_back_when_it_has_gone_on(jay: Scrubjay) -> None:
    said = jay.add_turns("talk", [{"speaker": "Ann", "text": text} for text in ("one", "two", "three")])
    jay.delete(*(one.memory.id for one in said[1:]))
    jay.add_turns("talk", [{"speaker": "Bob", "text": "four"}, {"speaker": "Ann", "text": "five"}])
    for one in said[1:]:
        jay.undelete(one.memory.id)
    assert [turn.text for turn in jay.sessions.turns("talk")] == ["one", "two", "three", "four", "five"]


@pytest.mark.parametrize("days", ["0", "30"])
def test_what_is_to_be_erased_now_is_erased_also_if_the_clock_went_back(
    jay: Scrubjay, path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, days: str
) -> None:
    jay.delete(jay.add("The canary is yellow", kind="fact").memory.id)
    clock.pass_(days=-3)
    if days == "0":
        monkeypatch.setenv("SCRUBJAY_TRASH_DAYS", days)
        with scrubjay.open(path, clock=clock) as other:
            other.delete(other.add("The lamp is red", kind="fact").memory.id)
    else:
        assert jay.trash.empty() == 1
    assert jay.trash.list() == [] and b"canary" not in path.read_bytes()


def test_a_circle_in_a_damaged_trash_is_left(jay: Scrubjay, path: Path) -> None:
    first = jay.add("The lamp is red", kind="fact").memory.id
    second = jay.supersede(first, "The lamp is green").memory.id
    jay.delete(first)
    jay.delete(second)
    asked(path, "update trash set kept = json_set(kept, '$.memories[0].superseded_by', id)")
    assert jay.undelete(first).superseded_by is None


@pytest.mark.parametrize(
    "damage",
    [
        """replace(kept, '"confidence"', '"confidance"')""",
        """replace(kept, '"conflicts"', '"conflikts"')""",
        """json_set(kept, '$.memories', 'x')""",
        """json_set(kept, '$.memories[0]', 7)""",
        """json_set(kept, '$.tasks', 7)""",
        """json_set(kept, '$.memories[0].tags', 7)""",
    ],
)
def test_what_cannot_be_read_in_the_trash_is_said_and_taken_out_by_a_repair(
    jay: Scrubjay, path: Path, damage: str
) -> None:
    lamp, door = (jay.add(text, kind="fact").memory.id for text in ("The lamp is red", "The door is shut"))
    jay.delete(lamp, door)
    asked(path, f"update trash set kept = {damage} where id = {lamp}")
    with pytest.raises(Damaged, match="check --deep --repair"):
        jay.undelete(lamp)
    assert jay.check(deep=True).problems == [f"Memory {lamp} in the trash cannot be read."]
    assert jay.check(deep=True, repair=True).problems == []
    assert [one.memory.id for one in jay.trash.list()] == [door] and jay.undelete(door).id == door


@pytest.mark.every_store
def test_what_was_replaced_by_an_erased_memory_comes_back_replaced_and_can_be_reverted(jay: Scrubjay) -> None:
    first = jay.add("Ann lives in Rome", kind="fact").memory.id
    second = jay.supersede(first, "Ann lives in Oslo").memory.id
    jay.delete(first, second)
    jay.forget(second)
    assert jay.undelete(first).superseded_at is not None and jay.list() == []
    assert jay.check(deep=True).problems == []
    assert jay.revert(first).restored == (first,)


def test_what_was_reverted_meanwhile_stays_reverted(jay: Scrubjay) -> None:
    first = jay.add("Ann lives in Rome", kind="fact").memory.id
    second = jay.supersede(first, "Ann lives in Oslo").memory.id
    third = jay.supersede(second, "Ann lives in Bern").memory.id
    jay.delete(second)
    assert [step.new for step in jay.history(first).steps] == [third]
    jay.revert(first)
    jay.undelete(second)
    steps = jay.history(first).steps
    assert [(step.old, step.new, step.undone_at is not None) for step in steps] == [
        (first, second, True),
        (second, third, False),
        (third, first, False),
    ]
    assert [memory.id for memory in jay.list()] == [first]
    assert jay.check(deep=True).problems == []


def merged(jay: Scrubjay) -> tuple[list[int], int]:
    """Three memories of an agent, and the one that they were merged into."""
    agent = jay.lend(trust="agent")
    ids = [agent.add(f"Lamp {number} is red", kind="fact").memory.id for number in range(3)]
    agent.apply(Plan((Change("merge", tuple(ids), "All three lamps are red", "shorter"),)))
    return ids, jay.list()[0].id


def test_a_merge_that_is_undone_is_undone_for_what_was_in_the_trash_too(jay: Scrubjay) -> None:
    ids, whole = merged(jay)
    jay.delete(ids[1])
    jay.revert(whole)
    assert jay.undelete(ids[1]).superseded_by is None
    assert {memory.id for memory in jay.list()} == set(ids) and jay.search("Lamp 1")[0].memory.id == ids[1]
    assert all(step.undone_at for step in jay.history(ids[1]).steps if step.old == ids[1])
    assert jay.check(deep=True).problems == []


def test_a_merge_that_is_made_again_holds_for_what_was_in_the_trash_too(jay: Scrubjay) -> None:
    ids, whole = merged(jay)
    jay.delete(ids[1])
    jay.revert(whole)
    jay.revert(whole)
    assert jay.undelete(ids[1]).superseded_by == whole
    assert {memory.id for memory in jay.list()} == {whole} and jay.check(deep=True).problems == []


def test_vectors_of_another_model_do_not_come_back(jay: Scrubjay) -> None:
    jay.add("Ann likes coffee")
    jay.delete(jay.add("Ann likes tea").memory.id)
    jay.reindex("local")
    jay.undelete(2)
    assert jay.stats().without_vector == 1 and jay.backfill().embedded == 1
    assert jay.check(deep=True).problems == []


# Sources


def test_a_deleted_passage_that_is_taken_out_again_stays(jay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "notes" / "a.md"
    file.parent.mkdir()
    file.write_text("# One\n\nAnn lives in Rome, near the river.\n\n# Two\n\nBob lives in Oslo, near the harbour.\n")
    jay.sources.add(file.parent)
    jay.sync()
    passage = next(memory for memory in jay.list() if "Bob" in memory.text)
    jay.delete(passage.id)
    file.write_text("# Zero\n\nEve swims every day.\n\n" + file.read_text())
    jay.sync()
    assert not any("Bob" in memory.text for memory in jay.list())
    assert jay.undelete(passage.id).text == passage.text
    assert jay.check(deep=True).problems == []
    file.write_text(file.read_text() + "\n# Three\n\nDan sings in a choir.\n")
    jay.sync()
    assert sum("Bob" in memory.text for memory in jay.list()) == 1
    assert jay.check(deep=True).problems == []


def test_a_passage_without_its_document_stays_in_the_trash(jay: Scrubjay, tmp_path: Path) -> None:
    file = tmp_path / "notes" / "a.md"
    file.parent.mkdir()
    file.write_text("# One\n\nAnn lives in Rome, near the river.\n")
    jay.sources.add(file.parent)
    jay.sync()
    jay.delete(1)
    file.unlink()
    jay.sync()
    with pytest.raises(Invalid, match="is not known any more; sync it first"):
        jay.undelete(1)
    assert len(jay.trash.list()) == 1


@pytest.mark.sqlite
def test_tombstones_are_keyed_and_those_of_an_older_version_still_hold(
    path: Path, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib

    text = "Bob lives in Oslo, near the harbour."
    plain = hashlib.blake2b(text.encode(), digest_size=12).digest()
    migrations.migrate(connections := Connections(str(path)), version=7)
    connections.close()
    asked(path, f"insert into tombstones values ('default', 'notes/a.md', x'{plain.hex()}')")
    monkeypatch.setenv("SCRUBJAY_HOME", str(tmp_path / "home"))
    file = tmp_path / "notes" / "a.md"
    file.parent.mkdir()
    file.write_text(f"Ann lives in Rome, near the river.\n\n{text}\n")
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        jay.sources.add(file.parent)
        jay.sync()
        assert [memory.text for memory in jay.list()] == ["Ann lives in Rome, near the river."]
    ((mark,),) = asked(path, "select mark from tombstones")
    assert len(mark) == 16 and plain not in path.read_bytes()


def test_two_files_mark_the_same_text_differently(tmp_path: Path) -> None:
    marks = []
    for name in ("one.db", "two.db"):
        with scrubjay.open(tmp_path / name, embedder="none") as jay:
            jay.add_turns("s", [{"speaker": "Ann", "text": "Hello", "happened_at": Clock().now}])
            jay.delete(1)
        marks.append(asked(tmp_path / name, "select mark from tombstones"))
    assert len(marks[0]) == len(marks[1]) == 2 and not set(marks[0]) & set(marks[1])


# Erased


def filled(jay: Scrubjay, chance: random.Random, count: int) -> dict[int, str]:
    """Memories of many sizes, each with a word of its own in every field; by id."""
    words = {}
    for _ in range(count):
        word = canary(chance)
        text = f"{word} " + " ".join(canary(chance) for _ in range(chance.choice((3, 30, 300, 1500))))
        fields = {"title": f"{word} title", "context": f"{word} context", "tags": [word], "metadata": {"k": word}}
        words[jay.add(text, kind="fact", subject=f"{word} subject", **fields).memory.id] = word  # type: ignore[arg-type]
    return words


def live(jay: Scrubjay, words: dict[int, str], chance: random.Random) -> None:
    """Move the memories about in the file: replaced, changed, searched for, found wanting."""
    for id, word in words.items():
        jay.search(word, limit=3)
        if chance.random() < 0.3:
            jay.update(id, title=f"{word} another title")
        if chance.random() < 0.3:
            jay.supersede(id, f"{word} was replaced", reason=f"{word} moved")


@pytest.mark.parametrize("seed", range(3))
def test_what_leaves_the_trash_is_in_no_file_of_the_store(path: Path, clock: Clock, seed: int) -> None:
    chance = random.Random(seed)
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        words = filled(jay, chance, 60)
        live(jay, words, chance)
        jay.tasks.create(f"{words[5]} is to be done")
        gone = [word for id, word in words.items() if id % 3]
        for memory in jay.list(include_superseded=True):
            if any(word in memory.text for word in gone):
                jay.delete(memory.id)
        assert [jay.search(word, limit=3) for word in gone[:10]]
        assert holding(path.parent, gone) >= {"memory.db-wal"}
        clock.pass_(days=30)
        jay.cleanup()
        assert jay.trash.list() == []
        assert holding(path.parent, gone) == set()
        assert jay.check(deep=True).problems == []
    assert holding(path.parent, gone) == set()
    assert holding(path.parent, [word for id, word in words.items() if not id % 3]) == {"memory.db"}


def test_what_was_cut_from_a_source_that_is_removed_is_in_no_file_of_the_store(path: Path, clock: Clock) -> None:
    chance, store, notes = random.Random(1), path.parent / "store" / "memory.db", path.parent / "notes"
    store.parent.mkdir()
    notes.mkdir()
    words = [canary(chance) for _ in range(40)]
    for number, word in enumerate(words):
        (notes / f"{number}.md").write_text(f"# {word} heading\n\nThe {word} lies in the garden.\n")
    with scrubjay.open(store, embedder="hashing", clock=clock) as jay:
        jay.sources.add(notes)
        jay.sync()
        jay.search(words[3])
        jay.sources.remove("notes")
        assert holding(store.parent, words) == set()
        assert jay.check(deep=True).problems == []


def test_what_has_left_its_file_is_in_no_file_of_the_store_after_a_cleanup(path: Path, clock: Clock) -> None:
    store, note, word = path.parent / "store" / "memory.db", path.parent / "notes" / "a.md", canary(random.Random(2))
    store.parent.mkdir()
    note.parent.mkdir()
    note.write_text(f"# Heading\n\nThe {word} lies in the garden.\n")
    with scrubjay.open(store, embedder="hashing", clock=clock) as jay:
        jay.sources.add(note.parent)
        jay.sync()
        note.write_text("# Heading\n\nNothing lies in the garden, and nothing ever did.\n")
        jay.sync()
        jay.cleanup()
        assert holding(store.parent, [word]) == set()
        erased = asked(store, "select at, complete from erasure")
        clock.pass_(days=1)
        jay.cleanup()
        assert asked(store, "select at, complete from erasure") == erased  # there was nothing left to erase


def test_at_zero_days_a_deleted_memory_is_erased_at_once(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_TRASH_DAYS", "0")
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        words = filled(jay, random.Random(7), 8)
        for id in (2, 5):
            jay.delete(id)
        assert jay.trash.list() == [] and holding(path.parent, [words[2], words[5]]) == set()


@pytest.mark.sqlite
def test_the_cache_of_vectors_is_built_anew_without_what_was_erased(path: Path, clock: Clock) -> None:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        jay.add_many([{"text": f"Entry {number} of the ledger"} for number in range(300)])
        for _ in range(2):
            jay.search("entry", mode="vector")
        caches = set(Path(f"{path}.vectors").iterdir())
        with scrubjay.open(path, clock=clock) as other:
            for _ in range(2):
                other.search("entry", mode="vector")
            jay.delete(7)
            jay.trash.empty()
            assert caches and list(Path(f"{path}.vectors").iterdir()) == []
            (found,) = other.search("Entry 8 of the ledger", mode="vector", limit=1)
            assert found.memory.id == 9


def test_while_somebody_reads_an_older_state_the_last_bytes_wait(path: Path, clock: Clock) -> None:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        words = filled(jay, random.Random(5), 8)
        reader = apsw.Connection(str(path))
        reader.execute("begin; select count(*) from memories").fetchall()
        jay.delete(3)
        assert jay.trash.empty() == 1 and jay.trash.list() == []
        assert holding(path.parent, [words[3]])
        reader.close()
        jay.cleanup()
        assert holding(path.parent, [words[3]]) == set()


def test_an_add_empties_the_trash_at_most_once_a_day(jay: Scrubjay, clock: Clock) -> None:
    for text in ("Ann likes tea", "Bob likes tea", "Dan likes tea"):
        jay.delete(jay.add(text).memory.id)
        clock.pass_(hours=6)
    for hours, left in ((30 * 24 - 19, 3), (1, 2), (7, 2), (18, 0)):
        clock.pass_(hours=hours)
        jay.add(f"It is {clock.now}")
        assert len(jay.trash.list()) == left


def test_a_limit_counts_what_is_kept_and_not_the_trash(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        jay.add_many([{"text": f"Entry {number} of the ledger " + "and so on " * 200} for number in range(200)])
    monkeypatch.setenv("SCRUBJAY_LIMITS_BYTES", str(path.stat().st_size * 3 // 4))
    with scrubjay.open(path, clock=clock) as jay:
        evicted = jay.cleanup()
        assert 50 <= len(evicted) <= 110 and len(jay.trash.list()) == len(evicted) and jay.cleanup() == []


# At the command line


@pytest.mark.sqlite
def test_the_command_line_deletes_shows_takes_back_and_erases(run: Run, home: Path) -> None:
    run("add", "Ann likes tea")
    run("add", "Bob likes tea")
    assert run("trash").out == "The trash is empty.\n"
    run("delete", "1", "2")
    shown = run("trash")
    assert [line.split()[:3] for line in shown.out.splitlines()[1:]] == [["2", "30", "deleted"], ["1", "30", "deleted"]]
    assert run("trash", "--json").json["trash"][0]["days_left"] == 30
    assert run("undelete", "1").out == "Restored 1 Ann likes tea\n"
    assert run("undelete", "1").code == 3
    refused = run("trash", "--empty")
    assert refused.code == 2 and "--force" in refused.err and run("trash", "--json").json["trash"]
    assert run("trash", "--empty", "--force", "--json").json == {"erased": 1}
    assert holding(home, ["bob likes"]) == set() and holding(home, ["ann likes"]) == {"memory.db"}


# Somebody else's file


def test_what_a_file_says_of_its_trash_is_no_statement(jay: Scrubjay, tmp_path: Path, path: Path) -> None:
    task = jay.tasks.create("Feed the flamingo").memory.id
    jay.delete(task)
    other = tmp_path / "other.db"
    name = f"memory) select 1 where 0; commit; attach '{other}' as o; create table o.t (x); begin; --"
    edited = apsw.Connection(str(path))
    edited.execute("update trash set kept = json_set(kept, '$.tasks', json(?))", (json.dumps([{name: 1}]),))
    edited.close()
    with pytest.raises(Damaged, match="stays there"):
        jay.undelete(task)
    assert not other.exists() and [deleted.memory.id for deleted in jay.trash.list()] == [task]


@pytest.mark.sqlite
@pytest.mark.parametrize("statement", ["attach '{}' as other", "vacuum into '{}'"])
def test_no_statement_writes_another_file(path: Path, tmp_path: Path, statement: str) -> None:
    connections = Connections(str(path))
    with connections.reading() as db, pytest.raises(apsw.SQLError, match="too many attached"):
        db.execute(statement.format(tmp_path / "other.db"))
    connections.vacuum()
    connections.close()
    assert not (tmp_path / "other.db").exists()


def test_a_memory_comes_back_with_its_kept_text_and_with_the_updates_that_can_be_undone(
    path: Path, clock: Clock
) -> None:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        secret = jay.add("The password is hunter2hunter2", allow_secret=True).memory
        plain = jay.add("Tea is green", title="Tea").memory
        jay.update(plain.id, title="Green tea")
        jay.delete(secret.id, plain.id)
        assert jay.secrets() == [] and "hunter2" not in repr(jay.trash.list())
        jay.undelete(secret.id)
        jay.undelete(plain.id)
        assert [memory.text for memory in jay.secrets()] == ["The password is hunter2hunter2"]
        jay.revert(plain.id)
        assert jay.list(kinds=[plain.kind])[0].title == "Tea"


def test_a_kept_text_is_erased_with_its_memory(path: Path, clock: Clock) -> None:
    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        secret = jay.add("The password is hunter2hunter2", allow_secret=True).memory
        jay.delete(secret.id)
        jay.trash.empty()
        assert holding(path.parent, ["hunter2hunter2"]) == set()


@pytest.mark.sqlite
def test_an_erasure_that_was_broken_off_is_finished_by_the_next_write(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise StoreError("The disk is full.")

    with scrubjay.open(path, embedder="hashing", clock=clock) as jay:
        jay.add_many([{"text": f"Entry {number} of the ledger"} for number in range(300)])
        with monkeypatch.context() as broken:
            broken.setattr(Connections, "vacuum", full)
            jay.delete(7)
            with pytest.raises(StoreError):
                jay.trash.empty()
        assert jay._view.store.trash.emptied_at() is None
        pages = asked(path, "pragma freelist_count")
        jay.add("Something else")
        assert jay._view.store.trash.emptied_at() == clock.now
        assert asked(path, "pragma freelist_count") == [(0,)] != pages
