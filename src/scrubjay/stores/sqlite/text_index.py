"""Finding by word: FTS5 gives candidates for a bounded amount of work, and counts what each one holds."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import apsw

from scrubjay.stores.contract import WordCounts
from scrubjay.stores.filters import Where
from scrubjay.stores.reading import passing
from scrubjay.text.languages import silent
from scrubjay.text.words import bigrams, respelt, runs, together

__all__ = ["FullText", "Term"]

QUERY_CHARACTERS = 8_000
QUERY_TERMS = 64
QUERY_PAIRS = 16
COUNTED_CHARACTERS = 20_000
# Ranking costs a quarter of a microsecond per occurrence, in FTS5, of any word asked for. Common words are left
# out of the hunt for candidates once the rarer ones have used this up; they still count when those are scored.
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
HOLDING = "select count(*) from (select 1 from words where words match :match limit :most)"
MOST_HOLDING = 5_000
# To count the memories that hold two words as neighbours, the rarer one's are walked; beyond these it stands for both.
WALKED = 1_000
FREQUENCY = "select doc from vocabulary where term = ?"
SIZE = "select coalesce(max(id), 0) from memories"
TEXTS = """
    select x.id, title, text, context, tags, subject from json_each(?) i cross join indexed x on x.id = i.value
"""


class Term(NamedTuple):
    """A word to look for, as written and as indexed; or two that must be neighbours."""

    match: str
    stems: tuple[str, ...]


class FullText:
    def __init__(self) -> None:
        self._local = threading.local()
        self._frequencies: dict[str, int] = {}
        self._frequencies_at = 0

    def terms(self, text: str) -> list[Term]:
        """The words of a question, without those that say nothing, unless it has no others."""
        asked = text[:QUERY_CHARACTERS]
        found: dict[str, Term] = {}
        for run, unspaced in runs("\n".join([asked, *respelt(asked)])):
            for word in bigrams(run) if unspaced else self._tokens("unicode61", run):
                found.setdefault(word, self._term(word))
        quiet = silent(found)
        telling = [term for word, term in found.items() if word not in quiet]
        return [*(telling or list(found.values()))[:QUERY_TERMS], *self._pairs(asked)]

    def candidates(
        self, db: apsw.Connection, terms: Sequence[Term], spaces: Sequence[str], where: Where, limit: int, least: int
    ) -> list[int]:
        """The best memories that hold any of the words and pass the filter."""
        self._freshen(db)
        chosen = self._affordable(db, terms)
        ids = self._best(db, chosen, spaces, where, limit)
        if len(ids) < least and len(chosen) < len(terms):
            ids = self._best(db, terms, spaces, where, limit)
        return ids

    def counts(
        self, db: apsw.Connection, terms: Sequence[Term], ids: Iterable[int], spaces: Sequence[str]
    ) -> WordCounts:
        """How often each memory holds each word, and how many in these spaces do."""
        self._freshen(db)
        stems = [term.stems for term in terms]
        counted = {}
        for id, *fields in db.execute(TEXTS, (json.dumps(list(ids)),)):
            tokens = self._tokens("porter", "\n".join(filter(None, fields))[:COUNTED_CHARACTERS])
            counted[id] = (_occurrences(stems, tokens), len(tokens))
        frequency, size = self._counting(db, spaces)
        return WordCounts([frequency(term) for term in terms], size, counted)

    def speaks(self, db: apsw.Connection, common: Iterable[str], spaces: Sequence[str], share: float) -> bool:
        """Whether a share of the memories of these spaces holds one of the common words of a language."""
        self._freshen(db)
        frequency, size = self._counting(db, spaces)
        least = max(min(share * size, MOST_HOLDING), 1)
        return any(frequency(self._term(word)) >= least for word in common)

    def _pairs(self, text: str) -> list[Term]:
        """The neighbours in what belongs together: whoever holds them so holds more of the question."""
        spaced = [run for stretch in together(text) for run, unspaced in runs(stretch) if not unspaced]
        pairs = [" ".join(pair) for run in spaced for pair in pairwise(self._tokens("unicode61", run))]
        return [self._term(pair) for pair in list(dict.fromkeys(pairs))[:QUERY_PAIRS]]

    def _term(self, words: str) -> Term:
        return Term(words, tuple(self._tokens("porter", words)))

    def _best(
        self, db: apsw.Connection, terms: Sequence[Term], spaces: Sequence[str], where: Where, limit: int
    ) -> list[int]:
        match = _match(terms, spaces if self._are_small(db, spaces) else ())
        wide = limit * OVERFETCH
        best = [id for (id,) in db.execute(BEST, {"match": match, "limit": wide})]
        kept = passing(db, best[:limit], where)
        if len(kept) < limit:
            kept += passing(db, best[limit:], where)
        if len(kept) < limit and len(best) == wide:
            condition, values = where
            sql = BEST_OF_THE_FILTERED.format(where=condition)
            return [id for (id,) in db.execute(sql, {**values, "match": match, "limit": limit})]
        return kept[:limit]

    def _affordable(self, db: apsw.Connection, terms: Sequence[Term]) -> list[Term]:
        rarest = sorted(terms, key=lambda term: self._frequency(db, term))
        spent = 0
        chosen: list[Term] = []
        for term in rarest:
            spent += self._frequency(db, term)
            if chosen and spent > OCCURRENCES:
                break
            chosen.append(term)
        return chosen

    def _are_small(self, db: apsw.Connection, spaces: Sequence[str]) -> bool:
        """Whether naming the spaces in the match narrows it; FTS5 would weigh a large one's every memory."""
        return self._size_of(db, spaces) < self._frequencies_at * SMALL_SHARE

    def _size_of(self, db: apsw.Connection, spaces: Sequence[str]) -> int:
        names = (self._tokens("porter", _hex(space))[0] for space in spaces)
        return sum(self._stem_frequency(db, name) for name in names)

    def _counting(self, db: apsw.Connection, spaces: Sequence[str]) -> tuple[Callable[[Term], int], int]:
        """How to count the memories of some spaces that hold a word; and how many there are."""
        if self._are_small(db, spaces):
            return lambda term: self._frequency_in(db, term, spaces), self._size_of(db, spaces)
        return lambda term: self._frequency(db, term), self._frequencies_at

    def _frequency_in(self, db: apsw.Connection, term: Term, spaces: Sequence[str]) -> int:
        """The same in a few spaces of many: a name may be rare in the file and in every memory of one of them."""
        return self._holding(db, term, spaces) if self._frequency(db, term) else 0

    def _holding(self, db: apsw.Connection, term: Term, spaces: Sequence[str]) -> int:
        match = _match([term], spaces)
        if match not in self._frequencies:
            row = db.execute(HOLDING, {"match": match, "most": MOST_HOLDING}).fetchone()
            self._frequencies[match] = int(row[0]) if row else 0
        return self._frequencies[match]

    def _freshen(self, db: apsw.Connection) -> None:
        """Forget the frequencies once the store has grown by enough to change them."""
        (size,) = db.execute(SIZE).fetchone() or (0,)
        if abs(size - self._frequencies_at) > STALE_SHARE * self._frequencies_at:
            self._frequencies, self._frequencies_at = {}, size

    def _frequency(self, db: apsw.Connection, term: Term) -> int:
        """In how many memories a word or a pair occurs: remembered, since counting a common one is slow."""
        rarest = min((self._stem_frequency(db, stem) for stem in term.stems), default=0)
        return self._holding(db, term, ()) if len(term.stems) > 1 and 0 < rarest <= WALKED else rarest

    def _stem_frequency(self, db: apsw.Connection, stem: str) -> int:
        known = self._frequencies.get(stem)
        if known is None:
            row = db.execute(FREQUENCY, (stem,)).fetchone()
            known = self._frequencies[stem] = int(row[0]) if row else 0
        return known

    def _tokens(self, tokenizer: str, text: str) -> list[str]:
        """Cut text as the index does, by SQLite's own code."""
        if not hasattr(self._local, "tokenizers"):
            db = apsw.Connection(":memory:")
            self._local.tokenizers = {
                "unicode61": db.fts5_tokenizer("unicode61", ["remove_diacritics", "2"]),
                "porter": db.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"]),
            }
        cut = self._local.tokenizers[tokenizer]
        utf8 = text.encode("utf-8", "replace")
        tokens: list[str] = cut(utf8, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)
        return tokens


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


def _occurrences(wanted: Sequence[tuple[str, ...]], tokens: Sequence[str]) -> list[int]:
    words = Counter(tokens)
    pairs = Counter(pairwise(tokens) if any(len(stems) > 1 for stems in wanted) else ())
    return [pairs[stems[0], stems[1]] if len(stems) > 1 else words[stems[0]] if stems else 0 for stems in wanted]
