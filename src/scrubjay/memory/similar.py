"""What a new memory has to do with the known ones: near duplicates, updates, conflicts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from scrubjay.stores import Store
from scrubjay.text.words import STOP_WORDS, WORD
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Filter, Hit, Memory, trust

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["contradicted", "retired_by", "similar", "twin"]

OVERLAP = 0.6  # of the smaller set of words
CLOSE = 0.85
LOOKED_AT = 6
PROVENANCE = {"turns", "extractor"}  # where a memory was drawn from says nothing of what it is about
TWIN_WORDS, TWIN_COSINE = 0.9, 0.95


def similar(store: Store, memory: Memory, vector: Matrix | None, now: datetime) -> tuple[Hit, ...]:
    """Current memories that nearly say the same; stored all the same, since only the caller can tell."""
    if memory.kind in KINDS_CUT_FROM_A_SOURCE:
        return ()
    everything = Filter(spaces=(memory.space,), now=now)
    cosines = _near(store, memory, vector, everything)
    own = _telling(memory.text)
    hits = []
    for other in _others(store, memory, cosines, now):
        why = {"words": _overlap(own, _telling(other.text)), "vector": cosines[other.id]}
        if why["words"] >= OVERLAP or why["vector"] >= CLOSE:
            hits.append(Hit(other, min(max(why.values()), 1.0), why))
    return tuple(sorted(hits, key=lambda hit: -hit.score))


def twin(
    store: Store, memory: Memory, vector: Matrix | None, now: datetime, apart_from: Collection[int]
) -> Memory | None:
    """The current memory that says the same in nearly the same words, unless it is what this one corrects."""
    against = {other.id for other, _ in contradicted(store, memory, vector, now)}
    own = _telling(memory.text)
    for hit in similar(store, memory, vector, now):
        words = _telling(hit.memory.text)
        both = len(own & words) / max(len(own | words), 1)
        if hit.memory.id in against or hit.memory.id in apart_from:
            continue
        if both >= TWIN_WORDS or hit.why["vector"] >= TWIN_COSINE:
            return hit.memory
    return None


def contradicted(store: Store, memory: Memory, vector: Matrix | None, now: datetime) -> list[tuple[Memory, float]]:
    """Current memories about the same subject that look like this statement with another value, likeliest first."""
    if memory.subject is None or memory.kind in KINDS_CUT_FROM_A_SOURCE:
        return []
    from scrubjay.memory.contradictions import CONFLICT, same_statement  # which a search does without

    same_subject = Filter(spaces=(memory.space,), now=now, subject=memory.subject)
    cosines = _near(store, memory, vector, same_subject)
    scored = [
        (other, same_statement(other.text, memory.text, cosines[other.id]))
        for other in _others(store, memory, cosines, now)
        if _comparable(memory, other)
    ]
    return sorted(((other, score) for other, score in scored if score >= CONFLICT), key=lambda pair: -pair[1])


def retired_by(memory: Memory, against: list[tuple[Memory, float]]) -> Memory | None:
    """The one memory that a new one retires by itself: the likeliest, and never one of higher trust."""
    if not against:
        return None
    from scrubjay.memory.contradictions import RETIRE

    other, score = against[0]
    return other if score >= RETIRE and trust.may_retire(memory, other) else None


def _near(store: Store, memory: Memory, vector: Matrix | None, filter: Filter) -> Mapping[int, float]:
    if vector is not None:
        return store.search.by_meaning(vector, filter, LOOKED_AT).cosines
    return dict.fromkeys(store.search.by_word(memory.text, filter, LOOKED_AT, 0), 0.0)


def _others(store: Store, memory: Memory, ids: Mapping[int, float], now: datetime) -> list[Memory]:
    found = store.memories.get(list(ids), [memory.space], now).values()
    return [other for other in found if other.id != memory.id and other.kind not in KINDS_CUT_FROM_A_SOURCE]


def _comparable(memory: Memory, other: Memory) -> bool:
    """Not where both name the same thing and differ: ticket 7 does not correct ticket 8."""
    shared = (set(memory.metadata) & set(other.metadata)) - PROVENANCE
    return all(memory.metadata[key] == other.metadata[key] for key in shared)


def _telling(text: str) -> set[str]:
    return {word for word in WORD.findall(text.lower()) if word not in STOP_WORDS}


def _overlap(left: set[str], right: set[str]) -> float:
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller else 0.0
