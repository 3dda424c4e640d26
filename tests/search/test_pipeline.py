"""One search asks the store a few times, and always of one state of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay import Scrubjay
from scrubjay.stores.contract import CandidateRequest, Candidates
from scrubjay.stores.search import Snapshot
from scrubjay.stores.sqlite import vector_index
from scrubjay.stores.sqlite.connections import Connections
from scrubjay.types import Mode

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
READS = ("candidates", "by_substring", "evidence", "present", "memories")
MOST_CALLS = 8


class Calls(Counter[str]):
    """How often each read of a snapshot was asked for, and how many snapshots and other reads were begun."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    counted = Calls()
    depth = 0

    def counting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def count(*given: Any, **named: Any) -> Any:
            nonlocal depth
            counted[name] += not depth  # what a call asks for itself is no call of the search
            depth += 1
            try:
                return method(*given, **named)
            finally:
                depth -= 1

        return count

    for name in READS:
        monkeypatch.setattr(Snapshot, name, counting(name, getattr(Snapshot, name)))
    monkeypatch.setattr(Connections, "reading", counting("connections", Connections.reading))
    return counted


@pytest.fixture
def jay(path: Path) -> Iterator[Scrubjay]:
    """A conversation and memories of several months, one of them replaced."""
    with scrubjay.open(path, embedder="hashing", clock=lambda: NOW) as opened:
        said = [{"speaker": "Ann", "text": text} for text in ("Where does the heron nest?", "In the willow")]
        opened.add_turns("session-1", said)  # type: ignore[arg-type]
        for month in range(12):
            opened.add(f"The heron nests in oak {month}", happened_at=NOW - timedelta(days=30 * month))
        opened.supersede(opened.add("The heron nests in the willow").memory.id, "The heron has no nest")
        opened.search("heron")
        yield opened


def talk(jay: Scrubjay, *texts: str) -> None:
    jay.add_turns("a long talk", [{"speaker": "Ben", "text": text} for text in texts])


def total(calls: Calls) -> int:
    """All calls of the store: those within the one snapshot, and others, which take a connection each."""
    return within(calls) + calls["connections"] - 1


def within(calls: Calls) -> int:
    """The calls within the snapshot."""
    return sum(calls[name] for name in READS)


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_a_search_is_three_calls(jay: Scrubjay, calls: Calls, mode: Mode) -> None:
    assert jay.search("where does the heron nest", mode=mode)
    assert (calls["candidates"], calls["evidence"], calls["present"]) == (1, 1, 1)
    assert total(calls) <= MOST_CALLS


@pytest.mark.parametrize(
    ("question", "asked", "reads"),
    [
        ("which nest did the heron have in March?", {}, 3),  # its candidates are asked for with the others
        ("hero", {"mode": "keyword"}, 4),  # no such word: the text as typed
    ],
)
def test_a_time_or_a_part_of_a_word_takes_one_call_more(
    jay: Scrubjay, calls: Calls, question: str, asked: Any, reads: int
) -> None:
    assert jay.search(question, **asked)
    assert within(calls) == reads and total(calls) <= MOST_CALLS


def test_where_turns_take_most_places_other_memories_are_asked_for(jay: Scrubjay, calls: Calls) -> None:
    talk(jay, *(f"The heron nests in tree {number}" for number in range(60)))
    calls.clear()
    assert jay.search("which nest did the heron have in March?")
    assert calls["evidence"] == 2 and total(calls) <= MOST_CALLS


def test_repetitions_take_two_calls_more(jay: Scrubjay, calls: Calls) -> None:
    talk(jay, *["the licence of the heron"] * 3)
    calls.clear()
    assert any(hit.also for hit in jay.search_turns("licence heron", limit=4))
    assert within(calls) <= 5


