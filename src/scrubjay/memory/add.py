"""The write path: see whether it is known, embed it, store it, and say what it has to do with the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.errors import EmbedderMismatch, EmbedderUnavailable, Invalid, NotFound
from scrubjay.memory.similar import contradicted, retired_by, similar, twin
from scrubjay.models.embedding import Choice, Progress, embed_memories
from scrubjay.stores import Store, merging
from scrubjay.text.fence import Quoting
from scrubjay.types import Added, Hit, Memory, Step
from scrubjay.types.limits import EMBEDDED_CHARACTERS

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["add", "add_drawn", "add_one"]

AUTOMATIC = "automatic: the same statement with another value"
UNEMBEDDED = "Stored without a vector, so found by words only until `scrubjay backfill`: {}"
REFUSED = "Stored without a vector, so found by words only; `scrubjay backfill --retry` tries again: {}"
LONG = (
    f"Long: its first {EMBEDDED_CHARACTERS:,} characters are found by meaning, the rest by its words only."
    " As a file that is synced, all of it would be."
)
REPLACED = "Replaces {}: {}"
CONFLICTS = "May contradict {}: {} (supersede it, or dismiss the conflict)"
SIMILAR = "Much like {}: {} (if it says the same, supersede that)"


def add(
    store: Store,
    choice: Choice,
    memories: Sequence[Memory],
    progress: Progress | None = None,
    given: Sequence[Collection[str]] = (),
) -> list[Added]:
    """Store memories in one transaction, embedding only those that are new; `given` names the fields of each."""
    known = store.memories.known(memories)
    vectors = _vectors(store, choice, _unembedded(memories, known), progress)
    return [added for added, _ in _stored(store, choice, memories, vectors, known, given=given)]


def add_one(
    store: Store,
    choice: Choice,
    memory: Memory,
    *,
    replaces: Sequence[Step] = (),
    auto_supersede: bool = False,
    apart_from: int | None = None,
    given: Collection[str] = (),
) -> Added:
    """Store one memory and say what it has to do with the known ones, apart from one that it is meant to replace."""
    known = store.memories.known([memory])
    vectors = _vectors(store, choice, _unembedded([memory], known), None)
    ((added, rows),) = _stored(store, choice, [memory], vectors, known, replaces, [given])
    apart = () if apart_from is None else (apart_from,)
    return _related(store, added, rows, auto_supersede, apart) if added.created else added


def add_drawn(store: Store, choice: Choice, memories: Sequence[Memory]) -> list[Added]:
    """Store what was drawn from one conversation, each after the other.

    What is known already is not stored again; an older memory with another value is replaced, but never one of these.
    """
    vectors = _vectors(store, choice, _unembedded(memories, store.memories.known(memories)), None)
    done: list[Added] = []
    for memory in memories:
        mates = [added.memory.id for added in done if added.created]
        rows = vectors.rows.get(memory.digest)
        known = twin(store, memory, None if rows is None else rows[0], memory.created_at, mates)
        if known is not None:
            done.append(Added(known, created=False))
            continue
        ((added, stored),) = _stored(store, choice, [memory], vectors, [None])
        done.append(_related(store, added, stored, True, mates) if added.created else added)
    return done


def _related(
    store: Store, added: Added, vectors: Matrix | None, auto_supersede: bool, apart_from: Collection[int]
) -> Added:
    """What a new memory has to do with the known ones: what it retires, contradicts or resembles."""
    memory, vector = added.memory, None if vectors is None else vectors[0]
    found = contradicted(store, memory, vector, memory.created_at)
    against = [(other, score) for other, score in found if other.id not in apart_from]
    old = retired_by(memory, against) if auto_supersede else None
    if old is not None and not _retired(store, old, memory):
        old = None
    pairs = [(other, score) for other, score in against if other is not old]
    store.conflicts.put([(other.id, memory.id, score) for other, score in pairs], memory.created_at)
    found_near = similar(store, memory, vector, memory.created_at)
    near = tuple(hit for hit in found_near if hit.memory.id not in apart_from)
    notes = (*added.notes, *_notes(old, [other for other, _ in pairs], near))
    return replace(added, similar=near, notes=notes)


def _unembedded(memories: Sequence[Memory], known: Sequence[Memory | None]) -> list[Memory]:
    """What is new, or known and given another title, which is searched by meaning, too."""
    pairs = zip(memories, known, strict=True)
    return [
        memory for memory, before in pairs
        if before is None or (memory.given_title is not None and memory.given_title != before.given_title)
    ]  # fmt: skip


def _retired(store: Store, old: Memory, new: Memory) -> bool:
    """Put the new one in the old one's place, unless another process has just replaced or deleted either."""
    step = Step(
        old=old.id, new=new.id, at=new.created_at, effective_at=new.happened_at, actor=new.actor, reason=AUTOMATIC
    )
    try:
        store.revisions.link(old.id, new.id, [new.space], step)
    except (Invalid, NotFound):
        return False
    return True


