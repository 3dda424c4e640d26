"""From a question to scored candidates: each way of searching proposes, then every signal speaks of every candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.search import signals
from scrubjay.search.signals import Scores
from scrubjay.stores import Store, Turn, WordCounts
from scrubjay.text.languages import is_foreign
from scrubjay.types import WEIGHTS, Query

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["KEYWORD", "NEIGHBOURS", "VECTOR", "Proposed", "Scored", "propose", "score", "weights"]

KEYWORD, VECTOR, NEIGHBOURS, SESSION = "keyword", "vector", "neighbours", "session"
# Candidates per way of searching: enough that the best of one is seldom missed by the cut of the other.
POOL = 3
SMALLEST_POOL = 30
MARGIN = 5
LEADING = 10  # the first of each way, whose neighbours are candidates, too


class Proposed(NamedTuple):
    """Candidates: by word, the best first; by meaning, with their cosines."""

    by_word: tuple[int, ...] = ()
    cosines: Mapping[int, float] | None = None  # None where meaning was not asked
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.by_word or self.cosines)

    def with_more(self, more: Proposed) -> Proposed:
        cosines = None if self.cosines is None else {**(more.cosines or {}), **self.cosines}
        return Proposed(tuple(dict.fromkeys(self.by_word + more.by_word)), cosines, self.notes)

    def leading(self) -> Iterator[int]:
        yield from self.by_word[:LEADING]
        yield from sorted(self.cosines or {}, key=(self.cosines or {}).__getitem__, reverse=True)[:LEADING]


class Scored(NamedTuple):
    """What each signal gives each candidate, and what was counted to tell."""

    signals: Mapping[str, Scores]
    counts: WordCounts | None = None
    familiarity: float | None = None  # how far the question's words were gone by beside meaning
    nearest: float = 0.0  # the best cosine


def propose(store: Store, query: Query, vector: Matrix | None) -> Proposed:
    """The best candidates of each way of searching that the question may go."""
    if query.mode == "vector" and vector is not None:
        nearest = store.search.by_meaning(vector, query.filter, query.limit * 2 + MARGIN)
        return Proposed((), nearest.cosines, (nearest.note,) if nearest.note else ())
    pool = max(query.limit * POOL, SMALLEST_POOL)
    by_word = tuple(store.search.by_word(query.text, query.filter, pool, query.limit if vector is None else 0))
    if vector is None:
        return Proposed(by_word)
    nearest = store.search.by_meaning(vector, query.filter, pool)
    return Proposed(by_word, nearest.cosines, (nearest.note,) if nearest.note else ())


def score(store: Store, query: Query, vector: Matrix | None, proposed: Proposed) -> Scored:
    """What speaks for each candidate: in one way of searching that way alone, in both also its conversation."""
    if vector is None:
        counts = store.search.word_counts(query.text, proposed.by_word, query.filter.spaces)
        return Scored({KEYWORD: signals.word_scores(counts.frequencies, counts.memories, counts.counted)}, counts)
    if query.mode == "vector":
        cosines = proposed.cosines or {}
        return Scored({VECTOR: signals.vector_scores(cosines, store.search.pieces(cosines))})
    return _in_both(store, query, vector, proposed)


def weights(names: Iterable[str], own: Mapping[str, float]) -> dict[str, float]:
    """What each signal counts, by default or as the question has it; whatever words say in a conversation, as words."""
    known = {**WEIGHTS, **own}
    return {name: known.get(name, known[KEYWORD]) for name in names}


def _in_both(store: Store, query: Query, vector: Matrix, proposed: Proposed) -> Scored:
    ids = dict.fromkeys((*proposed.by_word, *(proposed.cosines or ())))
    turns: dict[int, Turn] = {}
    if query.fusion == "sum":
        turns = store.search.turns(ids)
        ids, turns = _widened(store, query, proposed, ids, turns)
    around = {other for id in turns for other in turns[id].beside.values()}
    counts = store.search.word_counts(query.text, dict.fromkeys((*ids, *around)), query.filter.spaces)
    nearest = max((proposed.cosines or {}).values(), default=0.0)
    foreign = is_foreign(query.text)
    familiarity = signals.familiarity(counts.frequencies, counts.memories, counts.counted, nearest, foreign)
    words = _words(counts, ids, turns, familiarity)
    meaning = _meaning(store, vector, proposed, ids, turns, counts)
    return Scored({VECTOR: meaning, **words}, counts, familiarity, nearest)


def _widened(
    store: Store, query: Query, proposed: Proposed, ids: dict[int, None], turns: dict[int, Turn]
) -> tuple[dict[int, None], dict[int, Turn]]:
    """The candidates and what was said just before and after the leading ones: an answer may share no word at all."""
    leading = [turns[id].beside for id in proposed.leading() if id in turns]
    near = {beside[place] for beside in leading for place in (-1, 1) if place in beside} - set(ids)
    more = store.search.passing(near, query.filter) if near else []
    return (ids | dict.fromkeys(more), turns | store.search.turns(more)) if more else (ids, turns)


def _words(
    counts: WordCounts, ids: Iterable[int], turns: Mapping[int, Turn], familiarity: float
) -> dict[str, Mapping[int, float]]:
    """What words say of each; of a turn by itself, with what was said around it, and of its whole conversation."""
    counted = {id: counts.counted[id] for id in ids if id in counts.counted}
    own = signals.word_scores(counts.frequencies, counts.memories, counted)
    own = {id: score * familiarity for id, score in own.items()}
    windows = signals.in_context(counts.counted, {id: turns[id].beside for id in counted if id in turns})
    read = signals.word_scores(counts.frequencies, counts.memories, windows)
    read = {id: score * familiarity for id, score in read.items()}
    by_itself, around, session = signals.talk_scores(own, read, {id: turns[id].session for id in read})
    return {KEYWORD: {**own, **by_itself}, NEIGHBOURS: around, SESSION: session}


def _meaning(
    store: Store,
    vector: Matrix,
    proposed: Proposed,
    ids: Iterable[int],
    turns: Mapping[int, Turn],
    counts: WordCounts,
) -> dict[int, float]:
    """How near each is in meaning; a short turn is read with the short one before it."""
    before = {id: turns[id].beside[-1] for id in ids if id in turns and -1 in turns[id].beside}
    short = {id for id, (_, length) in counts.counted.items() if length <= signals.SHORT}
    before = {id: other for id, other in before.items() if id in short and other in short}
    known = proposed.cosines or {}
    unscored = {*ids, *before.values()} - known.keys()
    cosines = {**known, **store.search.cosines(vector, unscored)} if unscored else known
    leaning = signals.leaning(cosines, before, store.search.alike(before)) if before else {}
    own = {id: leaning.get(id, cosines[id]) for id in ids if id in cosines}
    return signals.vector_scores(own, store.search.pieces(own))
