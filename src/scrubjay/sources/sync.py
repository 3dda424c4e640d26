"""Sync: read what has changed in the sources, divide it into memories, store them, and embed what is new."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from scrubjay.errors import EmbedderError, ScrubjayError
from scrubjay.memory.view import View
from scrubjay.memory.withheld import last_said
from scrubjay.models.embedding import Progress, embed_memories
from scrubjay.sources import Listed, Listing, Part, Reader, Reading, ReadOptions, TooManyFiles, open_reader
from scrubjay.sources.registry import Sources
from scrubjay.stores import Revision, Store
from scrubjay.text.fence import QuotingNote
from scrubjay.text.secret_scan import find_secrets, redact, without_private
from scrubjay.text.secret_scan.private_tags import has_tag
from scrubjay.types import Memory
from scrubjay.types.documents import Changed, Document, Level, SessionNotes, Skipped, Source, Status, Synced
from scrubjay.upkeep.backfill import LARGEST_BATCH, backfill
from scrubjay.upkeep.check import exposed_files
from scrubjay.upkeep.cleanup import prune_cached_vectors

__all__ = ["SourceDiff", "SyncRun", "locked", "read_options", "status", "status_of_small", "sync"]

MEMORIES_AT_ONCE = 500
TITLE_CHARACTERS = 200  # of a session
OTHER_PROCESS_EMBEDS = "Another process is making the vectors now."
HIDDEN = "{} skipped, e.g. {}; to read it too, name it: --include '*.md' --include {}."
SECRET_NAME = "Its name contains what is private or looks like a secret; rename it."
NO_FILE = (
    "{} has no file that matches {}; `scrubjay sync FOLDER --include PATTERN` reads others, and --client NAME the"
    " conversations of an agent."
)
NO_COMMIT = "{} has no commit yet."
UNEMBEDDED = "New memories are found by words only until `scrubjay backfill`: {}"


def sync(
    view: View, names: Sequence[str] = (), *, force: bool = False, reading: Progress | None = None,
    embedding: Progress | None = None,
) -> Synced:  # fmt: skip
    """Read what has changed in these sources, or in all, so that words find it; then embed it, the newest first."""
    registry = Sources(view)
    sources = [registry.named(name) for name in names] or registry.list()
    view.selection.follow_store()
    with locked(view.store, "sync"):
        diffs = _diffs(view.store, sources, read_options(view)._replace(from_start=force), force)
        run = SyncRun(view, sum(len(diff.changed) for diff in diffs), reading)
        for diff in diffs:
            run.update(diff)
    done = Synced(
        read=run.read,
        bytes=run.bytes,
        unchanged=sum(diff.unchanged for diff in diffs),
        changed=run.changed,
        embedded=run.embedded,
        skipped=(*(skipped for diff in diffs for skipped in diff.skipped), *run.skipped),
        hidden=sum(len(diff.hidden) for diff in diffs),
        unread=tuple((diff.source.name, diff.problem) for diff in diffs if diff.problem),
        notes=(*_hidden_notes([name for diff in diffs for name in diff.hidden]), *_empty_notes(diffs), *run.remarks),
    )
    done = _with_vectors(view, done, embedding)
    if done.changed.removed:
        prune_cached_vectors(view)
    return done


def _empty_notes(diffs: Sequence[SourceDiff]) -> list[str]:
    """A sentence for each source in which there is nothing to read."""
    empty = [diff.source for diff in diffs if not (diff.unchanged or diff.changed or diff.skipped or diff.problem)]
    return [
        QuotingNote(
            NO_COMMIT.format(source.name)
            if source.kind == "git"
            else NO_FILE.format(source.name, " ".join(source.include))
        )
        for source in empty
    ]


def status(view: View) -> Status:
    """How much has changed in each source since it was read; no document is read for that."""
    return _status(view, _diffs(view.store, view.store.documents.sources(view.space), read_options(view)))


def status_of_small(view: View, most_files: int) -> tuple[Status, list[str]]:
    """The same without the sources that have more files and folders than this, and the names of those."""
    documents, options = view.store.documents, read_options(view)._replace(most_files=most_files)
    diffs, larger = [], []
    owners = documents.owners(view.space)
    for source in documents.sources(view.space):
        try:
            diffs.append(_diff(view.store, source, options, owners, force=False))
        except TooManyFiles:
            larger.append(source.name)
    return _status(view, diffs), larger


def _status(view: View, diffs: Sequence[SourceDiff]) -> Status:
    store, space = view.store, view.space
    counts = store.documents.count_memories(space)
    sources = [_source_status(diff, counts) for diff in diffs]
    waiting = store.vectors.count_pending("current", refused=True, space=space)
    quarantined = tuple(store.ledger.quarantined(space))
    model = store.vectors.model()
    jobs = tuple(store.ledger.jobs(model.spec)) if model else ()
    return Status(tuple(sources), waiting, _is_busy(store), quarantined, exposed_files(view), jobs)


def read_options(view: View) -> ReadOptions:
    """How documents are read, by the settings of a space."""
    names = ("chunking.tokens", "chunking.overlap", "sync.max_file_bytes", "guard.secrets")
    return ReadOptions(*map(view.setting, names))._replace(hash_key=view.store.documents.hash_key())


@dataclass(frozen=True, slots=True)
class SourceDiff:
    """What has changed in a source since it was last read."""

    source: Source
    reader: Reader
    known: Mapping[str, Document]
    changed: Sequence[tuple[Listed, Document | None]]
    gone: Sequence[Document]
    skipped: Sequence[Skipped]
    hidden: Sequence[str] = ()
    problem: str = ""  # why it could not be read at all

    @property
    def unchanged(self) -> int:
        return len(self.known) - len(self.gone) - sum(before is not None for _, before in self.changed)


def _diffs(store: Store, sources: Sequence[Source], options: ReadOptions, force: bool = False) -> list[SourceDiff]:
    """SourceDiff at sources of one space; a file that lies in several of them belongs to the first."""
    owners = store.documents.owners(sources[0].space) if sources else {}
    return [_diff(store, source, options, owners, force) for source in sources]


def _diff(store: Store, source: Source, options: ReadOptions, owners: dict[str, int], force: bool) -> SourceDiff:
    """Compare times and sizes. If a source cannot be read, the diff says why, and no document counts as deleted."""
    reader = open_reader(source, options)
    try:
        listing, problem = reader.list(), ""
    except (ScrubjayError, OSError) as error:
        listing, problem = Listing([]), str(error) or type(error).__name__
    known = {document.name: document for document in store.documents.of(source)}
    if problem:
        return SourceDiff(source, reader, known, (), (), (Skipped(source.root, problem),), problem=problem)
    listing = _without_secret_names(listing, known)
    own = [listed for listed in listing.documents if owners.setdefault(listed.path, source.id) == source.id]
    pairs = [(listed, known.get(listed.name)) for listed in own]
    changed = [pair for pair in pairs if force or _differs(*pair, reader.chunking)]
    gone = [] if reader.keeps_deleted else _gone(known, listing)
    hidden = listing.hidden if source.kind == "files" else ()
    return SourceDiff(source, reader, known, changed, gone, listing.skipped, hidden)


def _without_secret_names(listing: Listing, known: Mapping[str, Document]) -> Listing:
    """The listing without new documents whose names contain a secret or a private part, because names are stored."""
    plain, skipped = [], list(listing.skipped)
    for listed in listing.documents:
        if listed.name not in known and (has_tag(listed.name) or any(map(find_secrets, listed.name.split("/")))):
            skipped.append(Skipped(redact(without_private(listed.path)), SECRET_NAME))
        else:
            plain.append(listed)
    return replace(listing, documents=plain, skipped=skipped)


def _differs(listed: Listed, before: Document | None, chunking: str) -> bool:
    if before is None:
        return True
    now = (listed.mtime, listed.size, listed.hash or before.hash, chunking)
    return now != (before.mtime, before.size, before.hash, before.chunking)


def _gone(known: Mapping[str, Document], listing: Listing) -> list[Document]:
    present = {listed.name for listed in listing.documents}
    return [known[name] for name in known if name not in present and not name.startswith(listing.unreadable or "\0")]


class SyncRun:
    """One run of a sync: readings become revisions of documents, which are stored some at a time."""

    def __init__(self, view: View, total: int, progress: Progress | None) -> None:
        self.read = 0
        self.bytes = 0
        self.embedded = 0
        self.changed = Changed()
        self.skipped: list[Skipped] = []
        self.remarks: dict[str, None] = {}  # each once, in their order
        self._view = view
        self._store = view.store
        self._now = view.clock()
        self._total = total
        self._progress = progress
        self._waiting: list[Revision] = []

    def update(self, diff: SourceDiff) -> None:
        """Store what has changed in one source."""
        moved = MovedDocuments(self._store, diff.gone if any(before is None for _, before in diff.changed) else ())
        for listed, before in diff.changed:
            try:
                for reading in diff.reader.read(listed, before):
                    self._add(reading, moved)
            except KeyboardInterrupt:
                self._store_waiting(embed_ahead=False)  # what was read is kept
                raise
            except Exception as problem:  # documents come from anywhere: a bad one must not stop the others
                self.skipped.append(Skipped(listed.path, str(problem) or type(problem).__name__))
            self.read += 1
            if self._progress:
                self._progress(self.read, self._total)
        gone = [document for document in diff.gone if document.name not in moved.taken]
        if gone:  # before the new ones are stored: what was deleted of it must not come back by another name
            self.changed += self._store.documents.drop(gone, self._now)
        self._store_waiting()
        self._store.documents.note_synced(diff.source, self._now)

    def _add(self, reading: Reading, moved: MovedDocuments) -> None:
        self.bytes += reading.bytes
        self.skipped += reading.skipped
        self.remarks |= dict.fromkeys(filter(None, [reading.remark]))
        memories = self._memories(reading)
        before = reading.before or moved.old_document(reading.document, memories)
        notes = [self._allowed(notes) for notes in reading.notes]
        self._waiting.append(
            Revision(reading.document, memories, before, reading.appends, reading.goes_on, reading.dated, notes)
        )
        if sum(len(revision.memories) for revision in self._waiting) >= MEMORIES_AT_ONCE:
            self._store_waiting()

    def _allowed(self, notes: SessionNotes) -> SessionNotes:
        """Notes about a session, without secrets; cut after that, so that no part of one is left."""
        public = SessionNotes(**self._view.allowed(asdict(notes), redact=True))
        return replace(public, title=public.title and public.title[:TITLE_CHARACTERS])

    def _memories(self, reading: Reading) -> list[Memory]:
        memories = []
        for number, part in enumerate(reading.parts):
            try:
                before = _said_before(self._view, reading.parts, number)
                memory = self._view.new_source_memory(part.text, part.fields, before)
            except ScrubjayError as problem:
                self.skipped.append(Skipped(_place(reading.document, part.lines), str(problem)))
                continue
            position = None if reading.appends else number
            memories.append(replace(memory, document=reading.document.name, lines=part.lines, position=position))
        return memories

    def _store_waiting(self, embed_ahead: bool = True) -> None:
        if self._waiting:
            if embed_ahead:
                self._embed_ahead()
            self.changed += self._store.documents.revise(self._waiting, self._now)
            self._waiting = []

    def _embed_ahead(self) -> None:
        """Embed changed documents before they are stored, so that they are never without vectors."""
        selection, documents = self._view.selection, self._store.documents
        if selection.embedder is None or selection.model is None:
            return
        wanted = {memory.digest: memory for memory in documents.changed_passages(self._waiting)}
        if not wanted:
            return
        for digest in self._store.vectors.embedded("current", wanted):
            del wanted[digest]
        # If this fails, they are found by words for now; the embedding after the sync reports the reason.
        made = embed_memories(selection.embedder, list(wanted.values()))
        vectors = {digest: own for digest, own in zip(wanted, made.vectors, strict=True) if own is not None}
        with suppress(EmbedderError):
            documents.keep_vectors(self._waiting, vectors, selection.model, self._now)
            self.embedded += len(vectors)


class MovedDocuments:
    """Documents that were deleted: a new document may be one of them under another name."""

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
            if one.hash and one.hash == document.hash and one.name not in self.taken:
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
        notes = (QuotingNote(UNEMBEDDED.format(selection.why_none)),) if selection.is_wanted else ()
        return replace(done, remaining=waiting, notes=(*done.notes, *notes))
    try:
        with locked(store, "embed", wait_seconds=1):  # `status` may hold it for a moment
            filled = backfill(view, LARGEST_BATCH, progress)
    except TimeoutError:
        return replace(done, remaining=waiting, notes=(*done.notes, OTHER_PROCESS_EMBEDS))
    except EmbedderError as problem:
        why = UNEMBEDDED.format(problem)
        return replace(done, remaining=store.vectors.count_pending("current"), notes=(*done.notes, why))
    return replace(done, embedded=done.embedded + filled.texts, remaining=store.vectors.count_pending("current"))


def _source_status(diff: SourceDiff, counts: Mapping[int, int]) -> Level:
    new = sum(before is None for _, before in diff.changed)
    return Level(
        source=diff.source,
        documents=len(diff.known),
        memories=counts.get(diff.source.id, 0),
        new=new,
        changed=len(diff.changed) - new,
        gone=len(diff.gone),
        skipped=tuple(diff.skipped),
        hidden=len(diff.hidden),
    )


def _hidden_notes(names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    what = "1 hidden file or folder was" if len(names) == 1 else f"{len(names):,} hidden files and folders were"
    pattern = f"{names[0]}**/*.md" if names[0].endswith("/") else names[0]
    return (QuotingNote(HIDDEN.format(what, names[0], shlex.quote(pattern))),)  # people paste it into a shell


def _said_before(view: View, parts: Sequence[Part], number: int) -> Sequence[str]:
    """What was said right before a turn, in this reading or in an earlier one."""
    part, session = parts[number], parts[number].fields.get("session")
    if not session:
        return ()
    if number and parts[number - 1].fields.get("session") == session:
        return [parts[number - 1].text]
    return last_said(view, part.text, session)


def _place(document: Document, lines: tuple[int, int] | None) -> str:
    return f"{document.path}:{lines[0]}-{lines[1]}" if lines else document.path


def locked(store: Store, what: str, wait_seconds: float = -1) -> AbstractContextManager[Any]:
    """Only one process at a time; the lock of a killed one is let go. Raises TimeoutError."""
    return store.lock(what, wait_seconds)


def _is_busy(store: Store) -> bool:
    try:
        with locked(store, "sync", wait_seconds=0), locked(store, "embed", wait_seconds=0):
            return False
    except TimeoutError:
        return True
