"""The awaited memory: the same methods, in worker threads; what is cancelled is whole or was never begun."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.make_async_stub import STUB, async_stub

import scrubjay
from scrubjay import AsyncScrubjay, Invalid, Scrubjay


def test_the_types_of_the_awaited_memory_are_the_generated_ones() -> None:
    """`make docs` writes them."""
    assert STUB.read_text(encoding="utf-8") == async_stub()


def test_a_memory_is_opened_written_and_read(path: Path) -> None:
    async def story() -> None:
        async with await scrubjay.aopen(path, space="work", embedder="hashing") as jay:
            added = await jay.add("User prefers dark mode", kind="preference")
            assert (await jay.search("dark mode"))[0].memory == added.memory
            assert (jay.space, jay.trust, jay.notes) == ("work", "user", ())
            assert repr(jay).startswith("<awaited <Scrubjay ") and "supersede" in dir(jay)

    asyncio.run(story())
    with scrubjay.open(path, space="work") as jay:
        assert [memory.text for memory in jay.list()] == ["User prefers dark mode"]


def test_tasks_sessions_and_lent_memories_are_awaited_too(path: Path) -> None:
    async def story() -> None:
        async with await scrubjay.aopen(path, embedder="none") as jay:
            task = await jay.tasks.create("Water the plants")
            assert [one.memory.id for one in await jay.tasks.list()] == [task.memory.id]
            await jay.add_turns("s", [{"speaker": "Ann", "text": "Hello"}])
            assert [turn.text for turn in await jay.sessions.turns("s")] == ["Hello"]
            other = await jay.lend(space="other", source="mcp")
            assert isinstance(other, AsyncScrubjay) and other.space == "other"
            assert (await other.add("The heron is blue")).memory.source == "mcp"
            assert jay.trash.days == 30

    asyncio.run(story())


def test_methods_look_and_fail_as_those_that_are_not_awaited(path: Path) -> None:
    async def story() -> None:
        async with await scrubjay.aopen(path, embedder="none") as jay:
            assert inspect.signature(jay.add) == inspect.signature(Scrubjay.add).replace(
                parameters=list(inspect.signature(Scrubjay.add).parameters.values())[1:]
            )
            with pytest.raises(Invalid, match="The text is empty"):
                await jay.add(" ")
            with pytest.raises(AttributeError, match="no attribute '_view'"):
                jay._view  # type: ignore[attr-defined]  # noqa: B018
            with pytest.raises(AttributeError, match="colour"):
                jay.colour  # type: ignore[attr-defined]  # noqa: B018

    asyncio.run(story())


def test_two_hundred_adds_and_searches_at_once_lose_nothing(path: Path) -> None:
    async def story() -> None:
        async with await scrubjay.aopen(path, embedder="hashing") as jay:
            adding = [jay.add(f"The port of service {number} is {9000 + number}") for number in range(100)]
            searching = [jay.search(f"port of service {number}") for number in range(100)]
            added, found = await asyncio.gather(asyncio.gather(*adding), asyncio.gather(*searching))
            assert len({one.memory.id for one in added}) == len(found) == 100
            assert len(await jay.list()) == 100

    asyncio.run(story())


def test_the_event_loop_runs_on_while_a_call_waits(path: Path) -> None:
    async def story() -> None:
        async with await scrubjay.aopen(path, embedder="hashing") as jay:
            held, asked = threading.Event(), threading.Event()

            def progress(done: int, of: int) -> None:
                asked.set()
                held.wait(60)

            adding = asyncio.create_task(jay.add_many([{"text": "The heron is blue"}], progress=progress))
            while not asked.is_set():
                await asyncio.sleep(0)
            assert not adding.done()
            held.set()
            assert (await adding)[0].created

    asyncio.run(story())


@settings(max_examples=15)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_what_is_cancelled_is_stored_whole_or_not_at_all(turns_before_cancel: list[int]) -> None:
    """Each add is cancelled after some turns of the event loop; all that was acknowledged is there."""

    async def story() -> None:
        async with await scrubjay.aopen(":memory:", embedder="hashing") as jay:
            items = [{"text": f"Number {number} of three"} for number in range(3)]
            acknowledged = 0
            for number, turns in enumerate(turns_before_cancel):
                adding = asyncio.create_task(jay.add_many([{**item, "subject": f"{number}"} for item in items]))
                for _ in range(turns):
                    await asyncio.sleep(0)
                adding.cancel()
                acknowledged += 3 * (not (await asyncio.wait([adding]))[0].pop().cancelled())
            stored = [memory.subject for memory in await jay.list()]
            assert acknowledged <= len(stored)
            assert all(stored.count(subject) == 3 for subject in stored)
            assert (await jay.check(deep=True)).problems == []

    asyncio.run(story())


def test_a_call_that_waits_for_a_worker_and_is_cancelled_never_begins(path: Path) -> None:
    async def story() -> None:
        async with await scrubjay.aopen(path, embedder="hashing") as jay:
            held = threading.Event()

            def wait(done: int, of: int) -> None:
                held.wait(60)

            hold = [asyncio.create_task(jay.add_many([{"text": f"{n}"}], progress=wait)) for n in range(4)]
            await asyncio.sleep(0)
            waiting = asyncio.create_task(jay.add("Never said"))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
            held.set()
            await asyncio.gather(*hold)
            assert len(await jay.list()) == 4

    asyncio.run(story())
