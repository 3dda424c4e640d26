"""Figures: growth, kinds, uses, what is never of use, and how long searches take, as pictures."""

from __future__ import annotations

from datetime import date
from itertools import accumulate

from starlette.responses import Response

from scrubjay.interfaces.page.drawings import bars, columns
from scrubjay.interfaces.page.visits import Page, Visit

__all__ = ["PAGES"]

KINDS = 15
MS = 1000


def figures(visit: Visit) -> Response:
    jay = visit.jay
    stats = visit.seen(jay.stats())
    months = jay.view.store.figures.by_month(jay.space)
    names = [f"{date.fromisoformat(f'{month}-01'):%b %Y}" for month in months]
    growth = dict(zip(names, map(float, accumulate(months.values())), strict=True))
    total, used = sum(stats.by_kind.values()), jay.view.store.figures.used(jay.space)
    kinds = dict(sorted(stats.by_kind.items(), key=lambda one: -one[1])[:KINDS])
    times = {f"{number}": seconds * MS for number, seconds in enumerate(visit.search_seconds, 1)}
    return visit.show(
        "figures.html",
        stats=stats,
        growth=columns(growth, "How many memories there were after each month"),
        kinds=bars(kinds, "How many memories there are of each kind"),
        uses=bars({"used": used, "never used": max(total - used, 0)}, "How many memories were ever of use"),
        never_of_use=jay.view.store.memories.get(stats.never_of_use, [jay.space], jay.view.clock()).values(),
        times=columns(times, "How long the last searches took, in milliseconds", " ms") if times else None,
    )


PAGES = (Page("/figures", figures),)
