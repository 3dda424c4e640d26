"""A dry run: all of the work in one transaction, which is undone. So it tells exactly what would be done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scrubjay.memory.view import View

__all__ = ["undone"]


class _Undo(Exception):
    """Nothing is to be kept."""


@contextmanager
def undone(view: View, undone: bool) -> Iterator[None]:
    """Keep nothing of what is written in this block, if so asked."""
    if not undone:
        yield
        return
    try:
        with view.store.transaction():
            yield
            raise _Undo
    except _Undo:
        return
