"""The index of words: FTS5 gives candidates for a bounded amount of work.

Where few memories hold the words asked for, FTS5 ranks them. Ranking costs it more than a microsecond for each
occurrence, though, and telling who holds a word a tenth of that. So where many hold them, it only tells who does; the
weights of the words are summed here, and the best of these sums are ordered with the lengths of their texts. In a large
space, the word cache tells the best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import accumulate, chain, islice, pairwise
from math import log
from typing import TYPE_CHECKING, Any

import apsw

from scrubjay.stores.columns import instant
from scrubjay.stores.contract import NEWEST, Frequencies
from scrubjay.stores.filters import Where, where
from scrubjay.stores.sqlite.caches.postings import LENGTH_SHARE, SATURATION
from scrubjay.stores.sqlite.caches.word_cache import WordCache
from scrubjay.stores.sqlite.caches.word_frequencies import KnownHolders, WordFrequencies
from scrubjay.stores.sqlite.match_syntax import filter_match, match_of, space_match, space_word
from scrubjay.text.tokenizer import Term, stem_number, stems_of
from scrubjay.types import Filter

if TYPE_CHECKING:
    from scrubjay.stores.sqlite.rows import SqliteRows

__all__ = ["SqliteTextIndex"]

RANKED = 300  # occurrences of all words together that FTS5 ranks
# Occurrences that are read. Common words are left out when candidates are looked for, once the rarer ones have used
# this up; they still count when those are scored. In a small store, what holds only common words is of little use.
READ, READ_IN_SMALL = 30_000, 3_000
SMALL = 20_000  # memories
CACHED_FROM = 20_000
TAKEN = (500, 16_000, None)  # memories that are taken from the word cache, until enough of them pass; None: all
# What may say the same as a text shares rare words with it: so many are looked up, each held by so many memories.
COMPARED, RARE = 8, 300
OVERFETCH = 3
POOLS = (8, 32)  # how many of the best sums are looked at, for each one wanted, until enough pass the filter
TIE = 1e-6  # far below any difference of weights
SMALL_SHARE = 0.5

# Not the column `rank`, to sort by which FTS5 prepares a statement each time. The space of a memory has no weight.
BM25 = "bm25(words, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0)"
BEST = f"select rowid from words where words match :match order by {BM25} limit :limit"
# Words first: for each memory that passes, FTS5 would have to be asked anew.
BEST_OF_THE_FILTERED = f"""
    select m.id from words cross join memories m on m.id = words.rowid
    where words match :match and {{where}} order by {BM25} limit :limit
"""
PASSING = "select m.id from each(:ids) i cross join memories m on m.id = i.value where {where}"
# Of what an index tells; a filter that few pass is applied before any row is read: so many, or such a share of all.
FEW_OF = """
    select group_concat(id, ' '), count(*)
    from (select id from memories where space = :space and {condition} limit :most)
"""
IN_TIME = "happened_at between :since and :until"
FEW, FEW_SHARE = 20_000, 1 / 20
NEWEST_OF_THE_FILTERED = """
    select m.id from words cross join memories m on m.id = words.rowid
    where words match :match and {where} order by words.rowid desc limit :limit
"""
# How many words each column of a memory has. FTS5 keeps this beside its index, in few pages: rows are spread over many.
SIZES = "select s.sz from each(:ids) i left join words_docsize s on s.id = i.value"
HOLDERS = "select group_concat(rowid, ' ') from words where words match :match"
FEW_HOLDERS = """
    select group_concat(rowid, ' '), count(*) from (select rowid from words where words match :match limit :most)
