"""What needs a person to decide: conflicts, memories that say the same, and citations of what has changed since."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from scrubjay.memory.connections.freshness import citing
from scrubjay.memory.similar import near, twin
from scrubjay.memory.view import View
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Cited, Memory

__all__ = ["Duplicate", "StaleCitation", "duplicates", "stale_citations"]

LOOKED_AT = 30  # of the newest memories
COMPARED = 200  # memories that cite something


class Duplicate(NamedTuple):
    """Two current memories that say the same in nearly the same words."""

    older: Memory
    newer: Memory


class StaleCitation(NamedTuple):
    """A memory, and what it cites that is not as it was."""

    memory: Memory
    cited: Cited


def duplicates(view: View, most: int) -> list[Duplicate]:
    """Among the newest memories, those that repeat another."""
    return list(islice(_duplicates(view), most))


def _duplicates(view: View) -> Iterator[Duplicate]:
    newest = [one for one in view.newest({}, None, LOOKED_AT, 0) if one.kind not in KINDS_CUT_FROM_A_SOURCE]
    model = view.store.vectors.model()
    vectors = view.store.vectors.embedded("current", [one.digest for one in newest])
    apart = {
        pair for one in view.store.conflicts.open(view.space, view.clock()) for pair in _both(one.older, one.newer)
    }
    seen: set[int] = set()
    for memory in newest:
        pieces = vectors.get(memory.digest)
        others = near(view.store, memory, None if pieces is None else pieces[0], model, [memory.id, *seen])
        found = twin(others, {other for one, other in apart if one == memory.id})
        seen.add(memory.id)
        if found:
            yield Duplicate(found, memory)


def _both(one: Memory, other: Memory) -> tuple[tuple[int, int], tuple[int, int]]:
    return (one.id, other.id), (other.id, one.id)


def stale_citations(view: View, most: int) -> list[StaleCitation]:
    """Citations of files that have changed or are gone."""
    cite = citing(view)
    memories = view.store.memories.citing(view.space, view.clock())[:COMPARED]
    every = (StaleCitation(memory, one) for memory in memories for one in cite(memory, None))
    return list(islice((one for one in every if one.cited.state != "FRESH"), most))
