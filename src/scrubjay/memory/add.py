"""Adding memories: look whether the text is known, embed it, store it, and say how it relates to the others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.errors import EmbedderMismatch, EmbedderUnavailable, ScrubjayError
from scrubjay.memory import daily_log, withheld
from scrubjay.memory.arguments import several, split_text, split_turn
from scrubjay.memory.fields import ChatTurn, TurnFields, given_names
from scrubjay.memory.similar import Near, contradicted, misspelt_kinds, near, retired_by, similar, twin
from scrubjay.memory.trash import Trash
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress, embed_memories
from scrubjay.models.selection import EmbedderSelection
from scrubjay.stores import NewMemory, NewVersion, Stored, merging
from scrubjay.text.fence import QuotingNote
from scrubjay.text.secret_scan.private_tags import without_private
from scrubjay.types import Added, Hit, Memory, trust
from scrubjay.types.limits import EMBEDDED_CHARACTERS

if TYPE_CHECKING:
    from scrubjay.types.history import Step
    from scrubjay.types.vectors import Matrix

__all__ = [
    "add",
    "add_each",
    "add_extracted",
    "add_many",
    "add_new",
    "add_turns",
    "add_version",
    "add_without_private",
    "with_trust_warning",
]

Then = Callable[[Sequence[Stored]], object]  # what else to write for what was stored, in the same transaction

AUTOMATIC = "automatic: the same statement with another value"
UNEMBEDDED = "Stored without a vector, so found by words only until `scrubjay backfill`: {}"
REFUSED = "Stored without a vector, so found by words only; `scrubjay backfill --retry` tries again: {}"
LONG = (
    f"Long: its first {EMBEDDED_CHARACTERS:,} characters are found by meaning, the rest by its words only."
    " Put it into a file and sync that: then all of it is found by meaning."
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
    supersedes: int | None = None,
    auto_supersede: bool = False,
    given: Collection[str] | None = None,
    redact: bool = False,
    allow_secret: bool = False,
    then: Then | None = None,
) -> Added:
    """Store one text, and say how it relates to the known memories.

    It takes the place of those that it `replaces`, or nothing is stored. If it cannot take the place of the one that
    it `supersedes`, it is stored all the same, and a note says why. `given` names the fields that the caller gave, if
    some of `fields` come from elsewhere. What `then` writes is stored with the memory, or neither is.
    """
    memory = view.new_memory(text, fields, redact=redact, allow_secret=allow_secret)
    names = given_names(fields) if given is None else given
    secret = withheld.Secret(view, text) if allow_secret and memory.text != without_private(text) else None
    then = secret.keep if secret is not None else then  # neither a task nor a summary is kept with its secret
    added = _add_one(view, memory, names, replaces, supersedes, auto_supersede and supersedes is None, then)
    return _finished(view, [added])[0] if secret is None else secret.noted(added)


def add_many(
    view: View, items: Sequence[Mapping[str, Any]], *, redact: bool = False, progress: Progress | None = None
) -> list[Added]:
    """Store many texts: one embedding pass, one transaction, all or nothing."""
    pairs = [split_text(item) for item in several("items", items)]
    memories = [view.new_memory(text, fields, redact=redact) for text, fields in pairs]
    return add_new(view, memories, progress, [given_names(fields) for _, fields in pairs])


def add_each(
    view: View, items: Sequence[Any], *, redact: bool = False, progress: Progress | None = None
) -> list[Added | ScrubjayError]:
    """Store many texts, each by itself: in the place of one that is refused, the error that says why."""
    made = [_made(view, item, redact) for item in several("items", items)]
    new = [one for one in made if not isinstance(one, ScrubjayError)]
    stored = iter(_each_stored(view, [memory for memory, _ in new], [names for _, names in new], progress))
    return [one if isinstance(one, ScrubjayError) else next(stored) for one in made]


def _made(view: View, item: Any, redact: bool) -> tuple[Memory, frozenset[str]] | ScrubjayError:
    try:
        text, fields = split_text(item)
        return view.new_memory(text, fields, redact=redact), given_names(fields)
    except ScrubjayError as refused:
        return refused


def _each_stored(
    view: View, memories: Sequence[Memory], given: Sequence[Collection[str]], progress: Progress | None
) -> Sequence[Added | ScrubjayError]:
    """In one transaction; if one of them is refused there, one after the other."""
    try:
        return add_new(view, memories, progress, given)
    except ScrubjayError as refused:
        if len(memories) == 1:
            return [refused]
    pairs = zip(memories, given, strict=True)
    return [outcome for memory, names in pairs for outcome in _each_stored(view, [memory], [names], None)]


def add_turns(
    view: View, session: str, turns: Sequence[TurnFields | ChatTurn], progress: Progress | None = None
) -> list[Added]:  # fmt: skip
    """Store what was said in a session, in order, after the turns that it has already."""
    name = view.session_name(session)
    shared = {"source": f"session:{name}", "session": name}
    split = map(split_turn, several("turns", turns))
    public = withheld.PublicTurns(view, [(text, {**shared, **own}) for text, own in split])
    memories = public.memories(lambda text, own, before: view.new_memory(text, own, turn=True, said_before=before))
    return add_without_private(view, public, memories, progress, [given_names(fields) for _, fields in public.kept])


def add_without_private(
    view: View,
    public: withheld.PublicTurns,
    memories: Sequence[Memory],
    progress: Progress | None = None,
    given: Sequence[Collection[str]] = (),
) -> list[Added]:
    """Store turns that were made of the public parts of a conversation, and which private parts are open then."""
    return add_new(view, memories, progress, given, public.note)


def add_new(
    view: View,
    memories: Sequence[Memory],
    progress: Progress | None = None,
    given: Sequence[Collection[str]] = (),
    then: Then | None = None,
) -> list[Added]:
    """Store memories in one transaction, embedding only those that are new; `given` names the fields of each.

    What `then` writes is stored with them, or nothing is.
    """
    names = given or [()] * len(memories)
    known, vectors = _embedded(view, memories, progress)
    new = [NewMemory(memory, given=named) for memory, named in zip(memories, names, strict=True)]
    stored, vectors = _stored(view, new, vectors, then)
    return _finished(view, [_added(*each, vectors) for each in zip(new, stored, known, strict=True)])


def add_version(view: View, memory: Memory, version: NewVersion, replaces: Sequence[Step]) -> Added:
    """Store a version of a record with the memory that tells it, which is compared with no other."""
    (known,), vectors = _embedded(view, [memory])
    new = NewMemory(memory, replaces=replaces, version=version)
    (stored,), vectors = _stored(view, [new], vectors, None)
    return _finished(view, [_added(new, stored, known, vectors)])[0]


def add_extracted(view: View, memories: Sequence[Memory], then: Callable[[], None]) -> list[Added]:
    """Store what was extracted from one conversation, in one transaction with what `then` writes.

    What is known already is not stored again. An older memory with another value is replaced, but never one of these.
    """
    _, vectors = _embedded(view, memories)
    done: list[Added] = []
    with view.store.transaction([view.space]):
        for memory in memories:
            added, vectors = _add_one_extracted(view, memory, vectors, done)
            done.append(added)
        then()
    return _finished(view, done)


def _add_one_extracted(
    view: View, memory: Memory, vectors: EmbeddedTexts, done: Sequence[Added]
) -> tuple[Added, EmbeddedTexts]:  # fmt: skip
    of_this_conversation = [added.memory.id for added in done if added.created]
    relations, vectors = _relations(view, memory, vectors)
    if (known := twin(relations, of_this_conversation)) is not None:
        return Added(known, created=False), vectors
    return _put_one(view, memory, vectors, relations, None, apart_from=of_this_conversation), vectors


def _add_one(
    view: View,
    memory: Memory,
    given: Collection[str],
    replaces: Sequence[Step],
    supersedes: int | None,
    auto_supersede: bool,
    then: Then | None,
) -> Added:
    (known,), vectors = _embedded(view, [memory])
    relations = Near(memory)
    if known is None:
        relations, vectors = _relations(view, memory, vectors, [step.old for step in replaces])
    return _put_one(
        view, memory, vectors, relations, known, given=given, replaces=replaces, supersedes=supersedes,
        auto_supersede=auto_supersede, apart_from=() if supersedes is None else (supersedes,), then=then,
    )  # fmt: skip


def _relations(
    view: View, memory: Memory, vectors: EmbeddedTexts, without: Collection[int] = ()
) -> tuple[Near, EmbeddedTexts]:  # fmt: skip
    """The memories nearest to a new one; and its vectors, unless another process has just moved the file."""
    own, model = vectors.of(memory), view.selection.model
    try:
        return near(view.store, memory, None if own is None else own[0], model, without), vectors
    except EmbedderMismatch as moved:
        return near(view.store, memory, None, None, without), EmbeddedTexts.none(moved)


def _put_one(
    view: View,
    memory: Memory,
    vectors: EmbeddedTexts,
    relations: Near,
    known: Memory | None,
    *,
    given: Collection[str] = (),
    replaces: Sequence[Step] = (),
    supersedes: int | None = None,
    auto_supersede: bool = True,
    apart_from: Collection[int] = (),
    then: Then | None = None,
) -> Added:
    """Store one memory with its relations to others, apart from some, in one transaction. All of it has one time, by
    which a revert knows what belongs together."""
    against = [(other, score) for other, score in contradicted(relations) if other.id not in apart_from]
    old = retired_by(memory, against) if auto_supersede else None
    new = NewMemory(
        memory,
        given=given,
        replaces=[replace(step, at=memory.created_at) for step in replaces],
        supersedes=None if supersedes is None else replace(view.step(supersedes), at=memory.created_at),
        retires=None if old is None else _automatic_step(old, memory),
        conflicts={other.id: score for other, score in against},
    )
    (stored,), vectors = _stored(view, [new], vectors, then)
    superseded = [stored.replaced.id] if stored.replaced else []
    retired = [old.id] if old and stored.retired else []
    replaced = (*(step.old for step in replaces), *retired, *superseded)
    added = replace(_added(new, stored, known, vectors), replaced=replaced)
    if stored.created:
        added = _with_relations(added, relations, against, old if stored.retired else None, apart_from)
    return added if supersedes is None else _with_superseded(view, added, stored)


def _stored(
    view: View, memories: Sequence[NewMemory], vectors: EmbeddedTexts, then: Then | None
) -> tuple[list[Stored], EmbeddedTexts]:
    """Store memories in one transaction; without vectors if another process has just changed the file's embedder."""
    try:
        embedded = [vectors.put_into(new) for new in memories]
        return view.store.memories.put(embedded, view.selection.model, then), vectors
    except EmbedderMismatch as changed:
        return view.store.memories.put(memories, None, then), EmbeddedTexts.none(changed)


