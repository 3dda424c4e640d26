"""The index of words: FTS5 gives candidates for a bounded amount of work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from scrubjay.stores.contract import Frequencies
from scrubjay.stores.filters import Where, where
from scrubjay.text.tokenizer import Term, stems_of
from scrubjay.types import Filter

if TYPE_CHECKING:
    from scrubjay.stores.sqlite.rows import SqliteRows

__all__ = ["SqliteTextIndex", "WordFrequencies"]

# Ranking costs a quarter of a microsecond per occurrence, in FTS5, of any word asked for. Common words are left
# out when candidates are looked for, once the rarer ones have used this up; they still count when those are scored.
OCCURRENCES = 3_000
OVERFETCH = 3
STALE_SHARE = 0.05
SMALL_SHARE = 0.5

BEST = "select rowid from words where words match :match order by rank limit :limit"
# Words first: for each memory that passes, FTS5 would have to be asked anew.
BEST_OF_THE_FILTERED = """
    select m.id from words cross join memories m on m.id = words.rowid
    where words match :match and {where} order by words.rank limit :limit
"""
PASSING = "select m.id from each(:ids) i cross join memories m on m.id = i.value where {where}"
HOLDING = "select count(*) from (select 1 from words where words match :match limit :most)"
MOST_HOLDING = 5_000
# To count the memories that hold two words as neighbours, FTS5 reads those of the rarer word; if it has more than
# these, its own count stands for both.
WALKED = 1_000
FREQUENCY = "select doc from vocabulary where term = :stem"
SIZE = "select coalesce(max(id), 0) from memories"
BETWEEN = "select 1 from memories where space > :low and space < :high limit 1"
AFTER_ANY_NAME = "\U0010ffff"


class WordFrequencies:
    """How often words occur, remembered for all snapshots: counting a common one is slow."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.size = 0  # the highest id when they were counted

    def refresh(self, size: int) -> None:
        """Forget them once the store has grown by enough to change them."""
        if abs(size - self.size) > STALE_SHARE * self.size:
            self.known, self.size = {}, size


class SqliteTextIndex:
    """The FTS5 table `words`, which triggers keep in step with the memories."""

    def __init__(self, rows: SqliteRows, frequencies: WordFrequencies) -> None:
        self._rows = rows
        self._frequencies = frequencies

    def candidates(self, terms: Sequence[Term], filter: Filter, limit: int, least: int) -> list[int]:
        self._refresh()
        condition = where(filter)
        chosen = self._affordable(terms)
        ids = self._best(chosen, filter.spaces, condition, limit)
        if len(ids) < least and len(chosen) < len(terms):
            ids = self._best(terms, filter.spaces, condition, limit)
        return ids

    def frequencies(self, terms: Sequence[Term], spaces: Sequence[str]) -> Frequencies:
        self._refresh()
        count, size = self._counting(spaces)
        return Frequencies([count(term) for term in terms], size)

    def merge(self) -> None:
        """Write the index anew: FTS5 keeps words of deleted rows until it does."""
        self._rows.run("insert into words (words) values ('optimize')")

    def _best(self, terms: Sequence[Term], spaces: Sequence[str], condition: Where, limit: int) -> list[int]:
        match = _match(terms, spaces if self._are_small(spaces) else ())
        wide = limit * OVERFETCH
        best = [id for (id,) in self._rows.all(BEST, match=match, limit=wide)]
        kept = self._passing(best[:limit], condition)
        if len(kept) < limit:
            kept += self._passing(best[limit:], condition)
        if len(kept) < limit and len(best) == wide:
            sql = BEST_OF_THE_FILTERED.format(where=condition[0])
            return [id for (id,) in self._rows.all(sql, **condition[1], match=match, limit=limit)]
        return kept[:limit]

    def _passing(self, ids: Sequence[int], condition: Where) -> list[int]:
        sql = PASSING.format(where=condition[0])
        return [id for (id,) in self._rows.all(sql, **condition[1], ids=ids)]

    def _affordable(self, terms: Sequence[Term]) -> list[Term]:
        rarest = sorted(terms, key=self._frequency)
        spent = 0
        chosen: list[Term] = []
        for term in rarest:
            spent += self._frequency(term)
            if chosen and spent > OCCURRENCES:
                break
            chosen.append(term)
        return chosen

    def _are_small(self, spaces: Sequence[str]) -> bool:
        """Whether naming the spaces in the match narrows it; FTS5 would weigh a large one's every memory."""
        return self._size_of(spaces) < self._frequencies.size * SMALL_SHARE

    def _size_of(self, spaces: Sequence[str]) -> int:
        return sum(self._stem_frequency(stems_of(_hex(space))[0]) for space in spaces)

    def _counting(self, spaces: Sequence[str]) -> tuple[Callable[[Term], int], int]:
        """How to count the memories of some spaces that hold a word; and how many there are.

        A score follows from it, so nothing of another space may be counted: whoever reads the one must not learn which
        words stand in the other.
        """
        if self._are_all(spaces):
            return self._frequency, self._frequencies.size
        return lambda term: self._frequency_in(term, spaces), self._size_of(spaces)

    def _are_all(self, spaces: Sequence[str]) -> bool:
        """Whether no memory lies in another space: before the first of these names, between two, or after the last."""
        bounds = pairwise(["", *sorted(set(spaces)), AFTER_ANY_NAME])
        return not any(self._rows.one(BETWEEN, low=low, high=high) for low, high in bounds)

    def _frequency_in(self, term: Term, spaces: Sequence[str]) -> int:
        """The same in some spaces: a name may be rare in the file and in every memory of one of them.

        Of a word that very many of their memories hold, the share in the file stands for theirs.
        """
        in_file = self._frequency(term)
        held = self._holding(term, spaces) if in_file else 0
        if held < MOST_HOLDING:
            return held
        return max(held, in_file * self._size_of(spaces) // max(self._frequencies.size, 1))

    def _frequency(self, term: Term) -> int:
        """In how many memories a word or a pair occurs."""
        rarest = min((self._stem_frequency(stem) for stem in term.stems), default=0)
        return self._holding(term, ()) if len(term.stems) > 1 and 0 < rarest <= WALKED else rarest

    def _holding(self, term: Term, spaces: Sequence[str]) -> int:
        match = _match([term], spaces)
        known = self._frequencies.known
        if match not in known:
            known[match] = int(self._rows.one(HOLDING, match=match, most=MOST_HOLDING)[0])
        return known[match]

    def _stem_frequency(self, stem: str) -> int:
        known = self._frequencies.known
        if stem not in known:
            row = self._rows.one(FREQUENCY, stem=stem)
            known[stem] = int(row[0]) if row else 0
        return known[stem]

    def _refresh(self) -> None:
        self._frequencies.refresh(self._rows.one(SIZE)[0])


def _match(terms: Sequence[Term], spaces: Sequence[str]) -> str:
    """Every word quoted, so that user text is never FTS5 syntax."""
    words = f"- space : ({' OR '.join(_quoted(term.match) for term in terms)})"
    within = " OR ".join(_quoted(_hex(space)) for space in spaces)
    return f"space : ({within}) AND ({words})" if within else words


def _hex(space: str) -> str:
    """A space's name as one word of the index."""
    return space.encode().hex()


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
