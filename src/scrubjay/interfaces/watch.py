"""Following sources: files as they change, transcripts as they grow. Used wherever a program runs on."""

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

TICK_MS = 2_000  # how soon a source that was added or removed meanwhile is noticed
STEP_MS = 50
AGAIN_SECONDS = 60.0  # a provider that was away is asked again; its own pauses come on top

Report = Callable[[Synced | ScrubjayError], None]


def follow(jay: Scrubjay, stop: Event, report: Report, poll: bool = False) -> None:
    """Bring the sources level, and keep them so until told to stop. A failure is told, and does not end it."""
    growth = jay.setting("sync.transcript_bytes"), jay.setting("sync.transcript_messages")
    seconds = jay.setting("sync.interval_minutes") * 60
    while not stop.is_set():
        roots, due = _roots(jay.sources.list()), 0.0
        _sync(jay, (), report)
        for paths in _changes(roots, stop, jay.setting("sync.debounce_ms"), poll):
            if monotonic() >= due:  # also at once: what changed before the watch began was told to nobody
                again = _sync(jay, (), report)
                due = min(monotonic() + seconds if seconds else inf, again)
            elif names := jay.sources.touched(paths, *growth):
                due = min(due, _sync(jay, names, report))
            if _roots(jay.sources.list()) != roots:
                break


def _sync(jay: Scrubjay, names: Sequence[str], report: Report) -> float:
    """When to try again, because vectors are missing whose provider is away."""
    try:
        done = jay.sync(*names)
    except ScrubjayError as problem:
        report(problem)
        return inf
    report(done)
    return monotonic() + AGAIN_SECONDS if done.remaining and jay.setting("embedder") != "none" else inf


def _roots(sources: Sequence[Source]) -> list[str]:
    """The folders to watch; of a repository, where its history is written down."""
    folders = [Path(source.root) / ".git" / "logs" if source.kind == "git" else Path(source.root) for source in sources]
    return sorted({str(folder) for folder in folders if folder.is_dir()})


def _changes(roots: Sequence[str], stop: Event, debounce: int, poll: bool) -> Iterator[list[str]]:
    """Paths that have changed, and from time to time none."""
    from watchfiles import watch

    options: dict[str, Any] = {"debounce": debounce, "step": STEP_MS, "rust_timeout": TICK_MS, "stop_event": stop}
    if roots and not poll:
        try:
            for changes in watch(*roots, watch_filter=None, yield_on_timeout=True, **options):
                yield sorted({path for _, path in changes})
            return
        except OSError:  # too many folders for the system's own events, or one that has gone: look instead
            pass
    yield from _looked_for(roots, stop)


def _looked_for(roots: Sequence[str], stop: Event) -> Iterator[list[str]]:
    """The same by looking; watchfiles would look only at whole seconds, and miss what changes twice in one."""
    before = _seen(roots)
    yield []
    while not stop.wait(TICK_MS / 1000):
        now = _seen(roots)
        yield sorted({path for path, _ in before.items() ^ now.items()})
        before = now


def _seen(roots: Sequence[str]) -> dict[str, tuple[int, int]]:
    found = {}
    for root in roots:
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name != ".git"]
            for name in names:
                with suppress(OSError):
                    status = os.stat(path := os.path.join(folder, name))
                    found[path] = status.st_mtime_ns, status.st_size
    return found
