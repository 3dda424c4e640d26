"""The log of changes: whoever changes a memory, in whichever process, those who follow are told."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import scrubjay
from scrubjay import Invalid, Scrubjay

OTHER_PROCESS = "import scrubjay, sys; scrubjay.open(sys.argv[1], embedder='none').add('Said elsewhere')"


def told(jay: Scrubjay, after: str, **options: Any) -> list[tuple[int | None, str]]:
    return [(one.memory, one.change) for one in jay.events(after=after, follow=False, **options)]


def now(jay: Scrubjay) -> str:
    return jay.events(follow=False).last


def test_every_way_to_change_a_memory_is_told(jay: Scrubjay) -> None:
    begin = now(jay)
    first = jay.add("The garden needs water", kind="fact").memory.id
    second = jay.supersede(first, "The garden needs rain").memory.id
    jay.revert(first)
    jay.update(first, tags=["home"])
    jay.delete(first)
    jay.undelete(first)
    task = jay.tasks.create("Water the plants").memory.id
    jay.tasks.update(task, status="completed")
    found = told(jay, begin)
    expected = [(first, "added"), (second, "added"), (first, "replaced"), (second, "replaced"), (first, "restored")]
    assert set(expected) <= set(found)
    assert [change for memory, change in found if memory == first][-3:] == ["changed", "deleted", "restored"]
    assert found[-2:] == [(task, "added"), (task, "changed")]


def test_reading_is_no_change(jay: Scrubjay) -> None:
    jay.add("The garden needs water", kind="fact")
    begin = now(jay)
    jay.search("garden water")
    jay.get(1)
    jay.context("the garden")
    jay.add("Something else")  # which also writes the uses down
    assert told(jay, begin) == [(2, "added")]


def test_changes_of_other_spaces_are_told_only_to_those_who_name_them(jay: Scrubjay) -> None:
    begin, other = now(jay), jay.lend(space="other")
    other.add("In the other space")
    jay.add("Here")
    assert told(jay, begin) == [(2, "added")]
    assert told(other, begin) == [(1, "added")]
    assert [one.space for one in jay.events(after=begin, spaces=["default", "other"], follow=False)] == [
        "other",
        "default",
    ]


def test_who_was_away_goes_on_where_it_was(jay: Scrubjay) -> None:
    begin = now(jay)
    jay.add_many([{"text": f"Note {number}"} for number in range(1_200)])  # more than are read at once
    seen: list[int | None] = []
    while len(seen) < 1_200:
        with jay.events(after=begin, follow=False) as changes:
            for change in changes:
                seen.append(change.memory)
                begin = change.id
                if len(seen) % 499 == 0:
                    break  # it is gone in the middle
    assert seen == list(range(1, 1_201))


@pytest.mark.sqlite
def test_a_log_that_does_not_go_back_that_far_says_so(jay: Scrubjay, tmp_path: Path) -> None:
    begin = now(jay)
    backup = jay.backup(tmp_path / "copy.db").file
    jay.add("Lost with the restore")
    last = now(jay)
    with scrubjay.open(backup, embedder="none") as restored:
        restored.add("Written after the restore")  # with the number that the lost one had
        assert told(restored, begin) == [(1, "added")]
        assert told(restored, last) == [(None, "missed")]
    with pytest.raises(Invalid, match="not the id of a change"):
        jay.events(after="yesterday")


def test_a_follower_is_told_what_another_process_writes_and_ends_when_closed(jay: Scrubjay) -> None:
    seen: list[tuple[int | None, str]] = []
    changes = jay.events()

    def listen() -> None:
        for change in changes:
            seen.append((change.memory, change.change))
            changes.close()

    thread = Thread(target=listen)
    thread.start()
    subprocess.run([sys.executable, "-c", OTHER_PROCESS, jay.address], check=True)
    thread.join(timeout=30)
    assert not thread.is_alive() and seen == [(1, "added")]


def test_changes_are_awaited_and_a_cancelled_wait_ends_them(tmp_path: Path) -> None:
    async def story() -> None:
        async with await scrubjay.aopen(tmp_path / "memory.db", embedder="none") as jay:
            changes = await jay.events()
            await jay.add("The heron is blue")
            async for change in changes:
                assert (change.memory, change.change) == (1, "added")
                break
            waiting = asyncio.create_task(anext(changes))
            await asyncio.sleep(0.01)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            with pytest.raises(StopAsyncIteration):
                await anext(await jay.events(follow=False))

    asyncio.run(story())
