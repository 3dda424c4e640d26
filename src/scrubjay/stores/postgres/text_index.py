"""The index of words: PostgreSQL tells which memories hold a stem, and the stems are those of our own tokenizer.

Candidates are ordered by the weights of the words that they hold and by the length of their texts, as BM25 would have
it if each word occurred once. What they are worth is counted above, in the same way for every store.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

from scrubjay.stores.contract import Frequencies
from scrubjay.stores.filters import where
from scrubjay.text.tokenizer import Term, stems_of
from scrubjay.types import Filter

if TYPE_CHECKING:
    from scrubjay.stores.postgres.rows import PostgresRows

__all__ = ["PostgresTextIndex", "indexed_stems"]

# Occurrences that are read. Common words are left out when candidates are looked for, once the rarer ones have used
# this up; they still count when those are scored.
READ = 20_000
QUICK = 300
WALKED = 1_000  # of two words as neighbours, the memories are counted if the rarer word has no more than these
SATURATION, LENGTH_SHARE = 1.2, 0.75  # of BM25, for a word that occurs once
STEM_BYTES = 500
PLACES, LAST_PLACE = 255, 16_383  # of one stem, and in all: what a tsvector holds
STEMS_BYTES = 900_000  # of a tsvector, which holds 1 MB
BEST = f"""
    select m.id from (
        select h.*, h.weight / (1 + {SATURATION} * (1 - {LENGTH_SHARE}
            + {LENGTH_SHARE} * h.length / greatest(avg(h.length) over (), 1))) as score
        from holders(cast(:queries as tsquery[]), :weights, :within) h
    ) h join memories m on m.space = h.space and m.id = h.memory
    where {{where}} order by h.score desc, m.id desc limit :limit
"""
HOLDING = "select count(*) from holders(array[cast(:query as tsquery)], array[1.0], :within)"
COUNTS = "select stem, memories from word_counts where space in (:within) and stem in (:stems)"
INDEXED = "select space, text, concat_ws(chr(10), title, text, context, tags, subject) from indexed where id = :id"
PUT = """
    insert into words (space, memory, length, stems) values (:space, :id, :length, cast(:stems as tsvector))
    on conflict (space, memory) do update set length = excluded.length, stems = excluded.stems
"""


class PostgresTextIndex:
    """The table `words`, written here, and the counts of stems that triggers keep in step with it."""

    def __init__(self, rows: PostgresRows) -> None:
        self._rows = rows

    def candidates(
        self, terms: Sequence[Term], filter: Filter, limit: int, least: int, quickly: bool = False
    ) -> list[int]:
        counts, size = self._counts(terms, filter.spaces)
        known = [term for term in terms if counts[term]]
        chosen = _affordable(known, counts, QUICK if quickly else READ)
        found = self._best(chosen, counts, size, filter, limit)
        if len(found) >= least or len(chosen) == len(known):
            return found
        return self._best(known, counts, size, filter, limit)

    def frequencies(self, terms: Sequence[Term], spaces: Sequence[str]) -> Frequencies:
        counts, size = self._counts(terms, spaces)
        pairs = {term: counts[term] for term in terms if len(term.stems) > 1 and 0 < counts[term] <= WALKED}
        exact = {term: self._holding(term, spaces) for term in pairs}
        return Frequencies([exact.get(term, counts[term]) for term in terms], size)

    def index(self, id: int) -> None:
        """Let the index hold the words that a memory has now."""
        space, text, everything = self._rows.one(INDEXED, id=id)
        self._rows.run(PUT, space=space, id=id, length=len(text.encode()), stems=indexed_stems(everything, space))

    def _best(
        self, terms: Sequence[Term], counts: Mapping[Term, int], size: int, filter: Filter, limit: int
    ) -> list[int]:
        if not terms:
            return []
        condition, values = where(filter)
        queries = [_query(term, filter.spaces) for term in terms]
        weights = [log(1 + (max(size - counts[term], 0) + 0.5) / (counts[term] + 0.5)) for term in terms]
        sql = BEST.format(where=condition)
        values |= {"queries": queries, "weights": weights, "within": list(filter.spaces), "limit": limit}
        return [id for (id,) in self._rows.all(sql, **values)]

    def _counts(self, terms: Sequence[Term], spaces: Sequence[str]) -> tuple[dict[Term, int], int]:
        """In how many memories of these spaces each term occurs at most, and how many memories there are."""
        marked = {term: [[_marked(stem, space) for space in spaces] for stem in term.stems] for term in terms}
        stems = {stem for own in marked.values() for each in own for stem in each}
        found: dict[str, int] = {}
        for stem, count in self._rows.all(COUNTS, within=list(spaces), stems=["", *stems]):
            found[stem] = found.get(stem, 0) + count
        own = {
            term: min((sum(found.get(stem, 0) for stem in each) for each in marks), default=0)
            for term, marks in marked.items()
        }
        return own, found.get("", 0)

    def _holding(self, term: Term, spaces: Sequence[str]) -> int:
        return int(self._rows.one(HOLDING, query=_query(term, spaces), within=list(spaces))[0])


def indexed_stems(text: str, space: str) -> str:
    """The stems of a text with their places, as PostgreSQL writes a tsvector."""
    places: dict[str, list[int]] = {}
    for place, stem in enumerate(stems_of(text), start=1):
        own = places.setdefault(_marked(stem, space), [])
        if place <= LAST_PLACE and len(own) < PLACES:
            own.append(place)
    return " ".join(_within_limit(places))


def _within_limit(places: Mapping[str, Sequence[int]]) -> Iterator[str]:
    room = STEMS_BYTES
    for stem, own in places.items():
        room -= len(stem.encode()) + 2 * len(own) + 8
        if room < 0:
            return
        yield _quoted(stem) + (":" + ",".join(map(str, own)) if own else "")


def _affordable(terms: Sequence[Term], counts: Mapping[Term, int], most: int) -> list[Term]:
    """The rarest terms that occur no more often than that together, and the rarest in any case."""
    chosen: list[Term] = []
    for term in sorted(terms, key=counts.__getitem__):
        most -= counts[term]
        if chosen and most < 0:
            break
        chosen.append(term)
    return chosen


def _query(term: Term, spaces: Sequence[str]) -> str:
    """A word, or words that stand next to each other, in any of these spaces."""
    return " | ".join(" <-> ".join(_quoted(_marked(stem, space)) for stem in term.stems) for space in spaces)


def _marked(stem: str, space: str) -> str:
    """A stem as it is indexed: behind a mark of its space."""
    mark = urlsafe_b64encode(hashlib.blake2b(space.encode(), digest_size=3).digest()).decode()
    return mark + stem.encode()[:STEM_BYTES].decode(errors="ignore")


def _quoted(stem: str) -> str:
    return "'" + stem.replace("\\", "\\\\").replace("'", "''") + "'"