@pytest.mark.parametrize("question", ["which licence has the heron?", "which licence had the heron in May?"])
@pytest.mark.parametrize("asked", [{}, {"kinds": ["turn"]}, {"kinds": ["turn", "note", "nots"]}], ids=str)
def test_many_repetitions_take_at_most_eight_calls(jay: Scrubjay, calls: Calls, question: str, asked: Any) -> None:
    talk(jay, *["the licence of the heron"] * 200, *(f"the licence of heron {number}" for number in range(8)))
    jay.add_many([{"text": f"heron {number} has a ring", "kind": "note"} for number in range(30)])
    calls.clear()
    assert any(hit.also for hit in jay.search(question, **asked))
    assert total(calls) <= MOST_CALLS, calls


def test_a_time_crowding_and_repetitions_together_take_at_most_eight_calls(jay: Scrubjay, calls: Calls) -> None:
    talk(jay, *["Which nest did the heron have?"] * 40, *(f"The heron nests in tree {number}" for number in range(20)))
    calls.clear()
    found = jay.search("which nest did the heron have in March?")
    assert any(hit.also for hit in found) and calls["evidence"] == 2
    assert total(calls) <= MOST_CALLS, calls


@pytest.mark.sqlite
def test_where_repetitions_leave_places_the_search_is_widened_once(jay: Scrubjay, calls: Calls) -> None:
    talk(jay, *["the licence of the heron"] * 70, *(f"the licence of heron {number}" for number in range(8)))
    calls.clear()
    found = jay.search_turns("which licence has the heron?", limit=6)
    assert len(found) == 6 and calls["candidates"] == 2
    assert total(calls) <= MOST_CALLS, calls


def test_names_that_no_memory_has_are_one_call_more(jay: Scrubjay, calls: Calls) -> None:
    names: Any = {"subject": "x", "project": "x", "session": "x", "speaker": "x", "tags": ["a", "b", "c", "d"]}
    assert len(jay.search("heron", **names, sources=["x", "y"], kinds=["z"]).notes) >= 11
    assert total(calls) <= MOST_CALLS, calls


def test_what_is_written_during_a_search_is_not_seen_by_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = Snapshot.candidates
    with scrubjay.open(path, embedder="hashing") as jay, scrubjay.open(path, embedder="hashing") as other:
        kept = jay.add("The heron nests in the old oak").memory

        def then_change(snapshot: Snapshot, request: CandidateRequest) -> Candidates:
            found = find(snapshot, request)
            other.delete(kept.id)
            other.add("The heron nests in the willow")
            monkeypatch.setattr(Snapshot, "candidates", find)
            return found

        monkeypatch.setattr(Snapshot, "candidates", then_change)
        assert [hit.memory for hit in jay.search("where does the heron nest?")] == [kept]
        assert [hit.memory.text for hit in jay.search("where does the heron nest?")] == [
            "The heron nests in the willow"
        ]


def test_a_vector_cache_newer_than_the_snapshot_still_finds_what_was_removed_since(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_index, "FEW_FOR_ONCE", 0)
    find = Snapshot.candidates
    with scrubjay.open(path, embedder="hashing") as jay:
        kept = jay.add("The heron nests in the old oak").memory
        jay.add_many([{"text": f"It rained on day {number}"} for number in range(50)])
        jay.search("heron", mode="vector")

        def later(snapshot: Snapshot, request: CandidateRequest) -> Candidates:
            monkeypatch.setattr(Snapshot, "candidates", find)
            snapshot.memories([kept.id], request.filter.spaces, request.filter.now)  # the snapshot begins
            with ThreadPoolExecutor() as other_thread:
                other_thread.submit(jay.delete, kept.id).result()
                found = other_thread.submit(jay.search, "the heron nests", mode="vector").result()
            assert kept not in [hit.memory for hit in found]  # the cache follows
            return find(snapshot, request)

        monkeypatch.setattr(Snapshot, "candidates", later)
        assert jay.search("where does the heron nest in the oak", mode="vector")[0].memory == kept
