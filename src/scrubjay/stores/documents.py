"""Sources and their documents: a document's memories change together, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Invalid
from scrubjay.files.git_folders import git_data_is_inside
from scrubjay.stores.agents.sessions import note_sessions, without_counted
from scrubjay.stores.columns import COLUMNS, from_row, instant, moment_or_none, object_from, path_from, strings_from
from scrubjay.stores.contract import Engine, Revision, Rows
from scrubjay.stores.deletions.former_names import with_former_names
from scrubjay.stores.deletions.tombstones import ANYWHERE, Marks, marks_in, own_key, take_over, unburied, without_buried
from scrubjay.stores.deletions.trash import leave_traces
from scrubjay.stores.memories import put
from scrubjay.stores.rows import erase, insert, write_changes
from scrubjay.stores.vectors import adopt, attach_known, keep, retire
from scrubjay.types import Memory, Model
from scrubjay.types.documents import Changed, Document, Source, not_yet_stored

if TYPE_CHECKING:
    from scrubjay.types.documents import SessionNotes
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
OF_DOCUMENT = f"select {COLUMNS} from memories where space = :space and document = :document order by position, id"
OF_SESSION = f"select {COLUMNS} from memories where space = :space and session = :session and kind = 'turn'"
# The kind is no part of an index here: that of times has fewer rows to look at.
SAME_TURN = """
    select 1 from memories where space = :space and happened_at = :at and kind || '' = 'turn'
    and speaker is not distinct from :speaker and text = :text
"""
COPY_TOMBSTONES = """
    insert into tombstones (space, document, mark, memory)
    select space, :name, mark, memory from tombstones where space = :space and document = :formerly
    on conflict do nothing
"""
COUNTS = """
    select d.source, count(*) from documents d join memories m on m.space = d.space and m.document = d.name
    where d.space = :space group by d.source
