"""Sources and their documents: a document's memories change together, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from scrubjay.errors import Invalid
from scrubjay.files.git_folders import history_lies_in
from scrubjay.stores import embeddings, writing
from scrubjay.stores.columns import COLUMNS, from_row, instant, moment_or_none, object_from, path_from, strings_from
from scrubjay.stores.contract import Revision
from scrubjay.stores.deletions.tombstones import Marks, marks_in, unburied
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.types import Memory, Model
from scrubjay.types.documents import Changed, Document, Source, unsaid

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Documents"]

SOURCE = "id, space, kind, name, root, include, exclude, ignored, client, synced_at"
DOCUMENT = "id, source, space, name, path, hash, mtime, size, offset, chunking, state"
PUT_SOURCE = """
    insert into sources (space, kind, name, root, include, exclude, ignored, client)
    values (:space, :kind, :name, :root, :include, :exclude, :ignored, :client)
    on conflict (space, name) do update
    set root = :root, include = :include, exclude = :exclude, ignored = :ignored, client = :client
"""
INSERT = """
    insert into documents (source, space, name, path, hash, mtime, size, offset, chunking, state)
    values (:source, :space, :name, :path, :hash, :mtime, :size, :offset, :chunking, :state)
"""
UPDATE = """
    update documents set name = :name, path = :path, hash = :hash, mtime = :mtime, size = :size, offset = :offset,
        chunking = :chunking, state = :state
    where id = :id
"""
OF_DOCUMENT = f"select {COLUMNS} from memories where space = ? and document = ? order by position, id"
OF_SESSION = f"select {COLUMNS} from memories where space = ? and session = ? and kind = 'turn'"
SAME_TURN = """
    select 1 from memories indexed by memories_by_time
    where space = ? and happened_at = ? and kind = 'turn' and speaker is ? and text = ?
"""
COPY_TOMBSTONES = """
    insert or ignore into tombstones (space, document, mark, memory)
    select space, ?, mark, memory from tombstones where space = ? and document = ?
"""
COUNTS = """
    select d.source, count(*) from documents d join memories m on m.space = d.space and m.document = d.name
    where d.space = ? group by d.source
"""
# What a document says of its passages; the rest of a memory is its own.
GIVEN = ("title", "context", "tags", "metadata", "source", "document", "position", "lines", "project")


OUTSIDE = (
    "{} lies outside of {}, and the memory of a project reads only what lies in it; take it up in your own memory,"
    " from a folder outside of the project."
)


class Documents:
    """The sources of a file and what was read of them."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.within: Path | None = None

    def sources(self, space: str) -> list[Source]:
        with self._connections.reading() as db:
            rows = db.execute(f"select {SOURCE} from sources where space = ? order by id", (space,))
            return [source for row in rows if self._may_be_read(source := _source(row))]

    def count_outside(self) -> int:
        with self._connections.reading() as db:
            rows = db.execute(f"select {SOURCE} from sources").fetchall()
        return sum(not self._may_be_read(_source(row)) for row in rows)

    def _may_be_read(self, source: Source) -> bool:
        if self.within is None:
            return True
        root = Path(source.root).resolve()
        is_git = source.kind == "git"
        return root.is_relative_to(self.within.resolve()) and (not is_git or history_lies_in(self.within, root))

    def put_source(self, source: Source) -> Source:
        if not self._may_be_read(source):
            raise Invalid(OUTSIDE.format(source.root, self.within))
        patterns = {"include": json.dumps(source.include), "exclude": json.dumps(source.exclude)}
        values = {name: getattr(source, name) for name in ("space", "kind", "name", "root", "ignored", "client")}
        with self._connections.writing() as db:
            db.execute(PUT_SOURCE, values | patterns)
            sql = f"select {SOURCE} from sources where space = ? and name = ?"
            return _source(db.execute(sql, (source.space, source.name)).fetchone())

    def drop_source(self, source: Source, at: datetime) -> Changed:
        with self._connections.writing() as db:
            gone = sum((_drop(db, document, at) for document in _documents(db, source.id)), Changed())
            db.execute("delete from sources where id = ?", (source.id,))
        return gone

    def note_synced(self, source: Source, at: datetime) -> None:
        with self._connections.writing() as db:
            db.execute("update sources set synced_at = ? where id = ?", (instant(at), source.id))

    def of(self, source: Source) -> list[Document]:
        with self._connections.reading() as db:
            return _documents(db, source.id)

    def owners(self, space: str) -> dict[str, int]:
        with self._connections.reading() as db:
            rows: list[Any] = db.execute("select path, source from documents where space = ?", (space,)).fetchall()
            return dict(rows)

    def named(self, space: str, name: str) -> Document | None:
        with self._connections.reading() as db:
            return _named(db, space, name)

    def memories(self, document: Document) -> list[Memory]:
        with self._connections.reading() as db:
            return _memories(db, document.space, document.name)

    def count_memories(self, space: str) -> dict[int, int]:
        with self._connections.reading() as db:
            rows: list[Any] = db.execute(COUNTS, (space,)).fetchall()
            return dict(rows)

    def revise(self, revisions: Sequence[Revision], at: datetime) -> Changed:
        with self._connections.writing() as db:
            return sum((_revise(db, revision, at) for revision in revisions), Changed())

    def keep_vectors(self, vectors: Mapping[bytes, Matrix], model: Model, at: datetime) -> None:
        with self._connections.writing() as db:
            embeddings.keep(db, writing.adopt(db, model), vectors, at)

    def drop(self, documents: Sequence[Document], at: datetime) -> Changed:
        with self._connections.writing() as db:
            return sum((_drop(db, document, at) for document in documents), Changed())