"""
NEWEST_IDS = "select rowid from words where words match :match order by rowid desc limit :most"
NEWEST_HOLDERS = f"select group_concat(rowid, ' ') from ({NEWEST_IDS})"
# FTS5 writes this record anew at each change of the index.
INDEX_STATE = "select block from words_data where id = 10"
HOLDING = "select count(*) from (select 1 from words where words match :match limit :most)"
MOST_HOLDING = 5_000
# To count the memories that hold two words as neighbours, FTS5 reads those of the rarer word; if it has more than
# these, its own count stands for both.
WALKED = 1_000
FREQUENCY = "select doc from vocabulary where term = :stem"
SIZE = "select coalesce(max(id), 0) from memories"
BETWEEN = "select 1 from memories where space > :low and space < :high limit 1"
AFTER_ANY_NAME = "\U0010ffff"


class SqliteTextIndex:
    """The FTS5 table `words`, which triggers keep in step with the memories."""

    def __init__(self, rows: SqliteRows, frequencies: WordFrequencies, cache: WordCache) -> None:
        self._rows = rows
        self._frequencies = frequencies
        self._cache = cache

    def candidates(
        self, terms: Sequence[Term], filter: Filter, limit: int, least: int, quickly: bool = False
    ) -> list[int]:
        self._refresh()
        if quickly:
            return self._alike(terms, filter, limit)
        if self._have_caches(filter.spaces):
            return self._by_cache(terms, filter, limit, least)
        condition = where(filter)
        within = filter_match(filter, by_space=self._are_small(filter.spaces))
        small = self._frequencies.size <= SMALL
        for most in (READ_IN_SMALL, READ) if small else (READ,):
            chosen = self._affordable(terms, most)
            if sum(map(self._frequency, chosen)) <= RANKED:
                ids = self._ranked(chosen, within, condition, limit)
            else:
                ids = self._weighted(chosen, within, filter, limit)
            if len(ids) >= least or len(chosen) == len(terms):
                return ids
        return [*dict.fromkeys((*ids, *self._newest(terms, within, condition, limit)))][:limit]

    def frequencies(self, terms: Sequence[Term], spaces: Sequence[str]) -> Frequencies:
        self._refresh()
        if self._have_caches(spaces):
            words = list(map(_numbers_of, terms))
            counted, sizes = zip(
                *(self._cache.frequencies(self._rows.db, space, words) for space in spaces), strict=True
            )
            return Frequencies(list(map(sum, zip(*counted, strict=True))), sum(sizes))
        count, size = self._counting(spaces)
        return Frequencies([count(term) for term in terms], size)

    def merge(self) -> None:
        """Write the index anew: FTS5 keeps words of deleted rows until it does."""
        self._rows.run("insert into words (words) values ('optimize')")

    def _alike(self, terms: Sequence[Term], filter: Filter, limit: int) -> list[int]:
        """Those that share the most of the rare words, which are each looked up once."""
        within = filter_match(filter, by_space=self._are_small(filter.spaces))
        matches = (match for term in terms if (match := match_of([term], within)) not in self._frequencies.common)
        held = sorted(map(self._few_holders, islice(matches, COMPARED)), key=len)
        shared = Counter(chain.from_iterable(held))  # of equals, those that share a rarer word come first
        best = sorted(shared, key=shared.__getitem__, reverse=True)[: limit * OVERFETCH]
        if not best and terms:  # of a text without rare words, those that hold all of its words
            every = match_of(terms[:COMPARED], within, " AND ")
            best = [id for (id,) in self._rows.all(NEWEST_IDS, match=every, most=limit * OVERFETCH)]
        return self._first_passing(best, where(filter), limit)

    def _ranked(self, terms: Sequence[Term], within: str, condition: Where, limit: int) -> list[int]:
        """The best by FTS5's own ranking."""
        match = match_of(terms, within)
        wide = limit * OVERFETCH
        best = [id for (id,) in self._rows.all(BEST, match=match, limit=wide)]
        kept = self._first_passing(best, condition, limit)
        if len(kept) < limit and len(best) == wide:
            sql = BEST_OF_THE_FILTERED.format(where=condition[0])
            return [id for (id,) in self._rows.all(sql, **condition[1], match=match, limit=limit)]
        return kept

    def _newest(self, terms: Sequence[Term], within: str, condition: Where, limit: int) -> list[int]:
        """The newest that hold any of the words."""
        sql = NEWEST_OF_THE_FILTERED.format(where=condition[0])
        return [id for (id,) in self._rows.all(sql, **condition[1], match=match_of(terms, within), limit=limit)]

    def _have_caches(self, spaces: Sequence[str]) -> bool:
        """Whether all of these spaces are so large that the word cache is asked, of what is written already."""
        is_written = self._rows.db.txn_state("main") != apsw.SQLITE_TXN_WRITE
        return is_written and all(self._size_of([space]) > CACHED_FROM for space in spaces)

    def _by_cache(self, terms: Sequence[Term], filter: Filter, limit: int, least: int) -> list[int]:
        """The best by the word cache that pass the filter; where they are too few, of all that hold any word."""
        import numpy as np

        words = list(map(_numbers_of, terms))
        among, kept = [*self._few(filter), *self._few_within(filter)], list[int]()
        for most in TAKEN:
            found = [self._cache.best(self._rows.db, space, words, among, most) for space in filter.spaces]
            ids, scores = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
            best = dict.fromkeys(ids[np.lexsort((-ids, -scores))].tolist())  # of equals, the newer first
            kept = self._first_passing(list(best), where(filter), limit)
            if len(kept) == limit or (most and len(ids) < most and least <= len(kept)):
                break
        return kept

    def _first_passing(self, ids: Sequence[int], condition: Where, limit: int) -> list[int]:
        """Of ids, the best first, the first that pass; the rows of the others are read only if they are needed."""
        kept = list[int]()
        for start, end in pairwise((0, limit, *(limit * pool for pool in POOLS), NEWEST)):
            kept += self._passing(ids[start:end], condition)
            if len(kept) >= limit:
                break
        return kept[:limit]

    def _passing(self, ids: Sequence[int], condition: Where) -> list[int]:
        sql = PASSING.format(where=condition[0])
        return [id for (id,) in self._rows.all(sql, **condition[1], ids=ids)] if ids else []

    def _affordable(self, terms: Sequence[Term], most: int) -> list[Term]:
        """The rarest words, which together occur so many times at most; always one."""
        rarest = sorted(terms, key=self._frequency)
        spent = accumulate(map(self._frequency, rarest))
        return [
            *rarest[:1],
            *(term for term, total in islice(zip(rarest, spent, strict=True), 1, None) if total <= most),
        ]

    def _weighted(self, terms: Sequence[Term], within: str, filter: Filter, limit: int) -> list[int]:
        """The best by the summed weights of the words that they hold, and by their length."""
        import numpy as np

        ids, sums = self._sums(terms, within)
        for few in self._few(filter):
            passing = np.isin(ids, few)
            ids, sums = ids[passing], sums[passing]
        condition, kept = where(filter), list[int]()
        sizes = [limit * pool for pool in POOLS if limit * pool < len(ids)]
        for size in (*sizes, len(ids)):
            best = np.argpartition(sums, len(ids) - size)[len(ids) - size :] if size < len(ids) else slice(None)
            kept = self._first_passing(self._by_length(ids[best], sums[best]), condition, limit)
            if len(kept) == limit:
                break
        return kept

    def _sums(self, terms: Sequence[Term], within: str) -> tuple[Any, Any]:
        """The ids of those that hold any of the words, and the summed weights of what each of them holds."""
        known, matches = self._known_holders(), [match_of([term], within) for term in terms]
        of_matches, sums = known.last_sums
        if of_matches != matches:
            sums = self._summed(terms, matches, known)
            known.last_sums = matches, sums
        return sums  # type: ignore[no-any-return]

    def _summed(self, terms: Sequence[Term], matches: Sequence[str], known: KnownHolders) -> tuple[Any, Any]:
        import numpy as np

        held = [
            known.get(match, partial(self._holders, term, match)) for term, match in zip(terms, matches, strict=True)
        ]
        weights = np.repeat([self._weight(term) for term in terms], [len(ids) for ids in held])
        every = np.concatenate(held)
        order = every.argsort(kind="stable")  # quick, as the ids of each word are in order
        every = every[order]
        firsts = np.flatnonzero(np.diff(every, prepend=-1))
        ids, sums = every[firsts], np.add.reduceat(weights[order], firsts) if len(firsts) else weights
        return ids, sums + ids * (TIE / max(self._frequencies.size, 1))  # of equals, the newer first

    def _known_holders(self) -> KnownHolders:
        if self._rows.db.txn_state("main") == apsw.SQLITE_TXN_WRITE:
            return KnownHolders(b"")  # the index may have changes that are not written yet
        return self._frequencies.holders(self._rows.one(INDEX_STATE)[0])

    def _few(self, filter: Filter) -> Iterator[Any]:
        """For each part of a filter that an index tells and few memories pass: their ids."""
        if len(filter.spaces) > 1:
            return
        since, until = (moment and instant(moment) for moment in (filter.since, filter.until))
        given = {"session": filter.session, "project": filter.project}
        given["kind"] = filter.kinds[0] if len(filter.kinds) == 1 else None
        parts = [(f"{name} = :value", {"value": value}) for name, value in given.items() if value is not None]
        if filter.only_superseded:
            parts.append(("superseded_at is not null", {}))
        if since or until:
            parts.append((IN_TIME, {"since": since or "", "until": until or AFTER_ANY_NAME}))
        for condition, values in parts:
            sql = FEW_OF.format(condition=condition)
            ids, count = self._rows.one(sql, **values, space=filter.spaces[0], most=self._most_few())
            if count < self._most_few():
                yield _numbers(ids)

    def _few_within(self, filter: Filter) -> Iterator[Any]:
        """The same for what the index of words tells: a subject, tags."""
        if within := filter_match(filter, by_space=False):
            ids, count = self._rows.one(FEW_HOLDERS, match=within, most=self._most_few())
            if count < self._most_few():
                yield _numbers(ids)

    def _most_few(self) -> int:
        return max(FEW, int(self._frequencies.size * FEW_SHARE))

    def _weight(self, term: Term) -> float:
        frequency = self._frequency(term)
        return log(1 + (max(self._frequencies.size - frequency, 0) + 0.5) / (frequency + 0.5))

    def _holders(self, term: Term, match: str) -> Any:
        """The ids of the memories that hold a word, in order; of a very common one, of the newest."""
        if self._frequency(term) <= READ:
            return _numbers(self._rows.one(HOLDERS, match=match)[0])
        return _numbers(self._rows.one(NEWEST_HOLDERS, match=match, most=READ)[0])[::-1]

    def _few_holders(self, match: str) -> list[int]:
        """The ids of the memories that hold a rare word; none of a common one."""
        ids, count = self._rows.one(FEW_HOLDERS, match=match, most=RARE + 1)
        if count > RARE:
            self._frequencies.common.add(match)
        return [] if count > RARE else list(map(int, (ids or "").split()))

    def _by_length(self, ids: Any, sums: Any) -> list[int]:
        """The best first, as BM25 would have it if each word occurred once."""
        import numpy as np

        lengths = np.array([_words_in(sizes) for (sizes,) in self._rows.all(SIZES, ids=ids.tolist())])
        relative = lengths / max(lengths.mean(), 1) if len(lengths) else lengths
        scores = sums / (1 + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * relative))
        best: list[int] = ids[np.argsort(-scores, kind="stable")].tolist()
        return best

    def _are_small(self, spaces: Sequence[str]) -> bool:
        """Whether naming the spaces in the match narrows it; FTS5 would weigh a large one's every memory."""
        return self._size_of(spaces) < self._frequencies.size * SMALL_SHARE

    def _size_of(self, spaces: Sequence[str]) -> int:
        return sum(self._stem_frequency(stems_of(space_word(space))[0]) for space in spaces)

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
        if len(term.stems) == 1:
            return self._stem_frequency(term.stems[0])
        rarest = min(map(self._stem_frequency, term.stems), default=0)
        return self._holding(term, ()) if 0 < rarest <= WALKED else rarest

    def _holding(self, term: Term, spaces: Sequence[str]) -> int:
        match = match_of([term], space_match(spaces))
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


def _numbers_of(term: Term) -> tuple[int, ...]:
    """A word, or several that are neighbours, as the word cache knows them."""
    return tuple(map(stem_number, term.stems)) or (0,)


def _numbers(text: str | None) -> Any:
    """Numbers with spaces between them, as an array."""
    import numpy as np

    return np.fromstring(text or "", dtype=np.int64, sep=" ")


@lru_cache(maxsize=10_000)  # many texts are as long as another one
def _words_in(sizes: bytes | None) -> int:
    """The words of a memory, in all columns: FTS5 writes one number for each, seven bits to a byte."""
    words = number = 0
    for byte in sizes or b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            words, number = words + number, 0
    return words
