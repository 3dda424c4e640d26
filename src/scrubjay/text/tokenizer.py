"""Splits text into words and stems, in the same way for every store, so that every store ranks the same.

It calls the tokenizer of SQLite's full-text index (FTS5) directly; this also works without a SQLite store.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple
from zlib import crc32

from scrubjay.text.languages import stop_words_for
from scrubjay.text.words import bigrams, compound_phrases, extra_spellings, runs

__all__ = ["Term", "stem_number", "stem_numbers", "stem_places", "stems_of", "term", "terms_of", "words_of"]

QUERY_CHARACTERS = 8_000
QUERY_TERMS = 64
QUERY_PAIRS = 16
WORDS = ("unicode61", ("remove_diacritics", "2"))
STEMS = ("porter", ("unicode61", "remove_diacritics", "2"))
DOCUMENT = 4  # FTS5_TOKENIZE_DOCUMENT

_local = threading.local()


class Term(NamedTuple):
    """A word to search for, as written and as its stem; or several words that must stand next to each other."""

    match: str
    stems: tuple[str, ...]


def terms_of(question: str) -> list[Term]:
    """The words of a question without stop words (with them if it has nothing else), and its pairs of neighbours."""
    asked = question[:QUERY_CHARACTERS]
    found: dict[str, Term] = {}
    for run, unspaced in runs("\n".join([asked, *extra_spellings(asked)])):
        for one in map(term, bigrams(run)) if unspaced else _terms_in(run):
            found.setdefault(one.match, one)
    stop_words = stop_words_for(found)
    content = [one for word, one in found.items() if word not in stop_words]
    return [*(content or list(found.values()))[:QUERY_TERMS], *_pairs(asked)]


def _terms_in(text: str) -> Iterator[Term]:
    """Each word by itself: both tokenizers cut a text into the same words."""
    return map(Term, words_of(text), zip(stems_of(text)))


def term(words: str) -> Term:
    return Term(words, tuple(stems_of(words)))


def words_of(text: str) -> list[str]:
    """The words in lower case, without accents."""
    return _tokens(WORDS, text)


def stems_of(text: str) -> list[str]:
    """The words in lower case, without accents and English endings."""
    return _tokens(STEMS, text)


def stem_numbers(stems: Iterable[str]) -> bytes:
    """Stems in their order, each as a number of four bytes, the lowest byte first."""
    numbers = list(map(stem_number, stems))
    return struct.pack(f"<{len(numbers)}I", *numbers)


def stem_number(stem: str) -> int:
    """Two stems in four billion have the same one."""
    return crc32(stem.encode())


def stem_places(text: str) -> list[tuple[int, int, str]]:
    """Each stem of a text, with the places of its first character and of the one after its last."""
    utf8 = text.encode("utf-8", "replace")
    found: list[tuple[int, int, str]] = _tokenizer(STEMS)(utf8, DOCUMENT, None, include_colocated=False)
    if text.isascii():
        return found
    characters = list(accumulate((byte & 0xC0 != 0x80 for byte in utf8), initial=0))  # before each byte
    return [(characters[start], characters[end], stem) for start, end, stem in found]


def _pairs(text: str) -> list[Term]:
    """Pairs of neighbouring words in quotes and compound names: a memory with both side by side matches better."""
    spaced = [run for phrase in compound_phrases(text) for run, unspaced in runs(phrase) if not unspaced]
    pairs = [" ".join(pair) for run in spaced for pair in pairwise(words_of(run))]
    return [term(pair) for pair in list(dict.fromkeys(pairs))[:QUERY_PAIRS]]


def _tokens(tokenizer: tuple[str, Sequence[str]], text: str) -> list[str]:
    utf8 = text.encode("utf-8", "replace")
    tokens: list[str] = _tokenizer(tokenizer)(utf8, DOCUMENT, None, include_offsets=False, include_colocated=False)
    return tokens


def _tokenizer(which: tuple[str, Sequence[str]]) -> Any:
    """A tokenizer of SQLite, made once in each thread."""
    known = getattr(_local, "tokenizers", None)
    if known is None:
        import apsw  # imported late: an MCP server that only lists its tools starts without it

        db = apsw.Connection(":memory:")
        known = _local.tokenizers = {each: db.fts5_tokenizer(each[0], list(each[1])) for each in (WORDS, STEMS)}
    return known[which]