def _revise(db: apsw.Connection, revision: Revision, at: datetime) -> Changed:
    before, document = revision.before, revision.document
    formerly = before.name if before else document.name
    stored = _named(db, document.space, formerly)
    if _version(stored) != _version(before) or not _is_source(db, document.source):
        return Changed()  # another process has read it meanwhile, or forgotten its source
    _write(db, replace(document, id=stored.id if stored else 0))
    if before and _content(before) == _content(document) and not revision.appends:
        return Changed(kept=len(revision.memories))  # only touched: what was changed by hand since stays so
    if formerly != document.name:
        db.execute(COPY_TOMBSTONES, (document.name, document.space, formerly))
    marks = marks_in(db, document.space, document.name)
    if revision.appends:
        wanted = [memory for memory in revision.memories if unburied(memory, marks)]
        removed = 0 if revision.goes_on else _corrected(db, wanted, _memories(db, document.space, formerly), at)
        known = [] if revision.goes_on else _said_before(db, wanted)
        return _appended(db, wanted, known, revision.dated) + Changed(removed=removed)
    known = _memories(db, document.space, formerly)
    return _replaced(db, _still_wanted(revision.memories, known, marks), known, at)


def _still_wanted(memories: Sequence[Memory], known: Sequence[Memory], marks: Marks) -> list[Memory]:
    """Passages without what was deleted; one that is known outlived the deletion of any that it overlaps with."""
    texts = {memory.text for memory in known}
    left = [own for memory in memories for own in ([memory] if memory.text in texts else unburied(memory, marks))]
    return [replace(memory, position=position) for position, memory in enumerate(left)]


def _appended(db: apsw.Connection, memories: Sequence[Memory], known: Sequence[Memory], dated: bool) -> Changed:
    """Add what is not there yet."""
    added = 0
    for memory in unsaid(memories, known):
        if dated and _is_copied(db, memory):
            continue
        stored, created = writing.put(db, memory, None, 0)
        added += created
        if created:
            embeddings.attach(db, stored)
    return Changed(added=added, kept=len(memories) - added)


def _corrected(db: apsw.Connection, turns: Sequence[Memory], known: Sequence[Memory], at: datetime) -> int:
    """Amend what is known of a transcript that is read from its start again.

    What another client's parser made of it was misread, and goes; what is no longer in the file stays.
    """
    again = {(turn.session, turn.speaker, turn.text): turn for turn in turns}
    clients = {turn.client for turn in turns}
    misread = 0
    for turn in known:
        same = again.get((turn.session, turn.speaker, turn.text))
        if same is not None:
            after = replace(turn, client=same.client, trust=same.trust, project=same.project or turn.project)
            writing.write_changes(db, turn, after)
        elif clients and turn.client not in clients:
            _leave(db, turn, at)
            misread += 1
    return misread


