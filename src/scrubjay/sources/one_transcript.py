"""Read what is new in one transcript that a client has named, without looking at any other file.

It belongs to the source that the user has registered for it. Without one, a source is made that lists no files: the
user's other conversations are not read because a hook was installed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from scrubjay.errors import EmbedderError, ScrubjayError
from scrubjay.files import patterns
from scrubjay.memory.view import View
from scrubjay.sources import Listed, ReadOptions, open_reader, transcripts
from scrubjay.sources.sync import SourceDiff, SyncRun, locked, read_options
from scrubjay.sources.transcripts.reader import Conversations
from scrubjay.sources.walk import modified_at
from scrubjay.types.documents import Changed, Document, Source
from scrubjay.upkeep.backfill import backfill

__all__ = ["capture_file", "embed_captured", "open_private_parts"]

TRIES = 5
EMBED_BATCH = 32
UNREADABLE = "The transcript cannot be read ({})."


def capture_file(view: View, path: Path, client: str) -> Changed:
    """Store the turns that were added to a transcript since it was last read.

    Another process may do the same at this moment: the one that is late stores nothing, and looks again.
    """
    try:
        real = path.resolve(strict=True)
        status = os.stat(real)
    except (OSError, RuntimeError) as problem:
        raise ScrubjayError(UNREADABLE.format(getattr(problem, "strerror", None) or problem)) from None
    source = _source(view, real, client)
    done = Changed()
    for _ in range(TRIES):
        before = view.store.documents.named(view.space, _name(source, real))
        if before and (before.size, before.mtime) == (status.st_size, modified_at(status)):
            break
        listed = Listed(_name(source, real), str(real), modified_at(status), status.st_size)
        try:
            done += _read(view, replace(source, root=str(real.parent)), listed, before)
        except ScrubjayError:
            _drop_if_unused(view, source)
            raise
    return done


def open_private_parts(view: View | None, path: Path, client: str) -> int:
    """How many <private> tags are open at the end of a transcript, which need not be there yet. Nothing is stored.

    With a view, what it has stored of the transcript is not read again.
    """
    if not path.exists():
        return 0
    real, status = path.resolve(), path.stat()
    source = view and _known_source(view, real, client)
    source = source or Source(space="", kind="transcripts", name=client, root=str(real.parent), client=client)
    before = view.store.documents.named(view.space, _name(source, real)) if view else None
    listed = Listed(_name(source, real), str(real), modified_at(status), status.st_size)
    depth = 0
    options = read_options(view) if view else ReadOptions()
    for reading in Conversations(replace(source, root=str(real.parent)), options).read(listed, before):
        depth = reading.document.state["talk"]["private"]
    return depth


def embed_captured(view: View) -> None:
    """Give vectors to what was captured, unless another process is at it or there is no model."""
    if view.selection.embedder is None:
        return
    with suppress(TimeoutError, EmbedderError), locked(view.store, "embed", wait_seconds=0):
        backfill(view, EMBED_BATCH)


def _read(view: View, source: Source, listed: Listed, before: Document | None) -> Changed:
    reader = open_reader(source, read_options(view))
    run = SyncRun(view, 1, None)
    run.update(SourceDiff(source, reader, {}, [(listed, before)], (), ()))
    if run.skipped and not run.changed.added:
        raise ScrubjayError(run.skipped[0].reason)
    return run.changed


def _source(view: View, path: Path, client: str) -> Source:
    """The source that the file belongs to, which is made if need be."""
    documents = view.store.documents
    if known := _known_source(view, path, client):
        return known
    taken = {source.name for source in documents.sources(view.space)}
    names = [client, *(f"{client}-{number}" for number in range(2, len(taken) + 3))]
    name = next(name for name in names if name not in taken)
    root = str(_root(view, path, client))
    return documents.put_source(
        Source(space=view.space, kind="transcripts", name=name, root=root, ignored=True, client=client)
    )


def _known_source(view: View, path: Path, client: str) -> Source | None:
    documents = view.store.documents
    known = [source for source in documents.sources(view.space) if source.kind == "transcripts"]
    owner = documents.owners(view.space).get(str(path))
    for source in known:
        if source.id == owner or _covers(source, path):
            return source
    root = str(_root(view, path, client))
    return next((source for source in known if source.root == root and source.client == client), None)


def _drop_if_unused(view: View, source: Source) -> None:
    """Remove a source that was made for a file which turned out not to be a transcript."""
    if not source.include and not view.store.documents.of(source):
        view.store.documents.drop_source(source, view.clock())


def _covers(source: Source, path: Path) -> bool:
    root = Path(source.root)
    if not source.include or not path.is_relative_to(root):
        return False
    return patterns.compiled(source.include).match_file(path.relative_to(root).as_posix())


def _root(view: View, path: Path, client: str) -> Path:
    """The project whose memory this is; else the folder of this client's transcripts, if it is a usual one."""
    if view.store.documents.within:
        return view.store.documents.within
    usual = [place.root for place in transcripts.locations(Path.home(), os.environ) if place.client == client]
    return next((root.resolve() for root in usual if path.is_relative_to(root.resolve())), path.parent)


def _name(source: Source, path: Path) -> str:
    root = Path(source.root)
    below = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return f"{source.name}/{below}"
