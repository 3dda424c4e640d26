"""The store's rules about documents: what is cut from one changes as a whole."""

from __future__ import annotations

from dataclasses import replace

from scrubjay.stores import Revision, Store
from scrubjay.types.documents import Changed, Document
from tests.support.stored import (
    MODEL,
    NOW,
    SPACE,
    by_meaning,
    document,
    everything,
    later,
    made,
    passages,
    source,
    vectors,
)


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
    revise(store, first, "Nothing")
    stored, new = store.documents.named(SPACE, first.name), replace(first, hash="2")
    revision = Revision(new, passages(new, "One"), stored)
    store.documents.keep_vectors([revision], {revision.memories[0].digest: vectors(2)}, MODEL, NOW)
    store.documents.revise([revision], later(1))
    ((id, _),) = of(store, first)
    assert set(by_meaning(store, 2)) == {id}
    stored = store.documents.named(SPACE, first.name)
    revise(store, replace(first, hash="3"), "Two", before=stored)
    stored = store.documents.named(SPACE, first.name)
    revise(store, replace(first, hash="4"), "One", before=stored)
    assert store.vectors.count_pending("current") == 0


def test_of_a_passage_that_is_deleted_while_it_is_embedded_no_vectors_are_kept(store: Store) -> None:
    first = document(source(store))
    revise(store, first, "A sentence that nobody wants to see again.", "Two")
    stored, new = store.documents.named(SPACE, first.name), replace(first, hash="2")
    revision = Revision(new, passages(new, "A sentence that nobody wants to see again.", "Three"), stored)
    wanted = store.documents.changed_passages([revision])
    assert [passage.text for passage in wanted] == [passage.text for passage in revision.memories]
    store.trash.put([of(store, first)[0][0]], [SPACE], NOW)
    assert [passage.text for passage in store.documents.changed_passages([revision])] == ["Three"]
    store.documents.keep_vectors([revision], {one.digest: vectors(1) for one in wanted}, MODEL, NOW)
    assert set(store.vectors.embedded("current", [one.digest for one in wanted])) == {wanted[1].digest}


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
