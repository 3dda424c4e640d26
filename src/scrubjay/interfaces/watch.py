"""Sync sources whenever their files change. Used by the commands that keep running: watch, mcp and serve."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

from scrubjay import Scrubjay, ScrubjayError, Source, Synced

__all__ = ["Report", "follow"]

TICK_MS = 2_000  # how often to check for sources that were added or removed
STEP_MS = 50
RETRY_SECONDS = 60.0  # until a provider that did not answer is asked again; its circuit breaker may wait longer

Report = Callable[[Synced | ScrubjayError], None]


def follow(jay: Scrubjay, stop: Event, report: Report, poll: bool = False) -> None:
    """Sync the sources, then again after each change, until `stop` is set. A failure is only reported."""
    growth = jay.setting("sync.transcript_bytes"), jay.setting("sync.transcript_messages")
    seconds = jay.setting("sync.interval_minutes") * 60
    while not stop.is_set():
        roots, due = _roots(jay.sources.list()), 0.0
        _sync(jay, (), report)
        for paths in _changes(roots, stop, jay.setting("sync.debounce_ms"), poll):
            if monotonic() >= due:  # true at first: changes before the watch began were not reported
                retry_at = _sync(jay, (), report)
                due = min(monotonic() + seconds if seconds else inf, retry_at)
            elif names := jay.sources.touched(paths, *growth):
                due = min(due, _sync(jay, names, report))
            if _roots(jay.sources.list()) != roots:
                break


def _sync(jay: Scrubjay, names: Sequence[str], report: Report) -> float:
    """Sync, and return when to try again because the provider of missing vectors did not answer."""
    try:
        done = jay.sync(*names)
    except ScrubjayError as problem:
        report(problem)
        return inf
    report(done)
    return monotonic() + RETRY_SECONDS if done.remaining and jay.setting("embedder") != "none" else inf


def _roots(sources: Sequence[Source]) -> list[str]:
    """The folders to watch; for a repository, the folder of its logs."""
    folders = [Path(source.root) / ".git" / "logs" if source.kind == "git" else Path(source.root) for source in sources]
    return sorted({str(folder) for folder in folders if folder.is_dir()})


def _changes(roots: Sequence[str], stop: Event, debounce: int, poll: bool) -> Iterator[list[str]]:
    """Paths that have changed; an empty list at each tick without changes."""
    from watchfiles import watch

    options: dict[str, Any] = {"debounce": debounce, "step": STEP_MS, "rust_timeout": TICK_MS, "stop_event": stop}
    if roots and not poll:
        try:
            for changes in watch(*roots, watch_filter=None, yield_on_timeout=True, **options):
                yield sorted({path for _, path in changes})
            return
        except OSError:  # too many folders for the system's events, or one was deleted: poll instead
            pass
    yield from _polled_changes(roots, stop)


def _polled_changes(roots: Sequence[str], stop: Event) -> Iterator[list[str]]:
    """The same by polling; watchfiles compares whole seconds only, and would miss a second change in the same one."""
    before = _times_and_sizes(roots)
    yield []
    while not stop.wait(TICK_MS / 1000):
        now = _times_and_sizes(roots)
        yield sorted({path for path, _ in before.items() ^ now.items()})
        before = now


def _times_and_sizes(roots: Sequence[str]) -> dict[str, tuple[int, int]]:
    found = {}
    for root in roots:
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name != ".git"]
            for name in names:
                with suppress(OSError):
                    status = os.stat(path := os.path.join(folder, name))
                    found[path] = status.st_mtime_ns, status.st_size
    return found
