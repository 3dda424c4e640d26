"""Following sources: files as they change, transcripts as they grow. Used wherever a program runs on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    waiting = _sync(jay, (), report)
    growth = jay.setting("sync.transcript_bytes"), jay.setting("sync.transcript_messages")
    seconds = jay.setting("sync.interval_minutes") * 60
    due, again = monotonic() + seconds, monotonic() + AGAIN_SECONDS
    while not stop.is_set():
        roots = _roots(jay.sources.list())
        for paths in _changes(roots, stop, jay.setting("sync.debounce_ms"), poll):
            if names := jay.sources.touched(paths, *growth):
                waiting = _sync(jay, names, report)
            if (seconds and monotonic() >= due) or (waiting and monotonic() >= again):
                waiting = _sync(jay, (), report)
                due, again = monotonic() + seconds, monotonic() + AGAIN_SECONDS
            if _roots(jay.sources.list()) != roots:
                break


def _sync(jay: Scrubjay, names: Sequence[str], report: Report) -> bool:
    """Whether vectors are still missing, e.g. because their provider is away."""
    try:
        done = jay.sync(*names)
    except ScrubjayError as problem:
        report(problem)
        return False
    report(done)
    return bool(done.remaining and jay.setting("embedder") != "none")


def _roots(sources: Sequence[Source]) -> list[str]:
    """The folders to watch; of a repository, where its history is written down."""
    folders = [Path(source.root) / ".git" / "logs" if source.kind == "git" else Path(source.root) for source in sources]
    return sorted({str(folder) for folder in folders if folder.is_dir()})


def _changes(roots: Sequence[str], stop: Event, debounce: int, poll: bool) -> Iterator[list[str]]:
    """Paths that have changed, and from time to time none."""
    from watchfiles import watch

    options: dict[str, Any] = {"debounce": debounce, "step": STEP_MS, "rust_timeout": TICK_MS, "stop_event": stop}
    while not stop.is_set():
        if not roots:
            stop.wait(TICK_MS / 1000)
            yield []
            continue
        try:
            for changes in watch(
                *roots, watch_filter=None, force_polling=poll or None, yield_on_timeout=True, **options
            ):
                yield sorted({path for _, path in changes})
            return
        except OSError:  # too many folders for the system's own events, or one that has gone: look instead
            poll = True
            roots = [root for root in roots if Path(root).is_dir()]