def _added(new: NewMemory, stored: Stored, known: Memory | None, vectors: EmbeddedTexts) -> Added:
    """With what to say about the vectors of a new memory, or about what a known one has taken over."""
    memory, created = stored.memory, stored.created
    notes = vectors.notes(memory) if created else merging.notes(known, memory, new.memory, new.given)
    return Added(memory, created, notes=notes)


def _automatic_step(old: Memory, new: Memory) -> Step:
    from scrubjay.types.history import Step  # few processes need it

    return Step(
        old=old.id, new=None, at=new.created_at, effective_at=new.happened_at, actor=new.actor, reason=AUTOMATIC
    )


def _with_relations(
    added: Added,
    relations: Near,
    against: Sequence[tuple[Memory, float]],
    retired: Memory | None,
    apart_from: Collection[int],
) -> Added:
    """Say what a new memory has replaced, contradicts or resembles."""
    conflicting = [other for other, _ in against if other is not retired]
    alike = [hit for hit in similar(relations) if hit.memory.id not in apart_from]
    left = tuple(hit for hit in alike if retired is None or hit.memory.id != retired.id)
    return replace(added, similar=left, notes=(*added.notes, *_notes(retired, conflicting, left)))


def _with_superseded(view: View, added: Added, stored: Stored) -> Added:
    """Say why an old memory could not be superseded, or warn if it was trusted more."""
    if stored.replaced is None:
        return replace(added, notes=(*added.notes, f"Replaces nothing: {stored.problem}"))
    return with_trust_warning(view, added, stored.replaced)


