"""The store's rules about vectors: one model at a time, another being built, and texts embedded once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scrubjay.errors import EmbedderMismatch
from scrubjay.stores import NEWEST, Revision, Store
from tests.support.stored import (
    MODEL,
    NOW,
    OTHER_MODEL,
    SPACE,
    by_meaning,
    document,
    later,
    made,
    passages,
    put,
    source,
    vectors,
)


def test_the_first_model_that_writes_vectors_is_the_stores(store: Store) -> None:
    assert store.vectors.model() is None
    put(store, "One", vectors(0))
    assert store.vectors.model() == MODEL and store.vectors.model("building") is None


def test_what_has_no_vector_is_pending_the_newest_first(store: Store) -> None:
    put(store, "One", vectors(0))
    ids = [put(store, text).id for text in ("Two", "Three")]
    assert [memory.id for memory in store.vectors.pending("current", NEWEST, 5)] == ids[::-1]
    assert [memory.id for memory in store.vectors.pending("current", ids[1], 5)] == [ids[0]]
    assert store.vectors.count_pending("current", space="other") == 0
    store.vectors.fill("current", {ids[0]: vectors(1), 999: vectors(2)}, MODEL)
    assert store.vectors.count_pending("current") == 1


def test_a_text_is_embedded_once(store: Store) -> None:
    memory = put(store, "One", vectors(0, 1))
    found = store.vectors.embedded("current", [memory.digest, made("Two").digest])
    assert set(found) == {memory.digest}
    np.testing.assert_array_equal(found[memory.digest], vectors(0, 1))
    put(store, "Three")
    cache = store.maintenance.figures(SPACE, NOW)["cache"]
    assert (cache.hits, cache.misses) == (1, 1)


def test_another_model_is_built_beside_and_takes_over_as_a_whole(store: Store) -> None:
    ids = [put(store, text, vectors(n)).id for n, text in enumerate(("One", "Two"))]
    store.vectors.build(OTHER_MODEL)
    store.vectors.fill("building", {ids[0]: vectors(5)}, OTHER_MODEL)
    assert not store.vectors.finish(NOW, 10**6) and store.vectors.model() == MODEL
    with pytest.raises(EmbedderMismatch):
        store.vectors.fill("building", {ids[1]: vectors(5)}, MODEL)
    store.vectors.fill("building", {ids[1]: vectors(6)}, OTHER_MODEL)
    assert store.vectors.finish(NOW, 10**6) and store.vectors.model() == OTHER_MODEL
    cosines = by_meaning(store, 5)
    assert cosines[ids[0]] == pytest.approx(1) and cosines[ids[1]] == pytest.approx(0)
    store.vectors.build(MODEL)  # what was embedded with it before is still known
    known = store.vectors.embedded("building", [made("One").digest])
    assert len(known) == 1


def test_vectors_out_of_use_are_pruned_by_age_and_by_size(store: Store) -> None:
    put(store, "One", vectors(0))
    first = document(source(store))
    revisions = [Revision(replace(first, hash="2"), passages(first, "A", "B", "C", "D"), first)]
    digests = [passage.digest for passage in revisions[0].memories]
    store.documents.keep_vectors(revisions, {digests[0]: vectors(1)}, MODEL, NOW)
    for n, digest in enumerate(digests[1:]):
        store.documents.keep_vectors(revisions, {digest: vectors(1)}, MODEL, later(24 * 60 + n))
    assert store.vectors.prune(later(24 * 60 + 1), 1, 2 * 32) == 2
    assert set(store.vectors.embedded("current", digests)) == set(digests[2:])


def test_the_store_counts_what_it_holds(store: Store) -> None:
    put(store, "One", vectors(0))
    put(store, "Two", kind="note")
    put(store, "Three", expires_at=later(1), at=later(-5))
    found = store.maintenance.figures(SPACE, later(2))
    assert (found["memories"], found["expired"], found["by_kind"]) == (2, 1, {"fact": 1, "note": 1})
    assert (found["model"], found["without_vector"], found["without_words"]) == ("test-model", 2, 0)
    assert (found["oldest"], found["spaces"], found["sessions"]) == (later(-5), 1, 0)
    assert (found["average_importance"], found["average_confidence"]) == (5.0, 1.0)
    assert store.maintenance.count(SPACE, later(2)) == 2


def test_a_whole_store_has_no_problems(store: Store) -> None:
    put(store, "One", vectors(0, 1), tags=("a",))
    assert store.maintenance.check(deep=True, repair=False, at=NOW).problems == []
    assert store.maintenance.bytes_used() > 0


def test_what_must_not_be_lost_is_never_expendable(store: Store) -> None:
    put(store, "Kept", kind="decision")
    put(store, "Kept, too", importance=8)
    put(store, "A task", kind="task")
    ids = [put(store, "Old").id, put(store, "New", at=later(1)).id]
    assert [memory.id for memory in store.maintenance.expendable(SPACE, later(9), 9)] == ids
