"""Progress on standard error: a bar on a terminal, elsewhere a line every few seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import click

from scrubjay.models.embedding import Progress
from scrubjay.text.plural import counted, plural

__all__ = ["Stages", "progress_bar", "stages"]

EVERY_SECONDS = 10.0  # between two lines where there is no terminal


class Stages:
    """The stages of one command. A new stage ends the bar of the one before, so that two never overlap."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet and not sys.stderr.isatty()  # programs that read JSON expect no other output
        self._label = ""
        self._bar: Any = None
        self._printed_at = 0.0
        self._began = (0.0, 0)  # this stage: when, and with how many done

    def of(self, label: str, noun: str) -> Progress:
        """The progress of one stage, e.g. "Reading", and what it counts, e.g. "document"."""
        show = self._draw if sys.stderr.isatty() else self._print
        return lambda done, total: show(label, noun, done, total)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None

    def _draw(self, label: str, noun: str, done: int, total: int) -> None:
        if label != self._label or self._bar is None:
            self.close()
            self._bar = click.progressbar(length=total, label=f"{label} {plural(noun)}", file=sys.stderr, show_pos=True)
            self._bar.render_progress()
        self._label, self._bar.length = label, total
        self._bar.update(done - self._bar.pos)

    def _print(self, label: str, noun: str, done: int, total: int) -> None:
        is_new, self._label = label != self._label, label
        if self._quiet:
            return
        now = monotonic()
        if is_new:
            self._began = (now, done)
        if is_new or done >= total or now - self._printed_at >= EVERY_SECONDS:
            self._printed_at = now
            click.echo(f"{label}: {done:,} of {counted(total, noun)}{self._rate(now, done, total)}.", err=True)

    def _rate(self, now: float, done: int, total: int) -> str:
        """How fast it goes, and how long it still takes at that rate."""
        began_at, began_with = self._began
        seconds, since = now - began_at, done - began_with
        if seconds < 1 or since <= 0 or done >= total:
            return ""
        return f", {since / seconds:,.1f} a second, about {_duration((total - done) * seconds / since)} left"


def _duration(seconds: float) -> str:
    return counted(round(seconds), "second") if seconds < 100 else counted(round(seconds / 60), "minute")


@contextmanager
def stages(quiet: bool) -> Iterator[Stages]:
    shown = Stages(quiet)
    try:
        yield shown
    finally:
        shown.close()


@contextmanager
def progress_bar(label: str, noun: str, quiet: bool) -> Iterator[Progress]:
    """The progress of a command that has one stage."""
    with stages(quiet) as shown:
        yield shown.of(label, noun)
