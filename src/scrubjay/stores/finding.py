"""The part of the SQLite store that search asks: candidates, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scrubjay.stores import Nearest, Turn, WordCounts, reading, writing
from scrubjay.stores.filters import where
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.stores.sqlite.text_index import FullText
from scrubjay.stores.sqlite.vector_cache import VectorCache
from scrubjay.stores.sqlite.vector_index import alike, cosines, nearest
from scrubjay.types import Filter, Traits

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

    def by_substring(self, text: str, filter: Filter, limit: int) -> list[int]:
        with self._connections.reading() as db:
            return reading.by_substring(db, text, filter, limit)

    def passing(self, ids: Iterable[int], filter: Filter) -> list[int]:
        with self._connections.reading() as db:
            return reading.passing(db, ids, where(filter))

    def word_counts(self, text: str, ids: Iterable[int], spaces: Sequence[str]) -> WordCounts:
        terms = self._fulltext.terms(text)
        with self._connections.reading() as db:
            return self._fulltext.counts(db, terms, ids, spaces)._replace(words=[term.match for term in terms])

    def speaks(self, small: Iterable[str], spaces: Sequence[str]) -> bool:
        with self._connections.reading() as db:
            return self._fulltext.speaks(db, small, spaces)

    def cosines(self, vector: Matrix, ids: Iterable[int]) -> dict[int, float]:
        with self._connections.reading() as db:
            return cosines(db, writing.model_id(db, "current"), vector, ids)

    def alike(self, pairs: Mapping[int, int]) -> dict[int, float]:
        with self._connections.reading() as db:
            return alike(db, writing.model_id(db, "current"), pairs)

    def pieces(self, ids: Iterable[int]) -> dict[int, int]:
        with self._connections.reading() as db:
            return reading.pieces(db, ids)

    def turns(self, ids: Iterable[int]) -> dict[int, Turn]:
        with self._connections.reading() as db:
            return reading.turns(db, ids)

    def traits(self, ids: Iterable[int]) -> dict[int, Traits]:
        with self._connections.reading() as db:
            return reading.traits(db, ids)