def _is_copied(db: apsw.Connection, memory: Memory) -> bool:
    """Whether the same was said at the same instant: a session that was forked begins with a copy of the other."""
    values = (memory.space, instant(memory.happened_at), memory.speaker, memory.text)
    return memory.kind == "turn" and db.execute(SAME_TURN, values).fetchone() is not None


def _replaced(db: apsw.Connection, memories: Sequence[Memory], known: Sequence[Memory], at: datetime) -> Changed:
    """Put these in the place of the known ones; a text that is still there keeps its id."""
    left: dict[str, list[Memory]] = {}
    for memory in reversed(known):
        left.setdefault(memory.text, []).append(memory)
    added = 0
    for memory in memories:
        if same := left.get(memory.text):
            _keep(db, same.pop(), memory, at)
        else:
            embeddings.attach(db, writing.insert(db, memory))
            added += 1
    gone = [memory for same in left.values() for memory in same]
    for memory in gone:
        _leave(db, memory, at)
    return Changed(added=added, kept=len(known) - len(gone), removed=len(gone))


def _keep(db: apsw.Connection, before: Memory, again: Memory, at: datetime) -> None:
    given = {name: getattr(again, name) for name in GIVEN}
    if (before.metadata, before.source) != (again.metadata, again.source):
        given["happened_at"] = again.happened_at  # what tells the day; a file that was merely touched does not
    if all(getattr(before, name) == value for name, value in given.items()):
        return
    after = replace(before, **given, updated_at=again.created_at)
    writing.write_changes(db, before, after)
    if before.digest != after.digest:
        embeddings.retire(db, before, at)
        writing.drop_pieces(db, before)
        embeddings.attach(db, after)


def _leave(db: apsw.Connection, memory: Memory, at: datetime) -> None:
    embeddings.retire(db, memory, at)
    writing.erase(db, memory)


def _drop(db: apsw.Connection, document: Document, at: datetime) -> Changed:
    gone = _memories(db, document.space, document.name)
    for memory in gone:
        _leave(db, memory, at)
    db.execute("delete from documents where id = ?", (document.id,))
    return Changed(removed=len(gone))


def _memories(db: apsw.Connection, space: str, document: str) -> list[Memory]:
    return [from_row(row) for row in db.execute(OF_DOCUMENT, (space, document))]


def _said_before(db: apsw.Connection, turns: Sequence[Memory]) -> list[Memory]:
    """What is known of the same sessions: their transcripts may have been renamed, packed, copied or captured."""
    sessions = {(turn.space, turn.session) for turn in turns if turn.kind == "turn"}
    return [from_row(row) for session in sessions for row in db.execute(OF_SESSION, session)]


def _is_source(db: apsw.Connection, source: int) -> bool:
    return db.execute("select 1 from sources where id = ?", (source,)).fetchone() is not None


def _version(document: Document | None) -> tuple[str | int, ...]:
    return (document.hash, document.offset, document.mtime, document.size, document.chunking) if document else ()


def _content(document: Document) -> tuple[str, str, str]:
    return document.name, document.hash, document.chunking


def _named(db: apsw.Connection, space: str, name: str) -> Document | None:
    row = db.execute(f"select {DOCUMENT} from documents where space = ? and name = ?", (space, name)).fetchone()
    return _document(row) if row else None


def _write(db: apsw.Connection, document: Document) -> None:
    values = {name: getattr(document, name) for name in DOCUMENT.split(", ")} | {"state": json.dumps(document.state)}
    db.execute(UPDATE if document.id else INSERT, values)


def _documents(db: apsw.Connection, source: int) -> list[Document]:
    rows = db.execute(f"select {DOCUMENT} from documents where source = ? order by name", (source,))
    return [_document(row) for row in rows]


def _document(row: Any) -> Document:
    found = dict(zip(DOCUMENT.split(", "), row, strict=True))
    read = {"name": path_from(found["name"]), "path": path_from(found["path"]), "state": object_from(found["state"])}
    return Document(**found | read)


def _source(row: Any) -> Source:
    id, space, kind, name, root, include, exclude, ignored, client, synced_at = row
    return Source(
        id=id,
        space=space,
        kind=kind,
        name=name,
        root=path_from(root),
        include=strings_from(include),
        exclude=strings_from(exclude),
        ignored=bool(ignored),
        client=client,
        synced_at=moment_or_none(synced_at),
    )
