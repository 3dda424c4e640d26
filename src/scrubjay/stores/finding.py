"""The part of the SQLite store that finds memories by word and by meaning."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scrubjay.stores import Nearest, writing
from scrubjay.stores.filters import where
from scrubjay.stores.snapshot import Snapshot
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.stores.sqlite.text_index import FullText
from scrubjay.stores.sqlite.vector_cache import VectorCache
from scrubjay.stores.sqlite.vector_index import nearest
from scrubjay.types import Filter

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Finding"]


class Finding:
    _connections: Connections
    _cache: VectorCache
    _fulltext: FullText

    def by_word(self, text: str, filter: Filter, limit: int, least: int) -> list[int]:
        terms = self._fulltext.terms(text)
        if not terms:
            return []
        with self._connections.reading() as db:
            return self._fulltext.candidates(db, terms, filter.spaces, where(filter), limit, least)

    def by_meaning(self, vector: Matrix, filter: Filter, limit: int) -> Nearest:
        with self._connections.reading() as db:
            return nearest(db, self._cache, writing.model_id(db, "current"), vector, filter, limit)

    @contextmanager
    def reading(self) -> Iterator[Snapshot]:
        with self._connections.snapshot() as db:
            yield Snapshot(db, self._fulltext, self._cache)