def with_trust_warning(view: View, added: Added, old: Memory) -> Added:
    """Warn if something of more trust was replaced by something, or somebody, of less."""
    warning = trust.warning(added.memory, old, view.trust)
    return replace(added, notes=(*added.notes, warning)) if warning else added


def _finished(view: View, added: list[Added]) -> list[Added]:
    """Write the daily log, and erase what has been in the trash for too long; a kept secret is in no log."""
    folder = view.setting("log.folder")
    if folder:
        daily_log.append(Path(folder), (one.memory for one in added if one.created))
    Trash(view).erase_due_unasked()
    asked = misspelt_kinds(view.store, [one.memory for one in added if one.created], view.filter())
    return [replace(one, notes=(*one.notes, asked[one.memory.id])) if one.memory.id in asked else one for one in added]


def _notes(old: Memory | None, contradicting: Sequence[Memory], near: Sequence[Hit]) -> list[str]:
    notes = [REPLACED.format(old.id, old.title)] if old else []
    notes += [CONFLICTS.format(other.id, other.title) for other in contradicting]
    named = {other.id for other in contradicting}
    notes += [SIMILAR.format(hit.memory.id, hit.memory.title) for hit in near[:1] if hit.memory.id not in named]
    return list(map(QuotingNote, notes))


class EmbeddedTexts(NamedTuple):
    """EmbeddedTexts by the digest of what was embedded, why some texts have none, and a note for all."""

    by_digest: Mapping[bytes, Matrix]
    refused: Mapping[bytes, str]
    problem: str | None = None  # why the embedder is not available
    note: str | None = None

    @classmethod
    def none(cls, moved: EmbedderMismatch) -> EmbeddedTexts:
        """No vectors, because another process has just moved the file to another embedder."""
        return cls({}, {}, str(moved))

    def of(self, memory: Memory) -> Matrix | None:
        return self.by_digest.get(memory.digest)

    def put_into(self, new: NewMemory) -> NewMemory:
        """With its vectors, or with why the embedder made none of it."""
        return new._replace(vectors=self.of(new.memory), refused=self.refused.get(new.memory.digest))

    def notes(self, memory: Memory) -> tuple[str, ...]:
        notes = [self.note] if self.note else []
        if len(memory.said) > EMBEDDED_CHARACTERS and memory.digest in self.by_digest:
            notes.append(LONG)
        if memory.digest in self.refused:
            notes.append(QuotingNote(REFUSED.format(self.refused[memory.digest])))
        elif memory.digest not in self.by_digest and self.problem:
            notes.append(QuotingNote(UNEMBEDDED.format(self.problem)))
        return tuple(notes)


