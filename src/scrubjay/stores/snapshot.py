"""What one search reads: candidates, evidence about them, and the memories to show, all of one state of the store."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import apsw

from scrubjay.stores import reading, writing
from scrubjay.stores.filters import where
from scrubjay.stores.records import Turn, WordCounts
from scrubjay.stores.sqlite.text_index import FullText
from scrubjay.stores.sqlite.vector_cache import VectorCache
from scrubjay.stores.sqlite.vector_index import alike, cosines, nearest
from scrubjay.types import Filter, Memory, RankingFields

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["CandidateRequest", "Candidates", "Evidence", "EvidenceRequest", "Presented", "Snapshot"]


class CandidateRequest(NamedTuple):
    """Which memories to propose."""

    filter: Filter
    limit: int  # by word, and by meaning
    text: str | None = None  # None: not by word
    vector: Matrix | None = None  # None: not by meaning
    at_least: int = 0  # by word: look at commoner words, too, if fewer were found
    newest: Filter | None = None  # also the newest of these, whatever they say
    newest_limit: int = 0
    without_kinds: Collection[str] = ()


class Candidates(NamedTuple):
    """Ids by word, the best first; cosines by id; and what to say about the way they were found."""

    by_word: tuple[int, ...] = ()
    cosines: Mapping[int, float] | None = None  # None where meaning was not asked
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.by_word or self.cosines)

    def with_more(self, more: Candidates) -> Candidates:
        found = None if self.cosines is None else {**(more.cosines or {}), **self.cosines}
        return Candidates(tuple(dict.fromkeys(self.by_word + more.by_word)), found, self.notes)


class EvidenceRequest(NamedTuple):
    """What to read about candidates."""

    ids: Collection[int]
    filter: Filter
    text: str | None = None  # None: count no words
    vector: Matrix | None = None  # None: no further cosines
    cosines: Mapping[int, float] | None = None  # those known already; None where meaning was not asked
    neighbours_of: Sequence[int] | None = None  # whose neighbours become candidates; None: read no conversations
    short_turn_words: int = 0  # up to here a turn is compared with the one before
    common_words: Sequence[str] = ()  # of a language
    common_share: float = 0.0  # the share of memories that must hold one of these
    with_texts: bool = False


class Evidence(NamedTuple):
    """What the store knows about candidates. `ids` are those asked for and the neighbours that became candidates."""

    ids: Collection[int]
    fields: Mapping[int, RankingFields]
    turns: Mapping[int, Turn]
    words: WordCounts | None
    cosines: Mapping[int, float]
    pieces: Mapping[int, int]  # vectors of each text
    previous: Mapping[int, tuple[int, float]]  # of a short turn: the short turn before it, and the cosine of the two
    texts: Mapping[int, str]
    has_common_words: bool  # whether the store holds the language of the `common_words` asked about


class Presented(NamedTuple):
    """Memories to show; of turns also their neighbours, and replaced memories that share their words."""

    memories: Mapping[int, Memory]
    neighbours: Mapping[int, Sequence[Memory]]
    replaced: Mapping[int, Sequence[tuple[Memory, Memory]]]  # each with the memory that replaced it


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
        near = nearest(
            self._db, self._vector_cache, self._model, request.vector, request.filter, request.limit
        )  # fmt: skip
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
