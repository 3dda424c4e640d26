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
from pathlib import Path
from typing import Any, NamedTuple

import scrubjay
from scrubjay import Scrubjay
from scrubjay.adapters.anthropic import MemoryTool
from scrubjay.adapters.langgraph import ScrubjayStore
from scrubjay.adapters.mem0 import Memory
from scrubjay.adapters.openai_agents import ScrubjaySession

PAGE = Path(__file__).parent.parent / "docs/figures/adapters.md"
TIMES = 40
AT_ONCE = 100  # adds, and as many searches
TICK_SECONDS = 0.01
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
    """By how many milliseconds the event loop's next tick came late at most."""

    by_the_clock: float
    by_the_program: float  # the program's own threads had the processor meanwhile: other programs do not count


async def longest_waits() -> tuple[Late, Late, int]:
    """How late ticks came, with work and without any; and how many memories were stored."""
    async with await scrubjay.aopen(":memory:") as jay:
        await jay.add("The model is loaded")
        begun = time.perf_counter()
        work = [jay.add(text(n)) for n in range(AT_ONCE)], [jay.search(text(n)) for n in range(AT_ONCE)]
        busy = await latest_tick(asyncio.gather(*work[0], *work[1]))
        idle = await latest_tick(asyncio.sleep(time.perf_counter() - begun))
        return busy, idle, len(await jay.list()) - 1


async def latest_tick(work: Awaitable[Any]) -> Late:
    waits = []

    async def tick() -> None:
        while True:
            begun, used = time.perf_counter(), time.process_time()
            await asyncio.sleep(TICK_SECONDS)
            late = 1000 * (time.perf_counter() - begun - TICK_SECONDS)
            waits.append(Late(late, min(late, 1000 * (time.process_time() - used))))

    ticking = asyncio.create_task(tick())
    await work
    ticking.cancel()
    return Late(*map(max, zip(*waits, strict=True)))


def page() -> str:
    rows = ["| adapter | writes | reads |", "|---|---|---|"]
    for number, name in enumerate(calls(scrubjay.open(":memory:"))):
        with scrubjay.open(":memory:") as jay:
            jay.add_many([{"text": text(n)} for n in range(1000, 1200)])
            write, read = calls(jay)[name]
            start = 2000 + number * TIMES
            rows.append(f"| {name} | {milliseconds(write, start):.1f} ms | {milliseconds(read, start):.1f} ms |")
    busy, idle, stored = asyncio.run(longest_waits())
    return "\n".join(
        [
            f"Processor time of one call, the median of {TIMES}, with the bundled model and 200 other memories:",
            "",
            *rows,
            "",
            f"{AT_ONCE} adds and {AT_ONCE} searches at once through `scrubjay.aopen`: {stored} of {AT_ONCE} stored;"
            f" the event loop's next tick came at most {busy.by_the_clock:.0f} ms late, and {idle.by_the_clock:.0f} ms"
            f" in as long a time without any work, on a machine with a load of {os.getloadavg()[0]:.0f}. At most"
            f" {busy.by_the_program:.0f} ms of it were taken by the program's own threads.",
            "",
        ]
    )


if __name__ == "__main__":
    made = "# What adapters cost\n\nWritten by `python -m bench.adapters --docs`.\n\n" + page()
    print(made)
    if "--docs" in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
