"""The store's rules about documents: what is cut from one changes as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scrubjay.stores import Revision, Store
from scrubjay.types import Memory
from scrubjay.types.documents import Changed, Document, Source
from tests.support.stored import MODEL, NOW, SPACE, by_meaning, everything, later, made, vectors


def source(store: Store) -> Source:
    given = Source(id=0, space=SPACE, kind="files", name="notes", root="/notes")
    return store.documents.put_source(given)


def document(source: Source, hash: str = "1", **fields: Any) -> Document:
    given = {"name": "notes/a.md", "path": "/notes/a.md", "offset": 0, "state": {}, **fields}
    return Document(id=0, source=source.id, space=SPACE, hash=hash, mtime=1, size=1, chunking="c", **given)


def passages(document: Document, *texts: str) -> list[Memory]:
    return [
        made(text, kind="passage", document=document.name, position=position, source=f"file:{document.name}")
        for position, text in enumerate(texts)
    ]


def revise(store: Store, new: Document, *texts: str, before: Document | None = None) -> Changed:
    return store.documents.revise([Revision(new, passages(new, *texts), before)], later(1))


def of(store: Store, document: Document) -> list[tuple[int, str]]:
    return [(memory.id, memory.text) for memory in store.documents.memories(document)]


def test_a_source_is_known_by_its_name(store: Store) -> None:
    first = source(store)
    assert source(store).id == first.id and store.documents.sources(SPACE) == [first]
    store.documents.note_synced(first, later(1))
    assert store.documents.sources(SPACE) == [replace(first, synced_at=later(1))]


def test_a_text_that_is_still_there_keeps_its_id(store: Store) -> None:
    first = document(source(store))
    assert revise(store, first, "One", "Two") == Changed(added=2)
    before = of(store, first)
    stored = store.documents.named(SPACE, first.name)
    changed = revise(store, replace(first, hash="2"), "Two", "Three", before=stored)
    assert changed == Changed(added=1, kept=1, removed=1)
    assert of(store, first)[0] == before[1] and [text for _, text in of(store, first)] == ["Two", "Three"]
    assert store.documents.count_memories(SPACE) == {first.source: 2}


def test_a_revision_is_left_out_where_another_process_has_read_the_document_meanwhile(store: Store) -> None:
    first = document(source(store))
    revise(store, first, "One")
    assert revise(store, replace(first, hash="2"), "Two", before=None) == Changed()
    assert [text for _, text in of(store, first)] == ["One"]


def test_what_was_deleted_from_a_document_does_not_come_back(store: Store) -> None:
    first = document(source(store))
    revise(store, first, "A sentence that nobody wants to see again.", "Two")
    store.trash.put([of(store, first)[0][0]], [SPACE], NOW)
    stored = store.documents.named(SPACE, first.name)
    revise(store, replace(first, hash="2"), "A sentence that nobody wants to see again.", "Two", "Three", before=stored)
    assert [text for _, text in of(store, first)] == ["Two", "Three"]


def test_a_text_that_comes_back_has_its_vectors_again(store: Store) -> None:
    first = document(source(store))
    store.documents.keep_vectors({memory.digest: vectors(2) for memory in passages(first, "One")}, MODEL, NOW)
    revise(store, first, "One")
    ((id, _),) = of(store, first)
    assert set(by_meaning(store, 2)) == {id}
    stored = store.documents.named(SPACE, first.name)
    revise(store, replace(first, hash="2"), "Two", before=stored)
    stored = store.documents.named(SPACE, first.name)
    revise(store, replace(first, hash="3"), "One", before=stored)
    assert store.vectors.count_pending("current") == 0


def test_turns_are_appended_once(store: Store) -> None:
    talk = document(source(store), name="talk", path="/talk")
    turns = [made(text, kind="turn", session="s", speaker="Ann", document="talk", at=later(n), position=n)
             for n, text in enumerate(("Hi", "How are you?"))]  # fmt: skip
    first = Revision(talk, turns[:1], None, appends=True)
    assert store.documents.revise([first], NOW) == Changed(added=1)
    stored = store.documents.named(SPACE, "talk")
    again = Revision(replace(talk, hash="2"), turns, stored, appends=True)
    assert store.documents.revise([again], NOW) == Changed(added=1, kept=1)


def test_a_source_goes_with_all_that_was_cut_from_it(store: Store) -> None:
    first = document(kept := source(store))
    revise(store, first, "One", "Two")
    assert store.documents.owners(SPACE) == {"/notes/a.md": kept.id}
    assert store.documents.drop_source(kept, NOW) == Changed(removed=2)
    assert store.documents.sources(SPACE) == [] and store.memories.newest(everything(), None) == []
