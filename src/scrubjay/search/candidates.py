"""Step one: which memories a search looks at. Words and meaning each propose their best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrubjay.search import constants
from scrubjay.stores.contract import CandidateRequest, Candidates
from scrubjay.stores.search import Snapshot
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Filter, Query

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["candidate_request", "leading", "not_cut_from_a_source"]


def candidate_request(query: Query, vector: Matrix | None, filter: Filter | None = None) -> CandidateRequest:
    """The best of each way of searching that the query allows, within its filter or a narrower one."""
    within = query.filter if filter is None else filter
    wanted = max(query.limit * constants.CANDIDATES_PER_RESULT, constants.MIN_CANDIDATES)
    text = None if query.mode == "vector" and vector is not None else query.text
    least, replaced = query.limit if vector is None else 0, constants.REPLACED_CANDIDATES
    return CandidateRequest(within, wanted, text, vector, at_least=least, replaced=replaced)


def leading(candidates: Candidates) -> list[int]:
    """The first by word and the nearest in meaning: what was said just before and after them may be the answer."""
    cosines = candidates.cosines or {}
    nearest = sorted(cosines, key=cosines.__getitem__, reverse=True)
    return [*candidates.by_word[: constants.LEADING_CANDIDATES], *nearest[: constants.LEADING_CANDIDATES]]


def not_cut_from_a_source(snapshot: Snapshot, query: Query, vector: Matrix | None) -> Candidates:
    """Candidates besides turns and passages, which are many and may take every place."""
    request = candidate_request(query, vector)
    return snapshot.candidates(request._replace(without_kinds=KINDS_CUT_FROM_A_SOURCE))
