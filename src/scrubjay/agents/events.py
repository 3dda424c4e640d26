"""Changes as they come, whichever process makes them: each is read from the log that the store writes with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event

from scrubjay.memory.view import View
from scrubjay.types.history import MemoryChange

__all__ = ["Changes", "events", "next_changes"]

LOOK_SECONDS = 0.25
AT_ONCE = 500

Read = Callable[["Changes", Event], Iterator[MemoryChange]]


class Changes(Iterator[MemoryChange]):
    """Changes in their order. `close` ends them, also for a thread that waits for the next one."""

    def __init__(self, last: str, read: Read) -> None:
        self.last = last  # the id of the last change that was looked at: what to go on after
        self._closed = Event()
        self._found = read(self, self._closed)

    def __next__(self) -> MemoryChange:
        return next(self._found)

    def __enter__(self) -> Changes:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._closed.set()


def events(view: View, after: str | None, spaces: Sequence[str] | None, follow: bool) -> Changes:
    """Those after a change, or from now on; without `follow`, it ends with the last that there is."""
    named = view.spaces(spaces)

    def read(changes: Changes, closed: Event) -> Iterator[MemoryChange]:
        while not closed.is_set():
            found, last = next_changes(view, changes.last, named)
            for change in found:
                changes.last = change.id
                yield change
            changes.last = last
            if len(found) < AT_ONCE:
                if not follow:
                    return
                closed.wait(LOOK_SECONDS)

    last = view.store.events.last()
    if after is not None:
        next_changes(view, after, named)  # refuses what is no id
    return Changes(last if after is None else after, read)


def next_changes(view: View, after: str, spaces: Sequence[str]) -> tuple[list[MemoryChange], str]:
    """Some of the changes after one, and up to where that is; one that says so where changes were missed."""
    found = view.store.events.after(after, spaces, AT_ONCE)
    if found is not None:
        return found
    last = view.store.events.last()
    return [MemoryChange(last, None, "missed", spaces[0])], last
