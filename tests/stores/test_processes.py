"""One file, many at once: processes and threads that write, read and die."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.errors import Busy
from scrubjay.stores.sqlite import connections
from tests.support.processes import CONTEXT, PATIENCE_SECONDS, soon, together, written_until_killed

NAMES = ("alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple")
STEPS = 8


def texts(results: scrubjay.Results) -> set[str]:
    return {hit.memory.text for hit in results}


def note(name: str, step: int) -> str:
    return f"The {name} crew wrote down step {step}"


def _add_then_look_for_all(number: int, path: Path, barrier: Any) -> list[int]:
    with scrubjay.open(path, embedder="hashing") as jay:
        barrier.wait(PATIENCE_SECONDS)
        ids = []
        for step in range(STEPS):
            ids.append(jay.add(note(NAMES[number], step)).memory.id)
            jay.search("who wrote down a step?")
        barrier.wait(PATIENCE_SECONDS)
        for name in NAMES:
            everything = {note(name, step) for step in range(STEPS)}
            assert texts(jay.search(name, mode="keyword")) == everything
            assert texts(jay.search(note(name, 0), mode="vector", limit=STEPS)) == everything
        return ids


def test_eight_processes_lose_nothing_and_each_finds_what_the_others_wrote(path: Path) -> None:
    written = together(_add_then_look_for_all, len(NAMES), path, CONTEXT.Barrier(len(NAMES)))
    ids = [id for own in written for id in own]
    assert len(set(ids)) == len(NAMES) * STEPS
    with scrubjay.open(path) as jay:
        stored = {memory.id: memory.text for memory in jay.list()}
        assert stored == {
            id: note(name, step) for name, own in zip(NAMES, written, strict=True) for step, id in enumerate(own)
        }
        assert jay.check(deep=True).problems == []


def _open_new_files(number: int, folder: Path, barrier: Any, rounds: int) -> list[str]:
    for round in range(rounds):
        barrier.wait(PATIENCE_SECONDS)
        with scrubjay.open(folder / f"{round}.db", embedder="hashing") as jay:
            jay.add(f"{NAMES[number]} was here")
    barrier.wait(PATIENCE_SECONDS)
    with scrubjay.open(folder / f"{number % rounds}.db") as jay:
        return jay.check(deep=True).problems


@pytest.mark.parametrize("count", [2, 8])
def test_processes_that_open_a_new_file_at_the_same_moment_all_write_to_it(tmp_path: Path, count: int) -> None:
    rounds = 6
    assert together(_open_new_files, count, tmp_path, CONTEXT.Barrier(count), rounds) == [[]] * count
    for round in range(rounds):
        with scrubjay.open(tmp_path / f"{round}.db") as jay:
            assert {memory.text for memory in jay.list()} == {f"{name} was here" for name in NAMES[:count]}


def _say_the_same(number: int, path: Path, barrier: Any) -> list[int]:
    with scrubjay.open(path, embedder="hashing") as jay:
        barrier.wait(PATIENCE_SECONDS)
        return [jay.add(f"Fact number {fact}", tags=[NAMES[number]]).memory.id for fact in range(STEPS)]


def test_the_same_fact_from_several_processes_is_one_memory_with_all_their_tags(path: Path) -> None:
    ids = together(_say_the_same, 4, path, CONTEXT.Barrier(4))
    assert ids == [ids[0]] * 4
    with scrubjay.open(path) as jay:
        assert {frozenset(memory.tags) for memory in jay.list()} == {frozenset(NAMES[:4])}


def test_what_was_acknowledged_before_a_kill_is_there_afterwards(path: Path) -> None:
    chance = random.Random(7)
    for round in range(5):
        acknowledged = written_until_killed(path, round, chance)
        assert acknowledged
        with scrubjay.open(path) as jay:
            for word, ids in acknowledged.items():
                expected = [f"{word} alone", *(f"{word} of three, {one}" for one in "abc")]
                assert [memory.text for memory in jay.get_many(ids)] == expected
                assert texts(jay.search(word, mode="keyword")) == set(expected)
                assert texts(jay.search(f"{word} alone", mode="vector", limit=1)) == {f"{word} alone"}
            threes = [memory.text.split()[0] for memory in jay.list() if "three" in memory.text]
            assert {threes.count(word) for word in threes} == {3}
            assert jay.check(deep=True).problems == []


def _add_and_search(jay: Scrubjay, name: str) -> list[int]:
    ids = []
    for step in range(STEPS):
        ids.append(jay.add(note(name, step)).memory.id)
        assert note(name, step) in texts(jay.search(note(name, step), mode="vector", limit=5))
        assert note(name, step) in texts(jay.search(f"{name} step {step}"))
    return ids


@pytest.mark.parametrize("where", ["memory.db", ":memory:"])
def test_eight_threads_share_one_scrubjay(tmp_path: Path, where: str) -> None:
    place = where if where == ":memory:" else tmp_path / where
    with scrubjay.open(place, embedder="hashing") as jay, ThreadPoolExecutor(len(NAMES)) as pool:
        written = list(pool.map(lambda name: _add_and_search(jay, name), NAMES))
        assert len({id for own in written for id in own}) == len(jay.list()) == len(NAMES) * STEPS
        assert jay.search("crew", mode="vector").notes == ()
        assert jay.check(deep=True).problems == []


@pytest.mark.parametrize("first", ["reads", "writes"])
def test_threads_that_share_a_memory_without_a_file_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """However long that takes: here the time after which SQLite would give up is over at once."""
    with scrubjay.open(":memory:", embedder="none") as jay, ThreadPoolExecutor(2) as pool:
        monkeypatch.setattr(connections, "WAIT_SECONDS", 0.0)
        store = jay._view.store
        jay.add("Ann likes tea")
        with store.snapshot() if first == "reads" else store.transaction():
            store.memories.spaces()
            later: list[Future[Any]] = [pool.submit(jay.add, "Bob likes tea"), pool.submit(jay.search, "Ann")]
            _, waiting = wait(later, timeout=0.2)
            assert later[0] in waiting
        assert later[0].result(PATIENCE_SECONDS).created and later[1].result(PATIENCE_SECONDS).hits


def test_threads_that_search_while_others_write_are_never_told_of_a_failed_cache(jay: Scrubjay) -> None:
    jay.add_many([{"text": f"Entry {number} of the ledger"} for number in range(300)])
    notes: list[str] = []
    done = threading.Event()

    def search() -> None:
        while not done.is_set():
            notes.extend(jay.search("ledger entry", mode="vector").notes)

    with ThreadPoolExecutor(4) as pool:
        searching = [pool.submit(search) for _ in range(3)]
        try:
            for number in range(40):
                id = jay.add(f"Late entry {number}").memory.id
                jay.supersede(id, f"Corrected entry {number}") if number % 2 else jay.delete(id)
        finally:
            done.set()
        for one in searching:
            one.result(PATIENCE_SECONDS)
    assert notes == []


def _hold_the_write_lock(path: Path, held: Any, release: Any) -> None:
    db = apsw.Connection(str(path))
    db.execute("begin immediate; update memories set importance = 9")
    held.set()
    release.wait(PATIENCE_SECONDS)
    db.execute("rollback")
    db.close()


@contextmanager
def write_lock_held(path: Path) -> Iterator[Any]:
    """Another process is in the middle of a write, until the event is set or the block ends."""
    held, release = CONTEXT.Event(), CONTEXT.Event()
    child = CONTEXT.Process(target=_hold_the_write_lock, args=(path, held, release))
    child.start()
    try:
        assert held.wait(PATIENCE_SECONDS)
        yield release
    finally:
        release.set()
        child.join(PATIENCE_SECONDS)
        child.kill()


def search_often(jay: Scrubjay, times: int = 120) -> list[int]:
    """Often enough that the buffer of uses runs over."""
    return [len(jay.search("entry of the ledger", limit=10)) for _ in range(times)]


def test_reading_waits_for_no_write_of_another_process(jay: Scrubjay, path: Path) -> None:
    jay.add_many([{"text": f"Entry {number} of the ledger"} for number in range(20)])
    with write_lock_held(path):
        assert soon(lambda: search_often(jay)) == [10] * 120
        assert soon(lambda: len(jay.search("ledger", mode="vector"))) == 10
        assert soon(lambda: jay.get(1)) is not None
        assert len(soon(jay.list)) == 20
        assert soon(jay.stats).memories == 20

        def as_a_newcomer() -> int:
            with scrubjay.open(path) as other:
                return len(other.search("ledger"))

        assert soon(as_a_newcomer) == 10


def test_a_write_waits_for_the_other_process_and_searches_beside_it_do_not(jay: Scrubjay, path: Path) -> None:
    jay.add_many([{"text": f"Entry {number} of the ledger"} for number in range(20)])
    with write_lock_held(path) as release, ThreadPoolExecutor(1) as pool:
        adding = pool.submit(jay.add, "A late entry")
        try:
            assert soon(lambda: search_often(jay)) == [10] * 120
            assert not adding.done()
        finally:
            release.set()
        assert adding.result(PATIENCE_SECONDS).created
    assert jay.search("late")[0].memory.text == "A late entry"


def test_a_write_that_waited_for_minutes_says_so(jay: Scrubjay, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jay.add("Something to lock")
    monkeypatch.setattr(connections, "WAIT_SECONDS", 0.2)
    with write_lock_held(path), pytest.raises(Busy, match=r"Another process has been writing .* stop it, or try again"):
        jay.add("Something else")
    assert jay.add("Something else").created


def uses(path: Path) -> tuple[int, int]:
    """How often memories were used, and how many uses are logged."""
    db = apsw.Connection(str(path))
    counted: Any = db.execute(
        "select sum(used_count + shown_count), (select count(*) from accesses) from memories"
    ).fetchone()
    db.close()
    return int(counted[0]), int(counted[1])


def test_uses_arrive_once_the_memory_is_closed(path: Path) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": "Ann likes tea"}, {"text": "Bob likes chess"}])
        jay.search("tea", limit=1)
        jay.get(2)
    assert uses(path) == (2, 2)
    with scrubjay.open(path) as jay:
        counts = [(memory.shown_count, memory.used_count, memory.used_at is not None) for memory in jay.list()]
        assert counts == [(0, 1, True), (1, 0, False)]


def test_uses_of_several_processes_add_up(path: Path) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add("Ann likes tea")
        others = [scrubjay.open(path) for _ in range(3)]
        for other in others:
            other.search("tea")
            other.close()
    assert uses(path) == (3, 3)


def test_uses_are_given_up_rather_than_waited_for(path: Path) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"Entry {number} of the ledger"} for number in range(20)])
    with write_lock_held(path):
        jay = scrubjay.open(path)
        soon(lambda: search_often(jay, 250))
        soon(jay.close)
    assert uses(path) == (0, 0)


def test_a_use_of_what_was_deleted_meanwhile_is_no_error(jay: Scrubjay, path: Path) -> None:
    id = jay.add("Ann likes tea").memory.id
    jay.search("tea")
    jay.delete(id)
    jay.close()
    assert apsw.Connection(str(path)).execute("select count(*) from accesses").get == 0


def test_the_log_of_uses_is_pruned_but_not_their_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrubjay.stores.agents.uses.KEPT", 30)
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"Entry {number} of the ledger"} for number in range(10)])
        search_often(jay, 10)
    assert uses(path) == (100, 30)
