"""Progress on standard error: a bar on a terminal, elsewhere a line every few seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import click

from scrubjay.models.embedding import Progress

__all__ = ["Stages", "progress_bar", "stages"]

EVERY_SECONDS = 10.0  # between two lines where there is no terminal


class Stages:
    """The stages of one command. A new stage ends the bar of the one before, so that two never overlap."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet and not sys.stderr.isatty()  # programs that read JSON expect no other output
        self._label = ""
        self._bar: Any = None
        self._printed_at = 0.0

    def of(self, label: str, noun: str) -> Progress:
        """The progress of one stage, e.g. "Reading", and what it counts, e.g. "documents"."""
        show = self._draw if sys.stderr.isatty() else self._print
        return lambda done, total: show(label, noun, done, total)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None

    def _draw(self, label: str, noun: str, done: int, total: int) -> None:
        if label != self._label or self._bar is None:
            self.close()
            self._bar = click.progressbar(length=total, label=f"{label} {noun}", file=sys.stderr, show_pos=True)
            self._bar.render_progress()
        self._label, self._bar.length = label, total
        self._bar.update(done - self._bar.pos)

    def _print(self, label: str, noun: str, done: int, total: int) -> None:
        is_new, self._label = label != self._label, label
        if self._quiet:
            return
        if is_new or done >= total or monotonic() - self._printed_at >= EVERY_SECONDS:
            self._printed_at = monotonic()
            click.echo(f"{label}: {done:,} of {total:,} {noun if total != 1 else noun.removesuffix('s')}.", err=True)


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