"""
# What a document says of its passages; the rest of a memory is its own.
GIVEN = ("title", "context", "tags", "metadata", "source", "document", "position", "lines", "project")


OUTSIDE = (
    "{} lies outside of {}, and the memory of a project reads only what lies in it; take it up in your own memory,"
    " from a folder outside of the project."
)


class Documents:
    """The sources of a file and what was read of them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.within: Path | None = None  # the folder that sources must lie in; None for anywhere

    def sources(self, space: str) -> list[Source]:
        """Those that may be read."""
        with self._engine.reading([space]) as rows:
            found = map(
                _source, rows.all(f"select {SOURCE} from sources where space = :space order by id", space=space)
            )
            return [source for source in found if self._may_be_read(source)]

    def count_outside(self) -> int:
        """How many sources lie outside of `within`, in all spaces."""
        with self._engine.reading() as rows:
            found = rows.all(f"select {SOURCE} from sources")
        return sum(not self._may_be_read(_source(row)) for row in found)

    def drop_outside(self) -> None:
        """Forget the sources that lie outside of `within`: none was read, so there is nothing to delete with them."""
        with self._engine.writing() as rows:
            for source in map(_source, rows.all(f"select {SOURCE} from sources")):
                if not self._may_be_read(source):
                    rows.run("delete from sources where id = :id", id=source.id)

    def _may_be_read(self, source: Source) -> bool:
        if self.within is None:
            return True
        root = Path(source.root).resolve()
        is_git = source.kind == "git"
        return root.is_relative_to(self.within.resolve()) and (not is_git or git_data_is_inside(self.within, root))

    def put_source(self, source: Source) -> Source:
        if not self._may_be_read(source):
            raise Invalid(OUTSIDE.format(source.root, self.within))
        patterns = {"include": json.dumps(source.include), "exclude": json.dumps(source.exclude)}
        values = {name: getattr(source, name) for name in ("space", "kind", "name", "root", "ignored", "client")}
        with self._engine.writing([source.space]) as rows:
            rows.run(PUT_SOURCE, **values | patterns)
            sql = f"select {SOURCE} from sources where space = :space and name = :name"
            return _source(rows.one(sql, space=source.space, name=source.name))

    def drop_source(self, source: Source, at: datetime) -> Changed:
        """Forget a source with all that was cut from it."""
        with self._engine.writing([source.space]) as rows:
            gone = sum((_drop(rows, document, at) for document in _documents(rows, source.id)), Changed())
            rows.run("delete from sources where id = :id", id=source.id)
        return gone

    def note_synced(self, source: Source, at: datetime) -> None:
        with self._engine.writing([source.space]) as rows:
            rows.run("update sources set synced_at = :at where id = :id", at=instant(at), id=source.id)

    def of(self, source: Source) -> list[Document]:
        with self._engine.reading([source.space]) as rows:
            return _documents(rows, source.id)

    def owners(self, space: str) -> dict[str, int]:
        """Which source each path belongs to."""
        with self._engine.reading([space]) as rows:
            return dict(rows.all("select path, source from documents where space = :space", space=space))

    def hash_key(self) -> bytes:
        """What hashes of documents are keyed with in this store."""
        with self._engine.reading(()) as rows:
            return own_key(rows)

    def named(self, space: str, name: str) -> Document | None:
        with self._engine.reading([space]) as rows:
            return _named(rows, space, name)

    def memories(self, document: Document) -> list[Memory]:
        """In order."""
        with self._engine.reading([document.space]) as rows:
            return _memories(rows, document.space, document.name)

    def without_deleted(self, document: Document, lines: Sequence[str]) -> list[str]:
        """Lines of a document, with a mark in place of what was deleted of it."""
        with self._engine.reading([document.space]) as rows:
            marks = marks_in(rows, document.space, document.name)
            return without_buried(lines, marks, _memories(rows, document.space, document.name))

    def not_deleted(self, space: str, turns: Sequence[Memory], undated: datetime) -> list[Memory]:
        """Turns without those that were deleted before; those of that time have none of their own."""
        with self._engine.reading([space]) as rows:
            marks = marks_in(rows, space, ANYWHERE)
        return [turn for turn in turns if unburied(turn, marks, dated=turn.happened_at != undated)]

    def count_memories(self, space: str) -> dict[int, int]:
        """By source."""
        with self._engine.reading([space]) as rows:
            return dict(rows.all(COUNTS, space=space))

    def revise(self, revisions: Sequence[Revision], at: datetime) -> Changed:
        """Each one whole, or not at all where another process has read that document meanwhile."""
        with self._engine.writing(_spaces(revisions)) as rows:
            return sum((_revise(rows, revision, at) for revision in revisions), Changed())

    def changed_passages(self, revisions: Sequence[Revision]) -> list[Memory]:
        """The passages that these revisions of known documents would store: nothing that was deleted."""
        with self._engine.reading(_spaces(revisions)) as rows:
            return [passage for revision in revisions for passage in _changed_passages(rows, revision)]

    def keep_vectors(
        self, revisions: Sequence[Revision], vectors: Mapping[bytes, Matrix], model: Model, at: datetime
    ) -> None:
        """Keep the vectors of passages that are about to be stored, so that their documents are never without."""
        with self._engine.writing(_spaces(revisions)) as rows:  # one may have been deleted while it was embedded
            passages = (passage for revision in revisions for passage in _changed_passages(rows, revision))
            wanted = {passage.digest for passage in passages}
            kept = {digest: own for digest, own in vectors.items() if digest in wanted}
            keep(rows, adopt(rows, model), kept, at)

    def drop(self, documents: Sequence[Document], at: datetime) -> Changed:
        with self._engine.writing({document.space for document in documents}) as rows:
            return sum((_drop(rows, document, at) for document in documents), Changed())


