"""What the object that callers hold can do to connect memories. `Scrubjay` in api.py is this and all the rest."""

from __future__ import annotations

import builtins

from scrubjay.memory.connections import links
from scrubjay.memory.connections.freshness import citing
from scrubjay.memory.view import View
from scrubjay.types import Cited, Link, Memory

__all__ = ["Connecting"]


class Connecting:
    """Links, ratings and citations."""

    _view: View

    def link(self, id: int, to: int, word: str | None = None) -> Link:
        """Link a memory to another, by `relates_to` or a word such as `depends_on` or `part_of`."""
        return links.link(self._view, id, to, word)

    def unlink(self, id: int, to: int, word: str | None = None) -> int:
        """Take away the link of that word, or all links from a memory to another; returns how many."""
        return links.unlink(self._view, id, to, word)

    def links(self, id: int) -> builtins.list[Link]:
        """The links from and to a memory, and of those that it has replaced, each with the memory at the other end."""
        return links.links(self._view, id)

    def rate(self, id: int, *, helpful: bool, session: str | None = None) -> Memory:
        """Say whether a memory was of use. It ranks a little higher or lower for it, and is evicted later or sooner."""
        return links.rate(self._view, id, helpful, session)

    def citations(self, id: int) -> builtins.list[Cited]:
        """What a memory cites: each FRESH, STALE (with what changed) or GONE, on the machine that holds the memory."""
        return [*citing(self._view)(self._view.existing(id), None)]
