"""A search as a caller asks for it: queries completed by the settings of the space, and answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from scrubjay.errors import Invalid
from scrubjay.memory.arguments import several
from scrubjay.memory.connections.freshness import citing
from scrubjay.memory.filters import FILTERS, SearchOptions, unmatched
from scrubjay.memory.view import View
from scrubjay.search import pipeline
from scrubjay.search.pipeline import MAX_RESULTS, vectors_of
from scrubjay.stores.contract import CandidateRequest
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import WEIGHTS, Filter, Fusion, Memory, Mode, Query, Results

__all__ = ["nearest", "search_many"]

MOST_LINKS_AWAY = 100
HOW_TO_ANSWER = frozenset(SearchOptions.__annotations__) - frozenset(FILTERS)


def search_many(
    view: View, texts: Sequence[str], options: SearchOptions, notes: tuple[str, ...] = (), log_text: bool = True,
    *, counts: bool = True,
) -> list[Results]:  # fmt: skip
    """Answer queries with one embedding pass. The notes, which are about the whole memory, go into each answer.

    `log_text` says whether the list of uses may hold what was asked; without `counts`, nothing is noted as shown.
    """
    queries = make_queries(view, texts, options)
    selection, cite = view.selection.follow_store(), citing(view)
    answers = pipeline.search_many(view.store, selection, queries, cite, notes, log_text, counts=counts)
    return [_with_unmatched(view, query.filter, results) for query, results in zip(queries, answers, strict=True)]


def nearest(view: View, text: str, filters: Mapping[str, Any], limit: int) -> list[tuple[Memory, float]] | None:
    """The memories nearest in meaning to a text, best first, each with its cosine; None where there is no model."""
    embedder, why_not = view.selection.follow_store().for_queries()
    vectors, _ = vectors_of(embedder, why_not, [text])
    if text not in vectors:
        return None
    filter = view.filter(filters)
    with view.store.search.snapshot(filter.spaces) as snapshot:
        cosines = snapshot.candidates(CandidateRequest(filter, limit, vector=vectors[text])).cosines or {}
        memories = snapshot.memories(list(cosines), filter.spaces, filter.now)
    return [(memories[id], cosine) for id, cosine in cosines.items() if id in memories]


def _with_unmatched(view: View, filter: Filter, results: Results) -> Results:
    """Note kinds and spaces that no memory has; and if nothing was found, any other name that no memory has."""
    kinds, spaces = {hit.memory.kind for hit in results}, {hit.memory.space for hit in results}
    unseen = [space for space in filter.spaces if space not in spaces] if filter.spaces != (view.space,) else []
    if results:
        missing = tuple(kind for kind in filter.kinds if kind not in kinds)
        filter = Filter(spaces=filter.spaces, now=filter.now, kinds=missing)
    notes = unmatched(view.store, filter, unseen)
    return replace(results, notes=(*results.notes, *notes)) if notes else results


def make_queries(view: View, texts: Sequence[str], options: Mapping[str, Any]) -> list[Query]:
    """Checked queries; what the caller left open comes from the settings."""
    filters = {name: value for name, value in options.items() if name not in HOW_TO_ANSWER}
    filter = view.filter(filters, options.get("spaces"))
    given = {name: options.get(name) for name in ("limit", "mode", "fusion", "min_score")}
    usual = {name: view.setting(f"search.{name}") for name, value in given.items() if value is None}
    weights = {name: view.setting(f"search.{name}_weight") for name in ("keyword", "vector")}
    how = {
        **given,
        **usual,
        "weights": {**weights, **_weights(options.get("weights"))},
        "likely": bool(options.get("likely")),
        "expand": options.get("expand") or 0,
        "project": view.project,
        "half_lives": view.settings.half_lives(view.space),
        "source_share": view.setting("search.source_share"),
    }
    return [_checked_query(text, filter=filter, **how) for text in several("queries", texts)]


def _checked_query(text: str, **given: Any) -> Query:
    """A checked question: any text will do, but not any number."""
    if not isinstance(text, str):
        raise Invalid(f"A query must be text, not {type(text).__name__}.")
    limit, mode, fusion = given["limit"], given["mode"], given["fusion"]
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_RESULTS:
        raise Invalid(f"limit must be a whole number from 1 to {MAX_RESULTS}, not {quoted(limit)}.")
    expand = given["expand"]
    if isinstance(expand, bool) or not isinstance(expand, int) or not 0 <= expand <= MOST_LINKS_AWAY:
        raise Invalid(f"expand must be a whole number from 0 to {MOST_LINKS_AWAY}, not {quoted(expand)}.")
    if mode not in get_args(Mode):
        raise Invalid(f"mode must be hybrid, keyword or vector, not {quoted(mode)}.")
    if fusion not in get_args(Fusion):
        raise Invalid(f"fusion must be sum or rrf, not {quoted(fusion)}.")
    if not isinstance(given["min_score"], int | float) or not 0 <= given["min_score"] <= 1:
        raise Invalid(f"min_score must be a number from 0 to 1, not {quoted(given['min_score'])}.")
    return Query(text=text.encode("utf-8", "replace").decode(), **given)


def _weights(given: Mapping[str, float] | None) -> dict[str, float]:
    if not isinstance(given or {}, Mapping):
        raise Invalid(f'weights must be an object, e.g. {{"keyword": 1}}, not {quoted(given)}.')
    weights = dict(given or {})
    if unknown := set(weights) - set(WEIGHTS):
        raise Invalid(f"There is no weight {quoted(sorted(unknown)[0])}; there are {', '.join(WEIGHTS)}.")
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < float("inf"):
            raise Invalid(f"The weight {name} must be a number from 0 on, not {quoted(weight)}.")
    return weights
