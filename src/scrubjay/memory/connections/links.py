"""Linking memories of one space, and rating them."""

from __future__ import annotations

from typing import Any

from scrubjay.errors import Invalid
from scrubjay.memory import guard
from scrubjay.memory.arguments import KIND, memory_id
from scrubjay.memory.view import View
from scrubjay.stores import Use
from scrubjay.stores.connections.ratings import session_rater
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import Link, Memory

__all__ = ["link", "links", "rate", "unlink"]

RELATES = "relates_to"


def link(view: View, id: int, to: int, word: str | None) -> Link:
    """Link a memory to another one of its space; again, it changes nothing."""
    source, target = memory_id(id), memory_id(to)
    if source == target:
        raise Invalid(f"Memory {source} cannot be linked to itself; name two different memories.")
    made = Link(source, target, _word(RELATES if word is None else word), view.clock(), view.actor)
    view.store.links.put(made, view.space)
    return made


def unlink(view: View, id: int, to: int, word: str | None) -> int:
    """Take a link away, or without a word all links from a memory to another; how many there were."""
    of_word = None if word is None else _word(word)
    return view.store.links.undo(memory_id(id), memory_id(to), of_word, view.space, view.clock(), view.actor)


def links(view: View, id: int) -> list[Link]:
    return view.store.links.of(memory_id(id), view.filter())


def rate(view: View, id: int, helpful: bool, session: str | None) -> Memory:
    """Count a memory as of use, or of none; again from the same session, the last word counts."""
    if not isinstance(helpful, bool):
        raise Invalid("helpful must be true or false.")
    name = None if session is None else view.session_name(session)
    rater = session_rater(name) if name else f"actor:{view.actor or ''}"
    now = view.clock()
    rated = view.store.ratings.put(memory_id(id), view.space, rater, helpful, view.trust, now)
    view.store.uses.note([Use(rated.id, rated.space, now, "rate", float(helpful))])
    return rated


def _word(word: Any) -> str:
    if not isinstance(word, str) or not KIND.fullmatch(word.strip().lower()):
        raise Invalid(f"{quoted(word)} cannot name a link; use one word, e.g. depends_on, part_of or relates_to.")
    return guard.name_without_secret("The word of a link", word.strip().lower())
