"""What search asks: candidates by word and by meaning, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scrubjay.stores import reading, writing
from scrubjay.stores.contract import Nearest, Turn, WordCounts
from scrubjay.stores.filters import where
from scrubjay.stores.sqlite.engine import Connections
from scrubjay.stores.sqlite.text_index import FullText
from scrubjay.stores.sqlite.vector_cache import VectorCache
from scrubjay.stores.sqlite.vector_index import alike, cosines, nearest
from scrubjay.types import Filter, RankingFields

if TYPE_CHECKING:
    from scrubjay.types.vectors import Matrix

__all__ = ["Search"]


class Search:
    """Candidates for a question, and the figures that they are ranked by."""

    def __init__(self, engine: Connections, text: FullText, cache: VectorCache) -> None:
        self._engine = engine
        self._text = text
        self._cache = cache

    def by_word(self, text: str, filter: Filter, limit: int, least: int) -> list[int]:
        """The best by word up to the limit; fewer than `least` only where there are no more."""
        terms = self._text.terms(text)
        if not terms:
            return []
        with self._engine.reading() as db:
            return self._text.candidates(db, terms, filter.spaces, where(filter), limit, least)

    def by_meaning(self, vector: Matrix, filter: Filter, limit: int) -> Nearest:
        with self._engine.reading() as db:
            return nearest(db, self._cache, writing.model_id(db, "current"), vector, filter, limit)

    def by_substring(self, text: str, filter: Filter, limit: int) -> list[int]:
        with self._engine.reading() as db:
            return reading.by_substring(db, text, filter, limit)

    def passing(self, ids: Iterable[int], filter: Filter) -> list[int]:
        """Those that a filter lets through."""
        with self._engine.reading() as db:
            return reading.passing(db, ids, where(filter))

    def word_counts(self, text: str, ids: Iterable[int], spaces: Sequence[str]) -> WordCounts:
        terms = self._text.terms(text)
        with self._engine.reading() as db:
            return self._text.counts(db, terms, ids, spaces)._replace(words=[term.match for term in terms])

    def speaks(self, small: Iterable[str], spaces: Sequence[str]) -> bool:
        """Whether memories there are in a language, shown by any of its small words."""
        with self._engine.reading() as db:
            return self._text.speaks(db, small, spaces)

    def cosines(self, vector: Matrix, ids: Iterable[int]) -> dict[int, float]:
        with self._engine.reading() as db:
            return cosines(db, writing.model_id(db, "current"), vector, ids)

    def alike(self, pairs: Mapping[int, int]) -> dict[int, float]:
        """The cosine between the first pieces of each and of the one beside it."""
        with self._engine.reading() as db:
            return alike(db, writing.model_id(db, "current"), pairs)

    def pieces(self, ids: Iterable[int]) -> dict[int, int]:
        """How many pieces each of these was embedded in."""
        with self._engine.reading() as db:
            return reading.pieces(db, ids)

    def turns(self, ids: Iterable[int]) -> dict[int, Turn]:
        """Of those that are turns: where each was said."""
        with self._engine.reading() as db:
            return reading.turns(db, ids)

    def ranking_fields(self, ids: Iterable[int]) -> dict[int, RankingFields]:
        with self._engine.reading() as db:
            return reading.ranking_fields(db, ids)