def _revise(rows: Rows, revision: Revision, at: datetime) -> Changed:
    before, document = revision.before, revision.document
    formerly = before.name if before else document.name
    stored = _named(rows, document.space, formerly)
    if _version(stored) != _version(before) or not _is_source(rows, document.source):
        return Changed()  # another process has read it meanwhile, or forgotten its source
    document = replace(document, id=stored.id if stored else 0)
    if not revision.appends:
        document = with_former_names(document, stored)
        _write(rows, document)
    if _is_only_touched(revision):
        return Changed(kept=len(revision.memories))  # only touched: what was changed by hand since stays so
    if formerly != document.name:
        rows.run(COPY_TOMBSTONES, name=document.name, space=document.space, formerly=formerly)
    marks = _marks(rows, revision)
    if revision.appends:
        dated = revision.dated or revision.goes_on
        wanted = [memory for memory in revision.memories if unburied(memory, marks, dated)]
        notes = _untold(revision.notes, revision.memories, wanted)
        removed = 0 if revision.goes_on else _corrected(rows, wanted, _memories(rows, document.space, formerly), at)
        new = wanted if revision.goes_on else not_yet_stored(wanted, _said_before(rows, wanted))
        copied = {turn.session or "" for turn in wanted} if len(new) < len(wanted) else set()
        notes, document = without_counted(rows, notes, document, stored, copied)
        changed = _appended(rows, wanted, new, revision.dated) + Changed(removed=removed)
        note_sessions(rows, document.space, notes, [one for one in wanted if one.kind == "summary"])
        _write(rows, document)
        return changed
    known = _memories(rows, document.space, formerly)
    if before is None:
        take_over(rows, document.space, document.name, revision.memories, marks)
    return _replaced(rows, _still_wanted(revision.memories, known, marks), known, at)


def _changed_passages(rows: Rows, revision: Revision) -> list[Memory]:
    if revision.before is None or revision.appends or _is_only_touched(revision):
        return []
    known = _memories(rows, revision.document.space, revision.before.name)
    return _still_wanted(revision.memories, known, _marks(rows, revision))


def _is_only_touched(revision: Revision) -> bool:
    before = revision.before
    return before is not None and _content(before) == _content(revision.document) and not revision.appends


def _marks(rows: Rows, revision: Revision) -> Marks:
    """What was deleted of a document, by any name that it has had."""
    before, document = revision.before, revision.document
    formerly = before.name if before else document.name
    return marks_in(rows, document.space, document.name, formerly, new=before is None)


def _untold(notes: Sequence[SessionNotes], read: Sequence[Memory], wanted: Sequence[Memory]) -> list[SessionNotes]:
    """Notes without the titles of sessions of which something was deleted: they may tell it."""
    kept = set(map(id, wanted))
    deleted = {memory.session for memory in read if id(memory) not in kept}
    return [replace(one, title=None) if one.session in deleted else one for one in notes]


def _still_wanted(memories: Sequence[Memory], known: Sequence[Memory], marks: Marks) -> list[Memory]:
    """Passages without what was deleted; one that is known outlived the deletion of any that it overlaps with."""
    texts = {memory.text for memory in known}
    left = [own for memory in memories for own in ([memory] if memory.text in texts else unburied(memory, marks))]
    return [replace(memory, position=position) for position, memory in enumerate(left)]


def _appended(rows: Rows, memories: Sequence[Memory], new: Sequence[Memory], dated: bool) -> Changed:
    """Add those that are not there yet."""
    added = 0
    for memory in new:
        if dated and _is_copied(rows, memory):
            continue
        stored, created = put(rows, memory, None, 0)
        added += created
        if created:
            attach_known(rows, stored)
    return Changed(added=added, kept=len(memories) - added)


def _corrected(rows: Rows, turns: Sequence[Memory], known: Sequence[Memory], at: datetime) -> int:
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
            write_changes(rows, turn, after)
        elif clients and turn.client not in clients:
            _leave(rows, turn, at)
            misread += 1
    return misread


def _is_copied(rows: Rows, memory: Memory) -> bool:
    """Whether the same was said at the same instant: a session that was forked begins with a copy of the other."""
    said = {"space": memory.space, "speaker": memory.speaker, "text": memory.text}
    return memory.kind == "turn" and rows.one(SAME_TURN, **said, at=instant(memory.happened_at)) is not None


