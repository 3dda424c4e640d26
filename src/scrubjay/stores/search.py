"""What a search reads: candidates by word and by meaning, evidence about them, and the memories to show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import apsw

from scrubjay.stores import reading, writing
from scrubjay.stores.contract import (
    CandidateRequest,
    Candidates,
    Evidence,
    EvidenceRequest,
    Nearest,
    Presented,
    Turn,
    WordCounts,
)
from scrubjay.stores.filters import where
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.stores.sqlite.text_index import FullText
from scrubjay.stores.sqlite.vector_cache import VectorCache
from scrubjay.stores.sqlite.vector_index import alike, cosines, nearest
from scrubjay.types import Filter, Memory

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Search", "Snapshot"]


class Search:
    """Finding memories by word and by meaning."""

    def __init__(self, engine: Connections, text: FullText, cache: VectorCache) -> None:
        self._engine = engine
        self._text = text
        self._cache = cache

    def by_word(self, text: str, filter: Filter, limit: int, least: int) -> list[int]:
        """The best by word up to the limit; fewer than `least` only where there are no more."""
        terms = self._text.terms(text)
        if not terms:
            return []
        with self._engine.reading() as db:
            return self._text.candidates(db, terms, filter.spaces, where(filter), limit, least)

    def by_meaning(self, vector: Matrix, filter: Filter, limit: int) -> Nearest:
        with self._engine.reading() as db:
            return nearest(db, self._cache, writing.model_id(db, "current"), vector, filter, limit)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """One state of the store for all reads of a search, whatever is written meanwhile."""
        with self._engine.snapshot() as db:
            yield Snapshot(db, self._text, self._cache)


class Snapshot:
    """One state of the store, whatever is written meanwhile."""

    def __init__(self, db: apsw.Connection, text_index: FullText, vector_cache: VectorCache) -> None:
        self._db = db
        self._text_index = text_index
        self._vector_cache = vector_cache

    def candidates(self, request: CandidateRequest) -> Candidates:
        """The best by word and by meaning that pass the filter."""
        if request.without_kinds:
            others = [kind for kind in self._kinds(request.filter.spaces) if kind not in request.without_kinds]
            if not others:
                return Candidates()
            request = request._replace(filter=replace(request.filter, kinds=tuple(others)))
        by_word = self._by_word(request.text, request.filter, request.limit, request.at_least)
        if request.newest is not None:
            newest = reading.newest(self._db, request.newest, request.newest_limit, 0)
            by_word = [*dict.fromkeys((*by_word, *(memory.id for memory in newest)))]
        if request.vector is None:
            return Candidates(tuple(by_word))
        near = nearest(self._db, self._vector_cache, self._model, request.vector, request.filter, request.limit)
        return Candidates(tuple(by_word), near.cosines, (near.note,) if near.note else ())

    def first_candidates(self, requests: Sequence[CandidateRequest]) -> tuple[int, Candidates] | None:
        """The candidates of the first request that finds any, and which one that is."""
        for number, request in enumerate(requests):
            if found := self.candidates(request):
                return number, found
        return None

    def by_substring(self, text: str, filter: Filter, limit: int) -> list[int]:
        return reading.by_substring(self._db, text, filter, limit)

    def evidence(self, request: EvidenceRequest) -> Evidence:
        """All that ranking reads about candidates."""
        ids: Mapping[int, None] = dict.fromkeys(request.ids)
        turns: Mapping[int, Turn] = {}
        if request.neighbours_of is not None:
            ids, turns = self._with_neighbours(ids, request.neighbours_of, request.filter)
        words = self._word_counts(request, ids, turns)
        previous = self._previous(ids, turns, words, request.short_turn_words)
        known = self._cosines(request, {*ids, *previous.values()})
        likeness = alike(self._db, self._model, previous) if previous else {}
        return Evidence(
            ids=ids,
            fields=reading.ranking_fields(self._db, ids),
            turns=turns,
            words=words,
            cosines=known,
            pieces=reading.pieces(self._db, [id for id in ids if id in known]) if known else {},
            previous={id: (previous[id], near) for id, near in likeness.items()},
            texts=reading.texts(self._db, ids) if request.with_texts else {},
            has_common_words=self._has_common_words(request),
        )

    def present(
        self, ids: Sequence[int], spaces: Sequence[str], at: datetime, now: datetime, similar: int
    ) -> Presented:
        """The memories that are there at that moment, with what is shown of turns now.

        For each turn, `similar` memories that share its words are looked at for replaced ones.
        """
        memories = writing.get(self._db, ids, spaces, at)
        turns = [memory for memory in memories.values() if memory.kind == "turn"]
        neighbours = {turn.id: reading.beside(self._db, turn, now, 1) for turn in turns}
        changed = {space for space in {turn.space for turn in turns} if reading.any_superseded(self._db, space)}
        replaced = {turn.id: self._replaced(turn, now, similar) for turn in turns if turn.space in changed}
        return Presented(memories, neighbours, replaced)

    def memories(self, ids: Sequence[int], spaces: Sequence[str], at: datetime) -> dict[int, Memory]:
        return writing.get(self._db, ids, spaces, at)

    @cached_property
    def _model(self) -> int:
        return writing.model_id(self._db, "current")

    def _kinds(self, spaces: Sequence[str]) -> list[str]:
        return [kind for space in spaces for kind in reading.kinds(self._db, space)]

    def _by_word(self, text: str | None, filter: Filter, limit: int, at_least: int) -> list[int]:
        terms = self._text_index.terms(text) if text else []
        if not terms:
            return []
        return self._text_index.candidates(self._db, terms, filter.spaces, where(filter), limit, at_least)

    def _with_neighbours(
        self, ids: Mapping[int, None], leading: Sequence[int], filter: Filter
    ) -> tuple[Mapping[int, None], Mapping[int, Turn]]:
        """The candidates, with the turns just before and after the leading ones that pass the filter."""
        turns = reading.turns(self._db, ids)
        places = [turns[id].beside for id in leading if id in turns]
        near = {beside[place] for beside in places for place in (-1, 1) if place in beside} - ids.keys()
        more = reading.passing(self._db, near, where(filter)) if near else []
        return (dict.fromkeys((*ids, *more)), turns | reading.turns(self._db, more)) if more else (ids, turns)

    def _word_counts(
        self, request: EvidenceRequest, ids: Iterable[int], turns: Mapping[int, Turn]
    ) -> WordCounts | None:
        """How often the question's words occur in the candidates and in the turns around them."""
        if request.text is None:
            return None
        around = {other for turn in turns.values() for other in turn.beside.values()}
        terms = self._text_index.terms(request.text)
        counts = self._text_index.counts(self._db, terms, dict.fromkeys((*ids, *around)), request.filter.spaces)
        return counts._replace(words=[term.match for term in terms])

    def _has_common_words(self, request: EvidenceRequest) -> bool:
        common, spaces = request.common_words, request.filter.spaces
        return bool(common) and self._text_index.speaks(self._db, common, spaces, request.common_share)

    def _cosines(self, request: EvidenceRequest, ids: Collection[int]) -> Mapping[int, float]:
        known = request.cosines or {}
        unknown = set(ids) - known.keys()
        if request.vector is None or not unknown:
            return known
        return {**known, **cosines(self._db, self._model, request.vector, unknown)}

    def _previous(
        self, ids: Iterable[int], turns: Mapping[int, Turn], words: WordCounts | None, short_words: int
    ) -> dict[int, int]:
        """For each short turn the short one just before it."""
        lengths = {id: length for id, (_, length) in words.counted.items()} if words else {}
        short = {id for id, length in lengths.items() if length <= short_words}
        before = {id: turns[id].beside[-1] for id in ids if id in turns and -1 in turns[id].beside}
        return {id: other for id, other in before.items() if id in short and other in short}

    def _replaced(self, turn: Memory, now: datetime, similar: int) -> list[tuple[Memory, Memory]]:
        everything = Filter(spaces=(turn.space,), now=now, include_superseded=True)
        found = writing.get(self._db, self._by_word(turn.text, everything, similar, 0), [turn.space], now)
        replaced = [memory for memory in found.values() if memory.superseded_by is not None]
        newer = writing.get(self._db, [id for memory in replaced if (id := memory.superseded_by)], [turn.space], now)
        return [(memory, newer[memory.superseded_by]) for memory in replaced if memory.superseded_by in newer]
