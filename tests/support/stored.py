"""Memories, vectors and filters for tests that use a store without anything above it."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from scrubjay.stores import Store
from scrubjay.stores.contract import CandidateRequest, Evidence, EvidenceRequest, NewMemory
from scrubjay.types import Filter, Memory, Model, first_words
from scrubjay.types.documents import Document, Source
from scrubjay.types.history import Step
from scrubjay.types.vectors import Matrix

__all__ = [
    "MODEL",
    "NOW",
    "OTHER_MODEL",
    "SPACE",
    "by_meaning",
    "by_word",
    "document",
    "everything",
    "evidence",
    "later",
    "made",
    "passages",
    "put",
    "source",
    "step",
    "vectors",
]

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
SPACE = "default"
DIMENSIONS = 8
MODEL = Model("test", "test-model", DIMENSIONS, "title and text")
OTHER_MODEL = Model("other", "other-model", DIMENSIONS, "title and text")


def later(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def made(text: str, **fields: Any) -> Memory:
    """A memory that is not stored yet."""
    at = fields.pop("at", NOW)
    given = {"kind": "fact", "space": SPACE, "title": first_words(text), **fields}
    times = {name: given.pop(name, at) for name in ("happened_at", "created_at", "updated_at")}
    return Memory(id=0, uid=os.urandom(16).hex(), text=text, **times, **given)


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


def put(store: Store, text: str, vector: Matrix | None = None, **fields: Any) -> Memory:
    """Store one memory."""
    new = NewMemory(made(text, **fields), vector)
    return store.memories.put([new], None if vector is None else MODEL)[0].memory


def step(old: int, at: datetime = NOW, **fields: Any) -> Step:
    return Step(old=old, new=None, at=at, effective_at=at, **fields)


def everything(**fields: Any) -> Filter:
    return Filter(**{"spaces": (SPACE,), "now": NOW, **fields})


def by_word(store: Store, text: str, **filter: Any) -> list[int]:
    """The ids of the memories that a search finds by word, the best first."""
    request = CandidateRequest(everything(**filter), 10, text)
    with store.search.snapshot(request.filter.spaces) as snapshot:
        return list(snapshot.candidates(request).by_word)


def by_meaning(store: Store, direction: int, limit: int = 10, **filter: Any) -> dict[int, float]:
    """The cosines, by id, of the memories that a search finds by meaning."""
    request = CandidateRequest(everything(**filter), limit, vector=vectors(direction)[0])
    with store.search.snapshot(request.filter.spaces) as snapshot:
        return dict(snapshot.candidates(request).cosines or {})


def evidence(store: Store, *ids: int, **asked: Any) -> Evidence:
    """What a search reads about these memories."""
    with store.search.snapshot() as snapshot:
        return snapshot.evidence(EvidenceRequest(ids, **{"filter": everything(), **asked}))


def vectors(*directions: int, lean: float = 0.0) -> Matrix:
    """One piece for each direction, leaning a little towards the next one."""
    rows = np.zeros((len(directions), DIMENSIONS), dtype=np.float32)
    for row, direction in zip(rows, directions, strict=True):
        row[direction % DIMENSIONS] = 1.0
        row[(direction + 1) % DIMENSIONS] += lean
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows
