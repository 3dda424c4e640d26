"""Step two: what is known about each candidate, read in one call, and what each signal makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.search import constants, signals
from scrubjay.search.candidates import leading
from scrubjay.search.signals import Scores
from scrubjay.stores import Turn, WordCounts
from scrubjay.stores.contract import Candidates, Evidence, EvidenceRequest
from scrubjay.stores.search import Snapshot
from scrubjay.text.languages import is_foreign
from scrubjay.text.word_lists import COMMON_ENGLISH
from scrubjay.types import Query, RankingFields

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["KEYWORD", "NEIGHBOURS", "SESSION", "SUBSTRING", "VECTOR", "Judged", "judge", "judge_substrings"]

KEYWORD, VECTOR, NEIGHBOURS, SESSION, SUBSTRING = "keyword", "vector", "neighbours", "session", "substring"


class Judged(NamedTuple):
    """What each signal gives each candidate, and the facts it was told from."""

    signals: Mapping[str, Scores]
    fields: Mapping[int, RankingFields]
    texts: Mapping[int, str]  # where the question names a time
    words: WordCounts | None = None
    keyword_trust: float | None = None  # how much words count beside meaning, where both were asked
    nearest: float = 0.0  # the best cosine
    is_english: bool = False  # whether the memories are


def judge(
    snapshot: Snapshot, query: Query, vector: Matrix | None, candidates: Candidates, with_texts: bool = False
) -> Judged:
    """In one way of searching that way alone speaks; where both were asked, conversations speak, too."""
    if vector is None:
        return _by_words(snapshot, query, candidates, with_texts)
    if query.mode == "vector":
        return _by_meaning(snapshot, query, candidates, with_texts)
    return _by_both(snapshot, query, vector, candidates, with_texts)


def judge_substrings(snapshot: Snapshot, query: Query, ids: Iterable[int]) -> Judged:
    """Memories that contain the text as it was typed."""
    scores = dict.fromkeys(ids, constants.SUBSTRING_SCORE)
    read = snapshot.evidence(EvidenceRequest(list(scores), query.filter))
    return Judged({SUBSTRING: scores}, read.fields, read.texts)


def _by_words(snapshot: Snapshot, query: Query, candidates: Candidates, with_texts: bool) -> Judged:
    request = EvidenceRequest(candidates.by_word, query.filter, query.text, with_texts=with_texts)
    read = snapshot.evidence(request)
    assert read.words is not None
    return Judged({KEYWORD: _word_scores(read.words, read.words.counted)}, read.fields, read.texts, read.words)


def _by_meaning(snapshot: Snapshot, query: Query, candidates: Candidates, with_texts: bool) -> Judged:
    cosines = candidates.cosines or {}
    read = snapshot.evidence(EvidenceRequest(list(cosines), query.filter, cosines=cosines, with_texts=with_texts))
    return Judged({VECTOR: signals.vector_scores(cosines, read.pieces)}, read.fields, read.texts)


def _by_both(snapshot: Snapshot, query: Query, vector: Matrix, candidates: Candidates, with_texts: bool) -> Judged:
    cosines = candidates.cosines or {}
    request = EvidenceRequest(
        ids=list(dict.fromkeys((*candidates.by_word, *cosines))),
        filter=query.filter,
        text=query.text,
        vector=vector,
        cosines=cosines,
        neighbours_of=leading(candidates) if query.fusion == "sum" else None,
        short_turn_words=constants.SHORT_TURN_WORDS,
        common_words=COMMON_ENGLISH,
        common_share=constants.COMMON_WORD_SHARE,
        with_texts=with_texts,
    )
    read = snapshot.evidence(request)
    assert read.words is not None
    nearest = max(cosines.values(), default=0.0)
    counts, foreign = read.words, is_foreign(query.text)
    trust = signals.keyword_trust(counts.frequencies, counts.memories, counts.counted, nearest, foreign)
    found = {VECTOR: _meaning(read), **_words(counts, read.ids, read.turns, trust)}
    return Judged(found, read.fields, read.texts, counts, trust, nearest, read.has_common_words)


def _words(
    counts: WordCounts, ids: Iterable[int], turns: Mapping[int, Turn], trust: float
) -> dict[str, Mapping[int, float]]:
    """What words say of each; of a turn by itself, with what was said around it, and of its whole conversation."""
    counted = {id: counts.counted[id] for id in ids if id in counts.counted}
    own = {id: score * trust for id, score in _word_scores(counts, counted).items()}
    windows = signals.with_neighbours(counts.counted, {id: turns[id].beside for id in counted if id in turns})
    around = {id: score * trust for id, score in _word_scores(counts, windows).items()}
    parts = signals.conversation_scores(own, around, {id: turns[id].session for id in around})
    by_itself, neighbours, session = parts
    return {KEYWORD: {**own, **by_itself}, NEIGHBOURS: neighbours, SESSION: session}


def _meaning(read: Evidence) -> dict[int, float]:
    """How near each is in meaning; a short turn is read with the short one before it."""
    before = {id: other for id, (other, _) in read.previous.items()}
    likeness = {id: near for id, (_, near) in read.previous.items()}
    joined = signals.with_previous_turn(read.cosines, before, likeness)
    own = {id: joined.get(id, read.cosines[id]) for id in read.ids if id in read.cosines}
    return signals.vector_scores(own, read.pieces)


def _word_scores(counts: WordCounts, counted: signals.Counted) -> dict[int, float]:
    return signals.word_scores(counts.frequencies, counts.memories, counted)
