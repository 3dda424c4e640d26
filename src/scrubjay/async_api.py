"""The same memory for asynchronous programs: each method is awaited, and runs in a worker thread.

One wrapper serves every method. Type checkers read `async_api.pyi`, which `python -m tools.make_async_stub` writes.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Thread
from typing import Any

from scrubjay import opening
from scrubjay.agents.events import Changes
from scrubjay.api import Scrubjay
from scrubjay.memory.view import View
from scrubjay.types.history import MemoryChange

__all__ = ["AsyncChanges", "AsyncScrubjay", "aopen", "has_methods_to_await", "in_thread"]

# Python lets one thread run at a time, for 5 ms if it does not stop by itself: each worker that has something to do may
# keep the event loop waiting for so long. A memory elsewhere mostly waits for an answer.
WORKERS_HERE, WORKERS_ELSEWHERE = 2, 4


class _Awaited:
    """Some object whose methods take a while: here each is awaited. What is no method is the same."""

    def __init__(self, of: Any, workers: ThreadPoolExecutor) -> None:
        self._of = of
        self._workers = workers

    def __repr__(self) -> str:
        return f"<awaited {self._of!r}>"

    def __dir__(self) -> list[str]:
        return dir(self._of)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self._of).__name__!r} has no attribute {name!r}")
        value = getattr(self._of, name)
        return self._awaitable(value) if callable(value) else self._wrapped(value)

    def _awaitable(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        async def awaitable(*args: Any, **options: Any) -> Any:
            return self._wrapped(await in_thread(self._workers, functools.partial(method, *args, **options)))

        vars(awaitable)["__signature__"] = inspect.signature(method)  # without self
        return awaitable

    def _wrapped(self, value: Any) -> Any:
        if isinstance(value, Scrubjay):
            return AsyncScrubjay(value, self._workers)
        if isinstance(value, Changes):
            return AsyncChanges(value)
        return _Awaited(value, self._workers) if has_methods_to_await(value) else value


class AsyncScrubjay(_Awaited):
    """One memory, seen from one space. Its methods are those of `Scrubjay`, to be awaited."""

    async def __aenter__(self) -> AsyncScrubjay:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        await in_thread(self._workers, self._of.close)
        self._workers.shutdown(wait=False)


class AsyncChanges:
    """Changes as they come: `async for change in await jay.events()`. What is cancelled ends them."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    @property
    def last(self) -> str:
        return self._changes.last

    def __aiter__(self) -> AsyncChanges:
        return self

    async def __anext__(self) -> MemoryChange:
        """The next one. It may be long in coming, so it is waited for in a thread of its own."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[MemoryChange | None] = loop.create_future()
        Thread(target=self._wait, args=(loop, found), daemon=True).start()
        try:
            change = await found
        except asyncio.CancelledError:
            self._changes.close()
            raise
        if change is None:
            raise StopAsyncIteration
        return change

    def close(self) -> None:
        self._changes.close()

    def _wait(self, loop: asyncio.AbstractEventLoop, found: asyncio.Future[MemoryChange | None]) -> None:
        result: MemoryChange | None = None
        error: Exception | None = None
        try:
            result = next(self._changes, None)
        except Exception as problem:
            error = problem
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(_settle, found, result, error)


def _settle(found: asyncio.Future[MemoryChange | None], result: MemoryChange | None, error: Exception | None) -> None:
    if found.done():  # cancelled meanwhile
        return
    if error is not None:
        found.set_exception(error)
    else:
        found.set_result(result)


async def aopen(*args: Any, **options: Any) -> AsyncScrubjay:
    """Open a memory for a program that awaits: what it takes is what `scrubjay.open` takes.

    Each method of what is opened is that of `Scrubjay`, to be awaited; so are those of its groups, such as `jay.tasks`.
    """
    opener = ThreadPoolExecutor(1)
    try:
        jay = await in_thread(opener, functools.partial(opening.open, *args, **options))
    finally:
        opener.shutdown(wait=False)
    workers = WORKERS_ELSEWHERE if "://" in jay.address else WORKERS_HERE
    return AsyncScrubjay(jay, ThreadPoolExecutor(workers, thread_name_prefix="scrubjay"))


def has_methods_to_await(value: object) -> bool:
    """Whether it works on a memory, as `jay.tasks` does, and is no plain value."""
    return isinstance(getattr(value, "_view", None), View)


async def in_thread(workers: ThreadPoolExecutor, call: Callable[[], Any]) -> Any:
    """Run a call in a worker thread. If it is cancelled, it ends whole, or never begins; only then is this left."""
    work = asyncio.wrap_future(running := workers.submit(call))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        if not running.cancel():
            await _ended(work)
        raise


async def _ended(work: asyncio.Future[Any]) -> None:
    """Wait for it, whatever becomes of it, and however often this is cancelled meanwhile."""
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            continue
    work.exception()  # was asked for: else asyncio warns that nobody did