def _embedded(
    view: View, memories: Sequence[Memory], progress: Progress | None = None
) -> tuple[Sequence[Memory | None], EmbeddedTexts]:
    """For each memory, the one that says the same already; and vectors for those that need them."""
    selection = view.selection
    before = view.store.memories.before_add(memories, with_vectors=selection.model is not None)
    selection.follow(before.model)
    pairs = zip(memories, before.known, strict=True)
    wanted = [memory for memory, known in pairs if merging.needs_vectors(known, memory)]
    return before.known, _vectors(selection, wanted, before.vectors, progress)


def _vectors(
    selection: EmbedderSelection, memories: Sequence[Memory], known: Mapping[bytes, Matrix], progress: Progress | None
) -> EmbeddedTexts:
    """Embed each text once, and none whose vectors are known."""
    if selection.embedder is None or not memories:
        return EmbeddedTexts({}, {}, selection.why_none if selection.is_wanted else None)
    fresh = {memory.digest: memory for memory in memories if memory.digest not in known}
    try:
        embedder = selection.ensure_model().embedder
    except EmbedderUnavailable as problem:
        return EmbeddedTexts({}, {}, str(problem))
    if embedder is None or not fresh:
        return EmbeddedTexts(known, {}, note=selection.take_note())
    made = embed_memories(embedder, list(fresh.values()), progress)
    vectors = {digest: own for digest, own in zip(fresh, made.vectors, strict=True) if own is not None}
    refused = {digest: made.refused[index] for index, digest in enumerate(fresh) if index in made.refused}
    why = str(made.unavailable) if made.unavailable else None
    return EmbeddedTexts({**known, **vectors}, refused, why, selection.take_note())
