"""A snapshot may be older than the cache of vectors: another thread has moved the cache on meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from scrubjay.stores import open_store
from scrubjay.stores.contract import CandidateRequest
from scrubjay.stores.sqlite import vector_index
from scrubjay.stores.sqlite.caches.vector_cache import VectorCache
from scrubjay.stores.sqlite.rows import SqliteRows
from scrubjay.types import Memory
from tests.support.stored import NOW, SPACE, by_meaning, everything, later, put, vectors


@pytest.fixture(autouse=True)
def cache_from_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the cache at once, though a process that asks but once would do without it."""
    monkeypatch.setattr(vector_index, "FEW_FOR_ONCE", 0)


def retitled(memory: Memory) -> Memory:
    return replace(memory, title="Another title", updated_at=later(1))


def in_another_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


def test_an_older_snapshot_finds_what_was_there_though_the_cache_has_moved_on(path: Path, builds: list[str]) -> None:
    store = open_store(str(path))
    kept, removed, renamed = (put(store, text, vectors(0, 1)) for text in ("Kept", "Removed", "Renamed"))

    def nearest() -> set[int]:
        return set(by_meaning(store, 0))

    def move_on() -> None:
        store.trash.put([removed.id], [SPACE], NOW)
        store.memories.change(renamed.id, [SPACE], retitled, vectors(5))
        put(store, "Added", vectors(0))
        assert removed.id not in nearest()

    nearest()
    assert len(builds) == 1
    with store.snapshot():
        assert nearest() == {kept.id, removed.id, renamed.id}
        in_another_thread(move_on)
        assert nearest() == {kept.id, removed.id, renamed.id}
        assert by_meaning(store, 0)[renamed.id] == pytest.approx(1)
    assert nearest() == {kept.id, renamed.id, kept.id + 3}
    assert len(builds) == 1  # the cache was neither thrown away nor moved back
    store.close()


def test_threads_in_snapshots_of_different_age_share_one_cache(path: Path, builds: list[str]) -> None:
    store = open_store(str(path))
    put(store, "One", vectors(0))
    by_meaning(store, 0)
    problems: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(30):
                with store.snapshot():
                    there = {memory.id for memory in store.memories.newest(everything(), None)}
                    with store.search.snapshot() as snapshot:
                        found = snapshot.candidates(CandidateRequest(everything(), 1_000, vector=vectors(0)[0]))
                    assert found.notes == () and set(found.cosines or ()) == there
        except BaseException as problem:
            problems.append(problem)

    def write() -> None:
        for number in range(30):
            memory = put(store, f"More {number}", vectors(0))
            if number % 3 == 0:
                store.trash.put([memory.id], [SPACE], NOW)

    threads = [threading.Thread(target=work) for work in (read, read, write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert problems == [] and len(builds) == 1
    store.close()


def test_a_snapshot_of_another_history_is_not_taken_for_an_older_one(path: Path, tmp_path: Path) -> None:
    store = open_store(str(path))
    put(store, "One", vectors(0))
    store.close()
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    cache = VectorCache(None)
    answers = {}
    for file, texts in ((path, ("Two", "Three")), (copy, ("Other",))):
        store = open_store(str(file))
        for text in texts:
            put(store, text, vectors(0))
        with store._engine.reading() as rows:
            db = cast("SqliteRows", rows).db
            answers[file] = sorted(cache.nearest(db, SPACE, 1, vectors(0)[0], 10, everything()).pieces)
        store.close()
    assert answers == {path: [1, 2, 3], copy: [1, 2]}
