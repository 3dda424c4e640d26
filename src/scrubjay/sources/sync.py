"""Sync: read what has changed in the sources, cut it into memories, store them, and embed what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

from scrubjay.errors import EmbedderError, ScrubjayError
from scrubjay.files import private_files
from scrubjay.memory.view import View
from scrubjay.models.embedding import Progress, embed_memories
from scrubjay.sources import Cutting, Listed, Listing, Reader, Reading, open_reader
from scrubjay.sources.registry import Sources
from scrubjay.stores import Revision, Store
from scrubjay.text.fence import Quoting
from scrubjay.text.secret_scan import find_secrets, redact
from scrubjay.types import Memory
from scrubjay.types.documents import Changed, Document, Level, Skipped, Source, Status, Synced
from scrubjay.upkeep.backfill import LARGEST_BATCH, backfill
from scrubjay.upkeep.check import exposed_files
from scrubjay.upkeep.cleanup import prune_cached_vectors

__all__ = ["status", "sync"]

MEMORIES_AT_ONCE = 500
IN_MEMORY = ":memory:"
ELSEWHERE = "Another process is embedding; the vectors follow."
HIDDEN = "{} left out, e.g. {}; to read one as well, name it: --include '*.md' --include '{}'."
SECRET_NAME = "Its name holds what looks like a secret; rename it."
UNEMBEDDED = "Found by words only until `scrubjay backfill`: {}"


def sync(
    view: View, names: Sequence[str] = (), *, force: bool = False, reading: Progress | None = None,
    embedding: Progress | None = None,
) -> Synced:  # fmt: skip
    """Read what has changed in these sources, or in all, so that words find it; then embed it, the newest first."""
    registry = Sources(view)
    sources = [registry.named(name) for name in names] or registry.list()
    view.selection.follow_store()
    with _lock(view.store, "sync"):
        looks = _looks(view.store, sources, replace(_cutting(view), again=force), force)
        run = SyncRun(view, sum(len(look.changed) for look in looks), reading)
        for look in looks:
            run.update(look)
    done = Synced(
        read=run.read,
        bytes=run.bytes,
        unchanged=sum(look.unchanged for look in looks),
        changed=run.changed,
        embedded=run.embedded,
        skipped=(*(skipped for look in looks for skipped in look.skipped), *run.skipped),
        hidden=sum(len(look.hidden) for look in looks),
        unread=tuple((look.source.name, look.problem) for look in looks if look.problem),
        notes=_about_hidden([name for look in looks for name in look.hidden]),
    )
    done = _with_vectors(view, done, embedding)
    if done.changed.removed:
        prune_cached_vectors(view)
    return done


def status(view: View) -> Status:
    """How much has changed in each source since it was read; no document is read for that."""
    store, space = view.store, view.space
    counts = store.documents.count_memories(space)
    levels = [_level(look, counts) for look in _looks(store, store.documents.sources(space), _cutting(view))]
    waiting = store.vectors.count_pending("current", refused=True, space=space)
    quarantined = tuple(store.ledger.quarantined(space))
    return Status(tuple(levels), waiting, _is_busy(store), quarantined, exposed_files(view))


def _cutting(view: View) -> Cutting:
    names = ("chunking.tokens", "chunking.overlap", "sync.max_file_bytes", "guard.secrets")
    return Cutting(*map(view.setting, names))


@dataclass(frozen=True, slots=True)
class Look:
    """A source as it is now, compared with what is known of it."""

    source: Source
    reader: Reader
    known: Mapping[str, Document]
    changed: Sequence[tuple[Listed, Document | None]]
    gone: Sequence[Document]
    skipped: Sequence[Skipped]
    hidden: Sequence[str] = ()
    problem: str = ""  # why it could not be reached at all

    @property
    def unchanged(self) -> int:
        return len(self.known) - len(self.gone) - sum(before is not None for _, before in self.changed)


def _looks(store: Store, sources: Sequence[Source], cutting: Cutting, force: bool = False) -> list[Look]:
    """Look at sources of one space; a file that lies in several of them belongs to the first."""
    owners = store.documents.owners(sources[0].space) if sources else {}
    return [look_at(store, source, cutting, owners, force) for source in sources]


def look_at(store: Store, source: Source, cutting: Cutting, owners: dict[str, int], force: bool) -> Look:
    """Compare times and sizes. If a source cannot be reached, the look says why, and nothing of it counts as gone."""
    reader = open_reader(source, cutting)
    known = {document.name: document for document in store.documents.of(source)}
    try:
        listing = reader.list()
    except (ScrubjayError, OSError) as problem:
        return Look(source, reader, known, (), (), (Skipped(source.root, str(problem)),), problem=str(problem))
    listing = _without_secret_names(listing, known)
    own = [listed for listed in listing.documents if owners.setdefault(listed.path, source.id) == source.id]
    pairs = [(listed, known.get(listed.name)) for listed in own]
    changed = [pair for pair in pairs if force or _differs(*pair, reader.chunking)]
    gone = [] if reader.keeps_the_gone else _gone(known, listing)
    hidden = listing.hidden if source.kind == "files" else ()
    return Look(source, reader, known, changed, gone, listing.skipped, hidden)


def _without_secret_names(listing: Listing, known: Mapping[str, Document]) -> Listing:
    """The listing without new documents whose names hold a secret, because names are stored."""
    plain, skipped = [], list(listing.skipped)
    for listed in listing.documents:
        if listed.name not in known and any(map(find_secrets, listed.name.split("/"))):
            skipped.append(Skipped(redact(listed.path), SECRET_NAME))
        else:
            plain.append(listed)
    return replace(listing, documents=plain, skipped=skipped)


def _differs(listed: Listed, before: Document | None, chunking: str) -> bool:
    if before is None:
        return True
    now = (listed.mtime, listed.size, listed.hash or before.hash, chunking)
    return now != (before.mtime, before.size, before.hash, before.chunking)


def _gone(known: Mapping[str, Document], listing: Listing) -> list[Document]:
    there = {listed.name for listed in listing.documents}
    return [known[name] for name in known if name not in there and not name.startswith(listing.unseen or "\0")]


class SyncRun:
    """One run of a sync: readings become revisions of documents, which are stored some at a time."""

    def __init__(self, view: View, total: int, progress: Progress | None) -> None:
        self.read = 0
        self.bytes = 0
        self.embedded = 0
        self.changed = Changed()
        self.skipped: list[Skipped] = []
        self._view = view
        self._store = view.store
        self._now = view.clock()
        self._total = total
        self._progress = progress
        self._waiting: list[Revision] = []

    def update(self, look: Look) -> None:
        """Store what has changed in one source."""
        moved = Moved(self._store, look.gone if any(before is None for _, before in look.changed) else ())
        for listed, before in look.changed:
            try:
                for reading in look.reader.read(listed, before):
                    self._take(reading, moved)
            except KeyboardInterrupt:
                self._store_waiting(embed_ahead=False)  # what was read is kept
                raise
            except Exception as problem:  # anybody may have written a document: none may stop the others
                self.skipped.append(Skipped(listed.path, str(problem) or type(problem).__name__))
            self.read += 1
            if self._progress:
                self._progress(self.read, self._total)
        self._store_waiting()
        gone = [document for document in look.gone if document.name not in moved.taken]
        if gone:
            self.changed += self._store.documents.drop(gone, self._now)
        self._store.documents.note_synced(look.source, self._now)

    def _take(self, reading: Reading, moved: Moved) -> None:
        self.bytes += reading.bytes
        self.skipped += reading.skipped
        memories = self._memories(reading)
        before = reading.before or moved.old_document(reading.document, memories)
        how = reading.appends, reading.goes_on, reading.dated
        self._waiting.append(Revision(reading.document, memories, before, *how))
        if sum(len(revision.memories) for revision in self._waiting) >= MEMORIES_AT_ONCE:
            self._store_waiting()

    def _memories(self, reading: Reading) -> list[Memory]:
        memories = []
        for number, part in enumerate(reading.parts):
            try:
                memory = self._view.new_source_memory(part.text, part.fields)
            except ScrubjayError as problem:
                self.skipped.append(Skipped(_place(reading.document, part.lines), str(problem)))
                continue
            position = None if reading.appends else number
            memories.append(replace(memory, document=reading.document.name, lines=part.lines, position=position))
        return memories

    def _store_waiting(self, embed_ahead: bool = True) -> None:
        if self._waiting:
            if embed_ahead:
                self._embed_ahead([revision for revision in self._waiting if revision.before and not revision.appends])
            self.changed += self._store.documents.revise(self._waiting, self._now)
            self._waiting = []

    def _embed_ahead(self, revisions: Sequence[Revision]) -> None:
        """Embed changed documents before they are stored, so that they are never without vectors."""
        selection = self._view.selection
        wanted = {memory.digest: memory for revision in revisions for memory in revision.memories}
        if not wanted or selection.embedder is None or selection.model is None:
            return
        for digest in self._store.vectors.embedded("current", wanted):
            del wanted[digest]
        # If this fails, words find it for now, and the embedding that follows reports the reason.
        made = embed_memories(selection.embedder, list(wanted.values()))
        vectors = {digest: own for digest, own in zip(wanted, made.vectors, strict=True) if own is not None}
        with suppress(EmbedderError):
            self._store.documents.keep_vectors(vectors, selection.model, self._now)
            self.embedded += len(vectors)


class Moved:
    """Documents that are gone: a new document may be one of them under another name."""

    def __init__(self, store: Store, gone: Sequence[Document]) -> None:
        self.taken: set[str] = set()
        self._gone = gone
        self._by_text: dict[str, list[Document]] = {}
        for document in gone:
            for memory in store.documents.memories(document):
                self._by_text.setdefault(memory.text, []).append(document)

    def old_document(self, document: Document, memories: Sequence[Memory]) -> Document | None:
        """The one with the same content, or else the one that shares the most text with these memories."""
        for one in self._gone:
            if one.hash == document.hash and one.name not in self.taken:
                self.taken.add(one.name)
                return one
        shared = Counter(
            document.name
            for memory in memories
            for document in self._by_text.get(memory.text, ())
            if document.name not in self.taken
        )
        if not shared:
            return None
        ((name, _),) = shared.most_common(1)
        self.taken.add(name)
        return next(one for one in self._gone if one.name == name)


def _with_vectors(view: View, done: Synced, progress: Progress | None) -> Synced:
    """Embed all that has no vector; if that is not possible now, a note says so."""
    store, selection = view.store, view.selection
    waiting = store.vectors.count_pending("current")
    if not waiting:
        return done
    if selection.embedder is None:
        notes = (UNEMBEDDED.format(selection.why_none),) if selection.is_wanted else ()
        return replace(done, remaining=waiting, notes=(*done.notes, *notes))
    try:
        with _lock(store, "embed", wait_seconds=1):  # `status` may hold it for a moment
            filled = backfill(view, LARGEST_BATCH, progress)
    except TimeoutError:
        return replace(done, remaining=waiting, notes=(*done.notes, ELSEWHERE))
    except EmbedderError as problem:
        why = UNEMBEDDED.format(problem)
        return replace(done, remaining=store.vectors.count_pending("current"), notes=(*done.notes, why))
    return replace(done, embedded=done.embedded + filled.texts, remaining=store.vectors.count_pending("current"))


def _level(look: Look, counts: Mapping[int, int]) -> Level:
    new = sum(before is None for _, before in look.changed)
    return Level(
        source=look.source,
        documents=len(look.known),
        memories=counts.get(look.source.id, 0),
        new=new,
        changed=len(look.changed) - new,
        gone=len(look.gone),
        skipped=tuple(look.skipped),
        hidden=len(look.hidden),
    )


def _about_hidden(names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    what = "1 hidden file or folder was" if len(names) == 1 else f"{len(names):,} hidden files and folders were"
    pattern = f"{names[0]}**/*.md" if names[0].endswith("/") else names[0]
    return (Quoting(HIDDEN.format(what, names[0], pattern)),)


def _place(document: Document, lines: tuple[int, int] | None) -> str:
    return f"{document.path}:{lines[0]}-{lines[1]}" if lines else document.path


def _lock(store: Store, what: str, wait_seconds: float = -1) -> AbstractContextManager[Any]:
    """Only one process at a time; the operating system frees the lock of a killed one. Raises TimeoutError."""
    if store.path == IN_MEMORY or store.read_only:
        return nullcontext()
    from filelock import FileLock

    return FileLock(f"{store.path}.{what}.lock", timeout=wait_seconds, mode=private_files.FILE_MODE)


def _is_busy(store: Store) -> bool:
    try:
        with _lock(store, "sync", wait_seconds=0), _lock(store, "embed", wait_seconds=0):
            return False
    except TimeoutError:
        return True