def _replaced(rows: Rows, memories: Sequence[Memory], known: Sequence[Memory], at: datetime) -> Changed:
    """Put these in the place of the known ones; a text that is still there keeps its id."""
    left: dict[str, list[Memory]] = {}
    for memory in reversed(known):
        left.setdefault(memory.text, []).append(memory)
    added = 0
    for memory in memories:
        if same := left.get(memory.text):
            _keep(rows, same.pop(), memory, at)
        else:
            attach_known(rows, insert(rows, memory))
            added += 1
    gone = [memory for same in left.values() for memory in same]
    for memory in gone:
        _leave(rows, memory, at)
    return Changed(added=added, kept=len(known) - len(gone), removed=len(gone))


def _keep(rows: Rows, before: Memory, again: Memory, at: datetime) -> None:
    given = {name: getattr(again, name) for name in GIVEN}
    if (before.metadata, before.source) != (again.metadata, again.source):
        given["happened_at"] = again.happened_at  # what tells the day; a file that was merely touched does not
    if all(getattr(before, name) == value for name, value in given.items()):
        return
    after = replace(before, **given, updated_at=again.created_at)
    write_changes(rows, before, after)
    if before.digest != after.digest:
        retire(rows, before, at)
        rows.vectors.drop(before)
        attach_known(rows, after)


def _leave(rows: Rows, memory: Memory, at: datetime) -> None:
    retire(rows, memory, at)
    erase(rows, memory)
    leave_traces(rows)


def _drop(rows: Rows, document: Document, at: datetime) -> Changed:
    gone = _memories(rows, document.space, document.name)
    for memory in gone:
        _leave(rows, memory, at)
    rows.run("delete from documents where id = :id", id=document.id)
    return Changed(removed=len(gone))


def _memories(rows: Rows, space: str, document: str) -> list[Memory]:
    return [from_row(row) for row in rows.all(OF_DOCUMENT, space=space, document=document)]


def _said_before(rows: Rows, turns: Sequence[Memory]) -> list[Memory]:
    """What is known of the same sessions: their transcripts may have been renamed, packed, copied or captured."""
    sessions = {(turn.space, turn.session) for turn in turns if turn.kind == "turn"}
    found = (row for space, session in sessions for row in rows.all(OF_SESSION, space=space, session=session))
    return [from_row(row) for row in found]


def _is_source(rows: Rows, source: int) -> bool:
    return rows.one("select 1 from sources where id = :id", id=source) is not None


def _spaces(revisions: Sequence[Revision]) -> set[str]:
    return {revision.document.space for revision in revisions}


def _version(document: Document | None) -> tuple[str | int, ...]:
    return (document.hash, document.offset, document.mtime, document.size, document.chunking) if document else ()


def _content(document: Document) -> tuple[str, str, str]:
    return document.name, document.hash, document.chunking


def _named(rows: Rows, space: str, name: str) -> Document | None:
    sql = f"select {DOCUMENT} from documents where space = :space and name = :name"
    row = rows.one(sql, space=space, name=name)
    return _document(row) if row else None


def _write(rows: Rows, document: Document) -> None:
    values = {name: getattr(document, name) for name in DOCUMENT.split(", ")} | {"state": json.dumps(document.state)}
    rows.run(UPDATE if document.id else INSERT, **values)


def _documents(rows: Rows, source: int) -> list[Document]:
    found = rows.all(f"select {DOCUMENT} from documents where source = :source order by name", source=source)
    return list(map(_document, found))


def _document(row: Any) -> Document:
    found = dict(zip(DOCUMENT.split(", "), row, strict=True))
    read = {"name": path_from(found["name"]), "path": path_from(found["path"]), "state": object_from(found["state"])}
    return Document(**found | read)


def _source(row: Any) -> Source:
    found = dict(zip(SOURCE.split(", "), row, strict=True))
    patterns = {name: strings_from(found[name]) for name in ("include", "exclude")}
    read = {"root": path_from(found["root"]), "ignored": bool(found["ignored"])}
    return Source(**found | patterns | read | {"synced_at": moment_or_none(found["synced_at"])})
