"""Step two: what is known about each candidate, read in one call, and what each signal makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.search import constants, signals
from scrubjay.search.candidates import leading
from scrubjay.search.signals import Scores
from scrubjay.stores import Turn
from scrubjay.stores.contract import Candidates, Evidence, EvidenceRequest
from scrubjay.stores.evidence.word_counts import Counted, WordCounts
from scrubjay.stores.search import Snapshot
from scrubjay.text.languages import is_foreign
from scrubjay.types import Query, RankingFields

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix, Numbers

__all__ = ["KEYWORD", "SESSION", "SUBSTRING", "VECTOR", "Judged", "judge", "judge_substrings"]

KEYWORD, VECTOR, SESSION, SUBSTRING = "keyword", "vector", "session", "substring"


class Judged(NamedTuple):
    """What each signal gives each candidate, and the facts that it follows from."""

    signals: Mapping[str, Scores]
    fields: Mapping[int, RankingFields]
    texts: Mapping[int, str]  # where the question names a time
    memories: int  # in the spaces that were searched
    words: WordCounts | None = None
    distances: Scores | None = None  # in meaning, from the background, where meaning was asked
    in_place_of: Mapping[int, int] = MappingProxyType({})  # ids of what answers for a replaced memory, and of that


def judge(
    snapshot: Snapshot, query: Query, vector: Matrix | None, model: str, candidates: Candidates, with_texts: bool
) -> Judged:
    """With only words or only meaning, only that signal is used; with both, signals from conversations are added."""
    if vector is None:
        return _by_words(snapshot, query, candidates, with_texts)
    if query.mode == "vector":
        return _by_meaning(snapshot, query, vector, model, candidates, with_texts)
    return _by_both(snapshot, query, vector, model, candidates, with_texts)


def judge_substrings(snapshot: Snapshot, query: Query, ids: Iterable[int]) -> Judged:
    """Memories that contain the text as it was typed."""
    scores = dict.fromkeys(ids, constants.SUBSTRING_SCORE)
    read = snapshot.evidence(EvidenceRequest(list(scores), query.filter))
    return Judged({SUBSTRING: scores}, read.fields, read.texts, read.memories)


def _by_words(snapshot: Snapshot, query: Query, candidates: Candidates, with_texts: bool) -> Judged:
    request = EvidenceRequest(candidates.by_word, query.filter, query.text, with_texts=with_texts)
    read = snapshot.evidence(request)
    counts = read.words
    assert counts is not None
    scores = signals.word_scores(counts.frequencies, counts.memories, counts.counted)
    by_id = dict(zip(counts.counted.rows, scores.tolist(), strict=True))
    return Judged({KEYWORD: by_id}, read.fields, read.texts, read.memories, counts)


def _by_meaning(
    snapshot: Snapshot, query: Query, vector: Matrix, model: str, candidates: Candidates, with_texts: bool
) -> Judged:
    cosines = candidates.cosines or {}
    request = EvidenceRequest(list(cosines), query.filter, vector=vector, cosines=cosines, with_texts=with_texts)
    read = snapshot.evidence(request)
    scores = signals.vector_scores(cosines, read.fields)
    return Judged({VECTOR: scores}, read.fields, read.texts, read.memories, distances=_distances(read, scores, model))


def _by_both(
    snapshot: Snapshot, query: Query, vector: Matrix, model: str, candidates: Candidates, with_texts: bool
) -> Judged:
    cosines = candidates.cosines or {}
    request = EvidenceRequest(
        ids=list(dict.fromkeys((*candidates.by_word, *cosines))),
        filter=query.filter,
        text=query.text,
        vector=vector,
        cosines=cosines,
        neighbours_of=leading(candidates) if query.fusion == "sum" else None,
        short_turn_words=constants.SHORT_TURN_WORDS,
        with_texts=with_texts,
    )
    read = snapshot.evidence(request)
    counts = read.words
    assert counts is not None
    far = _distances(read, _meaning(read), model)
    meaning = {id: min(max(distance * constants.DISTANCE_SCALE, 0.0), 1.0) for id, distance in far.items()}
    found = {VECTOR: meaning, **_words(query.text, counts, read.ids, read.turns)}
    return Judged(found, read.fields, read.texts, read.memories, counts, far)


def _words(text: str, counts: WordCounts, ids: Iterable[int], turns: Mapping[int, Turn]) -> dict[str, Scores]:
    """What words say of each: of a turn, when it is read with those around it, and of its whole conversation."""
    own = counts.counted.of(ids)
    beside = {id: turns[id].beside.values() for id in own.rows if id in turns}
    around = signals.with_neighbours(counts.counted, own.rows, beside)
    matches = dict(zip(own.rows, _matches(text, counts, own, around).tolist(), strict=True))
    parts = signals.with_conversations(matches, {id: turns[id].session for id in beside})
    by_match, conversations = signals.by_best_match(*parts)
    return {KEYWORD: by_match, SESSION: conversations}


def _matches(text: str, counts: WordCounts, own: Counted, around: Counted) -> Numbers:
    """How well each matches by its words; of a question in another language, a memory can hold little but names."""
    scores = signals.word_scores(counts.frequencies, counts.memories, around)
    if is_foreign(text):
        return scores
    by_itself, with_others = (signals.coverage(counts.frequencies, counts.memories, each) for each in (own, around))
    return signals.word_matches(scores, (by_itself + with_others) / 2)


def _meaning(read: Evidence) -> dict[int, float]:
    """How near each is in meaning; a short turn is read with the short one before it."""
    before = {id: other for id, (other, _) in read.previous.items()}
    likeness = {id: near for id, (_, near) in read.previous.items()}
    joined = signals.with_previous_turn(read.cosines, before, likeness)
    own = {id: joined.get(id, read.cosines[id]) for id in read.ids if id in read.cosines}
    return signals.vector_scores(own, read.fields)


def _distances(read: Evidence, scores: Scores, model: str) -> dict[int, float]:
    assert read.background is not None
    return signals.distances(scores, read.background, model)
