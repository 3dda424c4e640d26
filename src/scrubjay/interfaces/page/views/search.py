"""Search: as you type, with filters as chips, what is likely apart from the rest, and why each was found."""

from __future__ import annotations

import time
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode

from starlette.responses import Response

from scrubjay.errors import Invalid
from scrubjay.interfaces.page.visits import Page, Visit
from scrubjay.memory.filters import SearchOptions
from scrubjay.search.explain import because, overall
from scrubjay.search.query import search_many
from scrubjay.types import Hit, Memory, Results

__all__ = ["PAGES"]

LIMIT = 20
OFFERED = 12  # kinds that are offered as chips
SNIPPET_CHARACTERS = 320
# The filters that an address may carry, each with the argument of `search`.
FILTERS = {
    "kind": "kinds", "tag": "tags", "subject": "subject", "project": "project", "speaker": "speaker",
    "session": "session", "source": "sources", "since": "since", "until": "until",
}  # fmt: skip
NOTHING: dict[str, Any] = {"results": None, "likely": [], "others": [], "ways": [], "notes": [], "newest": []}
SEVERAL = ("kind", "tag", "source")


class Chip(NamedTuple):
    """A filter: how it reads, whether it is set, and the address with it set or taken away."""

    text: str
    is_set: bool
    address: str


class Found(NamedTuple):
    """A hit, the part of its text that is shown, and why it was found."""

    hit: Hit
    snippet: str
    why: list[str]


def search(visit: Visit) -> Response:
    query, filters = visit.asked("q"), _filters(visit)
    values: dict[str, Any] = {"query": query, "chips": _chips(visit, query, filters), "filters": filters}
    status, found = 200, dict[str, Any]()
    try:
        found = _found(visit, query, filters) if query.strip() else {"newest": _newest(visit, filters)}
    except Invalid as wrong:  # of a filter, such as a date: said where it was typed
        status, found = 400, {"results": (), "notes": [str(wrong)]}
    return visit.show("results.html" if visit.is_fragment else "search.html", status, **NOTHING | values | found)


def _found(visit: Visit, query: str, filters: dict[str, list[str]]) -> dict[str, Any]:
    results = _answer(visit, query, filters)
    found = [Found(hit, hit.snippet(SNIPPET_CHARACTERS), because(hit, results)) for hit in results]
    return {
        "results": results,
        "likely": [one for one in found if one.hit.likely],
        "others": [one for one in found if not one.hit.likely],
        "ways": overall(results),
        "notes": visit.seen(list(results.notes)),
    }


def _newest(visit: Visit, filters: dict[str, list[str]]) -> list[Memory]:
    """Without a question, the newest that the filters let through."""
    return visit.jay.list(limit=LIMIT, **_arguments(filters))


def _arguments(filters: dict[str, list[str]]) -> dict[str, Any]:
    return {FILTERS[name]: values if name in SEVERAL else values[0] for name, values in filters.items()}


def _answer(visit: Visit, query: str, filters: dict[str, list[str]]) -> Results:
    options: dict[str, Any] = {"limit": LIMIT, **_arguments(filters)}
    began = time.perf_counter()
    # What is shown while somebody types was not asked for: it does not count as shown.
    (results,) = search_many(
        visit.jay.view, [query], cast(SearchOptions, options), visit.jay.notes, counts=not visit.is_fragment
    )
    visit.search_seconds.append(time.perf_counter() - began)
    return results


def _filters(visit: Visit) -> dict[str, list[str]]:
    """The filters in the address, by name."""
    return {name: given if name in SEVERAL else given[:1] for name in FILTERS if (given := visit.all_asked(name))}


def _chips(visit: Visit, query: str, filters: dict[str, list[str]]) -> list[Chip]:
    """The filters that are set, each to be taken away; then the kinds of this space, each to be added."""
    pairs = [(name, value) for name, values in filters.items() for value in values]
    chips = [Chip(_reads(*one), True, _address(query, [pair for pair in pairs if pair != one])) for one in pairs]
    kinds = [kind for kind in visit.jay.kinds() if ("kind", kind) not in pairs][:OFFERED]
    return chips + [Chip(kind, False, _address(query, [*pairs, ("kind", kind)])) for kind in kinds]


def _reads(name: str, value: str) -> str:
    return value if name == "kind" else f"{name} {value}"


def _address(query: str, pairs: list[tuple[str, str]]) -> str:
    return f"/search?{urlencode([('q', query), *pairs])}"


PAGES = (Page("/search", search),)
