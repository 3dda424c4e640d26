"""Figures about one space: how much there is, how much of it is used, and how it can be searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scrubjay.memory.arguments import count
from scrubjay.memory.view import View
from scrubjay.models.answering import ask_embedder, ask_generator
from scrubjay.models.generation import configured_generator
from scrubjay.types.models import Provider
from scrubjay.types.reports import Access, Limits, LimitUse, Stats

__all__ = ["accesses", "limits_used", "providers", "stats"]

AVAILABLE = "available"
NO_VECTORS = "no memory has a vector yet; `scrubjay backfill` makes them."
BY_WORDS = "searches by words alone: {}"


def stats(view: View) -> Stats:
    figures = view.store.maintenance.figures(view.space, view.clock())
    own = replace(figures.pop("generation"), budget=view.setting("generation.budget"))
    return Stats(
        **figures,
        generation=own,
        health=_health(figures),
        search_modes=_search_modes(view, figures),
        limits=tuple(limits_used(view)),
    )


def accesses(view: View, id: int | None, limit: int) -> list[Access]:
    """The log of uses, the newest first: of one memory, or of the space."""
    memory = None if id is None else view.existing(id).id
    return view.store.uses.logged(view.space, memory, count("limit", limit))


def providers(view: View) -> list[Provider]:
    """Whether the embedder and the generator answer."""
    with configured_generator(view.store.ledger, view.setting, view.clock) as generator:
        return [ask_embedder(view.selection.follow_store()), ask_generator(generator)]


def limits_used(view: View) -> Iterator[LimitUse]:
    """How much of each limit that is set is used. What is in the trash counts for none."""
    limits = Limits(view.setting("limits.memories"), view.setting("limits.bytes"))
    if limits.memories:
        used = view.store.maintenance.count(view.space, view.clock())
        yield LimitUse("limits.memories", used, limits.memories, round(used / limits.memories, 3))
    if limits.bytes:
        used = view.store.maintenance.bytes_used() - view.store.trash.bytes()
        yield LimitUse("limits.bytes", used, limits.bytes, round(used / limits.bytes, 3))


def _health(figures: dict[str, Any]) -> dict[str, str]:
    vectors = "none" if figures["model"] is None else "incomplete" if figures["without_vector"] else "good"
    return {"words": "incomplete" if figures["without_words"] else "good", "vectors": vectors}


def _search_modes(view: View, figures: dict[str, Any]) -> dict[str, str]:
    """Each way of searching, and whether it is available; else why not."""
    embedder, why_not = view.selection.for_queries()
    if embedder is not None:
        why_not = NO_VECTORS if figures["model"] is None and figures["memories"] else ""
    hybrid = BY_WORDS.format(why_not) if why_not else AVAILABLE
    return {"keyword": AVAILABLE, "vector": why_not or AVAILABLE, "hybrid": hybrid}
