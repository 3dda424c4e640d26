"""Adding memories: look whether the text is known, embed it, store it, and say how it relates to the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.errors import EmbedderMismatch, EmbedderUnavailable, Invalid, NotFound
from scrubjay.memory import daily_log, withheld
from scrubjay.memory.arguments import split_text
from scrubjay.memory.fields import TurnFields, given_names
from scrubjay.memory.similar import contradicted, retired_by, similar, twin
from scrubjay.memory.trash import Trash
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress, embed_memories
from scrubjay.models.selection import EmbedderSelection
from scrubjay.stores import Store, merging
from scrubjay.text.fence import Quoting
from scrubjay.text.secret_scan.private_tags import without_private
from scrubjay.types import Added, Hit, Memory, Step
from scrubjay.types.limits import EMBEDDED_CHARACTERS

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["add", "add_extracted", "add_many", "add_new", "add_turns", "add_without_private"]

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
    view: View,
    text: str,
    fields: Mapping[str, Any],
    *,
    replaces: Sequence[Step] = (),
    auto_supersede: bool = False,
    not_compared_with: int | None = None,
    given: Collection[str] | None = None,
    redact: bool = False,
    allow_secret: bool = False,
) -> Added:
    """Store one text, and say how it relates to the known memories, apart from one that the caller replaces with it.

    `given` names the fields that the caller gave, if some of `fields` come from elsewhere.
    """
    memory = view.new_memory(text, fields, redact=redact, allow_secret=allow_secret)
    names = given_names(fields) if given is None else given
    added = _add_one(view, memory, replaces, auto_supersede, not_compared_with, names)
    if allow_secret and memory.text != without_private(text):
        return withheld.keep_secret(view, added, text)
    return _finished(view, [added])[0]


def add_many(
    view: View, items: Sequence[Mapping[str, Any]], *, redact: bool = False, progress: Progress | None = None
) -> list[Added]:
    """Store many texts: one embedding pass, one transaction, all or nothing."""
    pairs = [split_text(item) for item in items]
    memories = [view.new_memory(text, fields, redact=redact) for text, fields in pairs]
    return add_new(view, memories, progress, [given_names(fields) for _, fields in pairs])


def add_turns(
    view: View, session: str, turns: Sequence[TurnFields], progress: Progress | None = None
) -> list[Added]:  # fmt: skip
    """Store what was said in a session, in order, after the turns that it has already."""
    name = view.session_name(session)
    shared = {"source": f"session:{name}", "session": name}
    public = withheld.PublicTurns(view, [(text, {**shared, **own}) for text, own in map(split_text, turns)])
    memories = [view.new_memory(text, fields, turn=True) for text, fields in public.kept]
    return add_without_private(view, public, memories, progress, [given_names(fields) for _, fields in public.kept])


def add_without_private(
    view: View,
    public: withheld.PublicTurns,
    memories: Sequence[Memory],
    progress: Progress | None = None,
    given: Sequence[Collection[str]] = (),
) -> list[Added]:
    """Store turns that were made of the public parts of a conversation."""
    public.note_opened()
    added = add_new(view, memories, progress, given)
    public.note_closed()
    return added


def add_new(
    view: View, memories: Sequence[Memory], progress: Progress | None = None, given: Sequence[Collection[str]] = ()
) -> list[Added]:
    """Store memories in one transaction, embedding only those that are new; `given` names the fields of each."""
    selection = view.selection.follow_store()
    known = view.store.memories.known(memories)
    vectors = _vectors(view.store, selection, _unembedded(memories, known), progress)
    stored = _stored(view.store, selection, memories, vectors, known, given=given)
    return _finished(view, [added for added, _ in stored])


def add_extracted(view: View, memories: Sequence[Memory]) -> list[Added]:
    """Store what was extracted from one conversation, one after the other.

    What is known already is not stored again. An older memory with another value is replaced, but never one of these.
    """
    store, selection = view.store, view.selection.follow_store()
    vectors = _vectors(store, selection, _unembedded(memories, store.memories.known(memories)), None)
    done: list[Added] = []
    for memory in memories:
        of_this_conversation = [added.memory.id for added in done if added.created]
        own = vectors.of(memory)
        known = twin(store, memory, None if own is None else own[0], memory.created_at, of_this_conversation)
        if known is not None:
            done.append(Added(known, created=False))
            continue
        ((added, stored),) = _stored(store, selection, [memory], vectors, [None])
        done.append(_related(store, added, stored, True, of_this_conversation) if added.created else added)
    return _finished(view, done)


def _add_one(
    view: View,
    memory: Memory,
    replaces: Sequence[Step],
    auto_supersede: bool,
    not_compared_with: int | None,
    given: Collection[str],
) -> Added:
    store, selection = view.store, view.selection.follow_store()
    known = store.memories.known([memory])
    vectors = _vectors(store, selection, _unembedded([memory], known), None)
    ((added, own),) = _stored(store, selection, [memory], vectors, known, replaces, [given])
    apart = () if not_compared_with is None else (not_compared_with,)
    return _related(store, added, own, auto_supersede, apart) if added.created else added


def _finished(view: View, added: list[Added]) -> list[Added]:
    """Write the daily log, and erase what has been in the trash for too long: every way to add ends here."""
    folder = view.setting("log.folder")
    if folder:
        daily_log.append(Path(folder), (one.memory for one in added if one.created))
    Trash(view).erase_due_unasked()
    return added


def _related(
    store: Store, added: Added, vectors: Matrix | None, auto_supersede: bool, apart_from: Collection[int]
) -> Added:
    """What a new memory replaces, contradicts or resembles."""
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
    """Memories that are new, or known but given another title: the title is embedded, too."""
    pairs = zip(memories, known, strict=True)
    return [
        memory for memory, before in pairs
        if before is None or (memory.given_title is not None and memory.given_title != before.given_title)
    ]  # fmt: skip


def _retired(store: Store, old: Memory, new: Memory) -> bool:
    """Replace the old memory by the new one, unless another process has just replaced or deleted one of them."""
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
    named = {other.id for other in contradicting}
    notes += [SIMILAR.format(hit.memory.id, hit.memory.title) for hit in near[:1] if hit.memory.id not in named]
    return list(map(Quoting, notes))


def _stored(
    store: Store,
    selection: EmbedderSelection,
    memories: Sequence[Memory],
    vectors: Vectors,
    known: Sequence[Memory | None],
    replaces: Sequence[Step] = (),
    given: Sequence[Collection[str]] = (),
) -> list[tuple[Added, Matrix | None]]:
    """Each memory with the notes for its caller, and its vectors."""
    own = [vectors.of(memory) for memory in memories]
    try:
        stored = store.memories.put(memories, own, selection.model, replaces, given)
    except EmbedderMismatch as moved:  # another process has just moved the file: store without vectors
        vectors, own = Vectors({}, {}, str(moved)), [None] * len(memories)
        stored = store.memories.put(memories, own, None, replaces, given)
    _quarantine(store, vectors, stored)
    names = given or repeat((), len(memories))
    notes = [
        vectors.notes(memory) if created else merging.notes(before, memory, again, named)
        for (memory, created), before, again, named in zip(stored, known, memories, names, strict=True)
    ]
    return [(Added(*one, notes=said), rows) for one, said, rows in zip(stored, notes, own, strict=True)]


def _quarantine(store: Store, vectors: Vectors, stored: Sequence[tuple[Memory, bool]]) -> None:
    """Note which new memories the embedder refuses, so that a backfill does not ask it again."""
    new = {memory.id: memory for memory, created in stored if created}
    refused = {id: vectors.refused[memory.digest] for id, memory in new.items() if memory.digest in vectors.refused}
    if refused:
        store.ledger.quarantine("current", refused, next(iter(new.values())).created_at)


class Vectors(NamedTuple):
    """Vectors by the digest of what was embedded, why some texts have none, and a note for all."""

    by_digest: Mapping[bytes, Matrix]
    refused: Mapping[bytes, str]
    problem: str | None = None  # why the embedder is not available
    note: str | None = None

    def of(self, memory: Memory) -> Matrix | None:
        return self.by_digest.get(memory.digest)

    def notes(self, memory: Memory) -> tuple[str, ...]:
        notes = [self.note] if self.note else []
        if len(memory.said) > EMBEDDED_CHARACTERS and memory.digest in self.by_digest:
            notes.append(LONG)
        if memory.digest in self.refused:
            notes.append(REFUSED.format(self.refused[memory.digest]))
        elif memory.digest not in self.by_digest and self.problem:
            notes.append(UNEMBEDDED.format(self.problem))
        return tuple(notes)


def _vectors(
    store: Store, selection: EmbedderSelection, memories: Sequence[Memory], progress: Progress | None
) -> Vectors:
    """Embed each text once, and none that was embedded before."""
    if selection.embedder is None or not memories:
        return Vectors({}, {}, selection.why_none if selection.is_wanted else None)
    known = store.vectors.embedded("current", {memory.digest for memory in memories}) if selection.model else {}
    fresh = {memory.digest: memory for memory in memories if memory.digest not in known}
    try:
        embedder = selection.ensure_model().embedder
    except EmbedderUnavailable as problem:
        return Vectors({}, {}, str(problem))
    if embedder is None or not fresh:
        return Vectors(known, {}, note=selection.take_note())
    made = embed_memories(embedder, list(fresh.values()), progress)
    vectors = {digest: own for digest, own in zip(fresh, made.vectors, strict=True) if own is not None}
    refused = {digest: made.refused[index] for index, digest in enumerate(fresh) if index in made.refused}
    why = str(made.unavailable) if made.unavailable else None
    return Vectors({**known, **vectors}, refused, why, selection.take_note())