def _notes(old: Memory | None, contradicting: Sequence[Memory], near: Sequence[Hit]) -> list[str]:
    notes = [REPLACED.format(old.id, old.title)] if old else []
    notes += [CONFLICTS.format(other.id, other.title) for other in contradicting]
    told = {other.id for other in contradicting}
    notes += [SIMILAR.format(hit.memory.id, hit.memory.title) for hit in near[:1] if hit.memory.id not in told]
    return list(map(Quoting, notes))


def _stored(
    store: Store,
    choice: Choice,
    memories: Sequence[Memory],
    vectors: Vectors,
    known: Sequence[Memory | None],
    replaces: Sequence[Step] = (),
    given: Sequence[Collection[str]] = (),
) -> list[tuple[Added, Matrix | None]]:
    rows = [vectors.rows.get(memory.digest) for memory in memories]
    try:
        stored = store.memories.put(memories, rows, choice.model, replaces, given)
    except EmbedderMismatch as moved:  # by another process, just now: the memories are worth more than their vectors
        vectors, rows = Vectors({}, {}, str(moved)), [None] * len(memories)
        stored = store.memories.put(memories, rows, None, replaces, given)
    _set_aside(store, vectors, stored)
    named = given or repeat((), len(memories))
    notes = [
        vectors.notes(memory) if created else merging.notes(before, memory, again, names)
        for (memory, created), before, again, names in zip(stored, known, memories, named, strict=True)
    ]
    return [(Added(*one, notes=said), own) for one, said, own in zip(stored, notes, rows, strict=True)]


def _set_aside(store: Store, vectors: Vectors, stored: Sequence[tuple[Memory, bool]]) -> None:
    made = {memory.id: memory for memory, created in stored if created}
    refused = {id: vectors.refused[memory.digest] for id, memory in made.items() if memory.digest in vectors.refused}
    if refused:
        store.ledger.quarantine("current", refused, next(iter(made.values())).created_at)


class Vectors(NamedTuple):
    """Vectors by what was embedded, why some texts have none, and what there is to say to all."""

    rows: Mapping[bytes, Matrix]
    refused: Mapping[bytes, str]
    problem: str | None = None  # the embedder is away
    note: str | None = None

    def notes(self, memory: Memory) -> tuple[str, ...]:
        notes = [self.note] if self.note else []
        if len(memory.said) > EMBEDDED_CHARACTERS and memory.digest in self.rows:
            notes.append(LONG)
        if memory.digest in self.refused:
            notes.append(REFUSED.format(self.refused[memory.digest]))
        elif memory.digest not in self.rows and self.problem:
            notes.append(UNEMBEDDED.format(self.problem))
        return tuple(notes)


def _vectors(store: Store, choice: Choice, memories: Sequence[Memory], progress: Progress | None) -> Vectors:
    """Embed each text once, and none that was embedded before."""
    if choice.embedder is None or not memories:
        return Vectors({}, {}, choice.why_not if choice.wanted else None)
    known = store.vectors.embedded("current", {memory.digest for memory in memories}) if choice.model else {}
    fresh = {memory.digest: memory for memory in memories if memory.digest not in known}
    try:
        embedder = choice.settled().embedder
    except EmbedderUnavailable as problem:
        return Vectors({}, {}, str(problem))
    if embedder is None or not fresh:
        return Vectors(known, {}, note=choice.news())
    made = embed_memories(embedder, list(fresh.values()), progress)
    rows = {digest: rows for digest, rows in zip(fresh, made.rows, strict=True) if rows is not None}
    refused = {digest: made.refused[place] for place, digest in enumerate(fresh) if place in made.refused}
    return Vectors({**known, **rows}, refused, str(made.away) if made.away else None, choice.news())
