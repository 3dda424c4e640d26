"""A search as a caller asks for it: queries completed by the settings of the space, and answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrubjay.memory.filters import FILTERS, SearchOptions, unknown_spaces, unmatched
from scrubjay.memory.view import View
from scrubjay.search import pipeline
from scrubjay.search.pipeline import make_query
from scrubjay.types import Filter, Query, Results

__all__ = ["search_many"]

HOW_TO_ANSWER = frozenset(SearchOptions.__annotations__) - frozenset(FILTERS)


def search_many(
    view: View, texts: Sequence[str], options: SearchOptions, notes: tuple[str, ...] = (), in_full: bool = False
) -> list[Results]:
    """Answer queries with one embedding pass. The notes, which are about the whole memory, go into each answer.

    `in_full`: as many results as the limit allows, even if none of them seems to answer.
    """
    queries = make_queries(view, texts, options)
    answers = pipeline.search_many(view.store, view.selection.follow_store(), queries, notes, in_full)
    return [_with_unmatched(view, query.filter, results) for query, results in zip(queries, answers, strict=True)]


def _with_unmatched(view: View, filter: Filter, results: Results) -> Results:
    """Note kinds and spaces that no memory has; and if nothing was found, any other name that no memory has."""
    kinds_only = replace(filter, subject=None, project=None, session=None, speaker=None, tags=(), sources=())
    notes = unmatched(view.store, kinds_only if results else filter)
    notes += unknown_spaces(view.store, filter.spaces) if filter.spaces != (view.space,) else []
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
        "weights": {**weights, **(options.get("weights") or {})},
        "project": view.project,
        "half_lives": view.settings.half_lives(view.space),
        "source_share": view.setting("search.source_share"),
    }
    return [make_query(text, filter=filter, **how) for text in texts]
