"""How a new memory relates to the known ones: which it repeats, updates or contradicts, or has almost the kind of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.stores import Store
from scrubjay.text.fence import QuotingNote
from scrubjay.text.kinds import KNOWN
from scrubjay.text.nearest import nearest
from scrubjay.text.words import content_words
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Filter, Hit, Memory, Model, trust

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Near", "contradicted", "misspelt_kinds", "near", "retired_by", "similar", "twin"]

SIMILAR_WORDS = 0.6  # shared, of the smaller set of words
SIMILAR_COSINE = 0.85
COMPARED = 5  # how many of the nearest memories a new one is compared with
PROVENANCE = {"turns", "extractor"}  # keys of metadata that do not say what a memory is about
MISSPELT = "No other memory here has the kind {!r}; did you mean {!r}?"
TWIN_WORDS, TWIN_COSINE = 0.9, 0.95


class Near(NamedTuple):
    """A memory that is to be added, and those nearest to it, each with its cosine: of all, and of its subject."""

    memory: Memory
    of_all: Sequence[tuple[Memory, float]] = ()
    of_subject: Sequence[tuple[Memory, float]] = ()


def near(
    store: Store, memory: Memory, vector: Matrix | None, model: Model | None, without: Collection[int] = ()
) -> Near:
    """Ask the store once for the memories to compare with. Turns and passages are compared with nothing."""
    if memory.kind in KINDS_CUT_FROM_A_SOURCE:
        return Near(memory)
    everything = Filter(spaces=(memory.space,), now=memory.created_at)
    filters = [everything]
    if memory.subject is not None:
        filters.append(replace(everything, subject=memory.subject))
    found = store.search.near(memory.text, vector, model, filters, COMPARED, without)
    own = [[pair for pair in pairs if pair[0].kind not in KINDS_CUT_FROM_A_SOURCE] for pairs in found]
    return Near(memory, *own)


def similar(near: Near) -> tuple[Hit, ...]:
    """Current memories that say nearly the same. The new one is stored all the same: only the caller can judge."""
    own = content_words(near.memory.text)
    hits = []
    for other, cosine in near.of_all:
        why = {"words": _overlap(own, content_words(other.text)), "vector": cosine}
        if why["words"] >= SIMILAR_WORDS or why["vector"] >= SIMILAR_COSINE:
            hits.append(Hit(other, min(max(why.values()), 1.0), why))
    return tuple(sorted(hits, key=lambda hit: -hit.score))


def twin(near: Near, apart_from: Collection[int]) -> Memory | None:
    """The current memory that says the same in nearly the same words, unless the new one corrects it."""
    against = {other.id for other, _ in contradicted(near)}
    own = content_words(near.memory.text)
    for hit in similar(near):
        words = content_words(hit.memory.text)
        shared = len(own & words) / max(len(own | words), 1)
        if hit.memory.id in against or hit.memory.id in apart_from:
            continue
        if shared >= TWIN_WORDS or hit.why["vector"] >= TWIN_COSINE:
            return hit.memory
    return None


def contradicted(near: Near) -> list[tuple[Memory, float]]:
    """Current memories of the same subject that make this statement with another value, the likeliest first."""
    if not near.of_subject:
        return []
    from scrubjay.memory.contradictions import CONFLICT, same_statement  # a search does not need them

    scored = [
        (other, same_statement(other.text, near.memory.text, cosine))
        for other, cosine in near.of_subject
        if cosine >= CONFLICT and _comparable(near.memory, other)  # the score is never above the cosine
    ]
    return sorted(((other, score) for other, score in scored if score >= CONFLICT), key=lambda pair: -pair[1])


def retired_by(memory: Memory, against: list[tuple[Memory, float]]) -> Memory | None:
    """The one memory that a new one retires automatically: the likeliest, and never one of higher trust."""
    if not against:
        return None
    from scrubjay.memory.contradictions import RETIRE

    other, score = against[0]
    return other if score >= RETIRE and trust.may_replace(memory, other) else None


def _comparable(memory: Memory, other: Memory) -> bool:
    """Whether no key of their metadata differs: what is said of ticket 7 does not correct ticket 8."""
    shared = (set(memory.metadata) & set(other.metadata)) - PROVENANCE
    return all(memory.metadata[key] == other.metadata[key] for key in shared)


def _overlap(left: set[str], right: set[str]) -> float:
    smaller = min(len(left), len(right))
    return len(left & right) / smaller if smaller else 0.0


def misspelt_kinds(store: Store, new: Sequence[Memory], filter: Filter) -> dict[int, str]:
    """By id, a question for the first of these new memories whose kind is spelt almost like a known one.

    A kind that other memories have is meant as it is written.
    """
    firsts = {memory.kind: memory.id for memory in reversed(new) if memory.kind not in KNOWN}
    meant = {kind: known for kind in firsts if (known := nearest(kind, KNOWN))}
    if not meant:
        return {}
    there, own = store.memories.counts("kind", filter), Counter(memory.kind for memory in new)
    return {
        firsts[kind]: QuotingNote(MISSPELT.format(kind, known))
        for kind, known in meant.items()
        if there.get(kind, 0) <= own[kind]
    }
