"""What each adapter costs over the plain call that it makes, and how long the event loop waits.

`python -m bench.adapters --docs` writes docs/figures/adapters.md.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import scrubjay
from scrubjay import Scrubjay
from scrubjay.adapters.anthropic import MemoryTool
from scrubjay.adapters.langgraph import ScrubjayStore
from scrubjay.adapters.mem0 import Memory
from scrubjay.adapters.openai_agents import ScrubjaySession

ASYNC: Any = import_module("scrubjay.async_api")  # its stub has only what is for users
PAGE = Path(__file__).parent.parent / "docs/figures/adapters.md"
TIMES = 40
AT_ONCE = 100  # adds, and as many searches
TICK_SECONDS = 0.01
IDLE_SECONDS = 10
WORKERS = (1, 2, 4, 8)  # threads that are compared
Call = Callable[[int], Any]


def text(number: int) -> str:
    return f"The port of service {number} is {9000 + number}, and its owner is team {number % 7}"


def milliseconds(call: Call, start: int) -> float:
    """The median of one call, in time of the processor: other programs on the machine do not count."""
    taken = []
    for number in range(start, start + TIMES):
        begun = time.process_time()
        call(number)
        taken.append(1000 * (time.process_time() - begun))
    return statistics.median(taken)


def calls(jay: Scrubjay) -> dict[str, tuple[Call, Call]]:
    """By adapter, how it writes and how it reads; the first is the plain call."""
    tools, tool, store, memory = scrubjay.tools("openai", jay), MemoryTool(jay), ScrubjayStore(jay), Memory(jay)
    session, loop = ScrubjaySession("s", jay), asyncio.new_event_loop()
    turn: Any = lambda number: [{"role": "user", "content": text(number)}]  # noqa: E731
    return {
        "plain `jay.add`, `jay.search`": (lambda n: jay.add(text(n)), lambda n: jay.search(text(n), limit=5)),
        "plain `jay.add_turns`, `jay.list(session=…)`": (
            lambda n: jay.add_turns("t", [{"speaker": "user", "text": text(n)}]),
            lambda n: jay.list(session="t", limit=5),
        ),
        "`scrubjay.tools(…).run`": (
            lambda n: tools.run("memory_add", json.dumps({"text": text(n)})),
            lambda n: tools.run("memory_search", json.dumps({"query": text(n), "limit": 5})),
        ),
        "Anthropic memory tool": (
            lambda n: tool.call({"command": "create", "path": f"/memories/{n}.md", "file_text": text(n)}),
            lambda n: tool.call({"command": "view", "path": f"/memories/{n}.md"}),
        ),
        "LangGraph `put`, `search`": (
            lambda n: store.put(("a",), str(n), {"text": text(n)}),
            lambda n: store.search(("a",), query=text(n), limit=5),
        ),
        "OpenAI Agents `add_items`, `get_items`": (
            lambda n: loop.run_until_complete(session.add_items(turn(n))),
            lambda n: loop.run_until_complete(session.get_items(5)),
        ),
        "mem0 `add(infer=False)`, `search`": (
            lambda n: memory.add(text(n), user_id="ann", infer=False),
            lambda n: memory.search(text(n), filters={"user_id": "ann"}, top_k=5),
        ),
    }


class Late(NamedTuple):
    """By how many milliseconds a tick of the event loop came late."""

    by_the_clock: float
    by_the_program: float  # that the loop waited for other threads of the program, which had the processor meanwhile


async def late_with_work(workers: int) -> tuple[list[Late], int]:
    """How late ticks came while as many worker threads add and search; and how many memories were stored."""
    async with ASYNC.AsyncScrubjay(scrubjay.open(":memory:"), ThreadPoolExecutor(workers)) as jay:
        await jay.add("The model is loaded")
        work = [jay.add(text(n)) for n in range(AT_ONCE)], [jay.search(text(n)) for n in range(AT_ONCE)]
        waits = await late_ticks(asyncio.gather(*work[0], *work[1]))
        return waits, len(await jay.list()) - 1


async def late_ticks(work: Awaitable[Any]) -> list[Late]:
    waits = []

    async def tick() -> None:
        while True:
            begun, used, queued = time.perf_counter(), time.process_time(), queued_seconds()
            await asyncio.sleep(TICK_SECONDS)
            late = time.perf_counter() - begun - TICK_SECONDS
            not_queued = max(late - (queued_seconds() - queued), 0)
            waits.append(Late(1000 * late, 1000 * min(not_queued, time.process_time() - used)))

    ticking = asyncio.create_task(tick())
    await work
    ticking.cancel()
    return waits


def queued_seconds() -> float:
    """How long this thread has waited for a processor that other threads and programs had; 0 where nobody counts it."""
    counted = Path("/proc/thread-self/schedstat")
    return int(counted.read_text().split()[1]) / 1e9 if counted.exists() else 0.0


def adapters() -> list[str]:
    rows = ["| adapter | writes | reads |", "|---|---|---|"]
    for number, name in enumerate(calls(scrubjay.open(":memory:"))):
        with scrubjay.open(":memory:") as jay:
            jay.add_many([{"text": text(n)} for n in range(1000, 1200)])
            write, read = calls(jay)[name]
            start = 2000 + number * TIMES
            rows.append(f"| {name} | {milliseconds(write, start):.1f} ms | {milliseconds(read, start):.1f} ms |")
    return rows


def event_loop() -> list[str]:
    rows = [
        "| worker threads | stored | 99 of 100 ticks | the latest | the latest by the clock |",
        "|---|---|---|---|---|",
    ]
    for workers in WORKERS:
        waits, stored = asyncio.run(late_with_work(workers))
        own = sorted(late.by_the_program for late in waits)
        latest = max(late.by_the_clock for late in waits)
        usual = own[int(0.99 * len(own))]
        rows.append(f"| {workers} | {stored} of {AT_ONCE} | {usual:.0f} ms | {own[-1]:.0f} ms | {latest:.0f} ms |")
    idle = asyncio.run(late_ticks(asyncio.sleep(IDLE_SECONDS)))
    rows.append(f"| no work | | | | {max(late.by_the_clock for late in idle):.0f} ms |")
    return rows


def page() -> str:
    return "\n".join(
        [
            f"Processor time of one call, the median of {TIMES}, with the bundled model and 200 other memories:",
            "",
            *adapters(),
            "",
            f"{AT_ONCE} adds and {AT_ONCE} searches at once, as `scrubjay.aopen` does them with {ASYNC.WORKERS_HERE}"
            " worker threads for a memory in a file: by how much ticks of the event loop, every"
            f" {1000 * TICK_SECONDS:.0f} ms, came late because the program's own threads had the processor; and the"
            f" latest by the clock, on a machine of {os.cpu_count()} processors with a load of"
            f" {os.getloadavg()[0]:.0f}, where mostly other programs had it:",
            "",
            *event_loop(),
            "",
        ]
    )


if __name__ == "__main__":
    made = "# What adapters cost\n\nWritten by `python -m bench.adapters --docs`.\n\n" + page()
    print(made)
    if "--docs" in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
