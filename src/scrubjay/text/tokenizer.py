"""Text cut into words and their stems, the same for every store: so each ranks the same.

The cutting is that of SQLite's full-text index, by its own code, which is also at hand where nothing else of SQLite
is used.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import apsw

from scrubjay.text.languages import silent
from scrubjay.text.words import bigrams, respelt, runs, together

__all__ = ["Term", "stems_of", "term", "terms_of", "words_of"]

QUERY_CHARACTERS = 8_000
QUERY_TERMS = 64
QUERY_PAIRS = 16
WORDS = ("unicode61", ("remove_diacritics", "2"))
STEMS = ("porter", ("unicode61", "remove_diacritics", "2"))

_local = threading.local()


class Term(NamedTuple):
    """A word to look for, as written and as indexed; or two that must be neighbours."""

    match: str
    stems: tuple[str, ...]


def terms_of(question: str) -> list[Term]:
    """The words of a question, without those that say nothing, unless it has no others."""
    asked = question[:QUERY_CHARACTERS]
    found: dict[str, Term] = {}
    for run, unspaced in runs("\n".join([asked, *respelt(asked)])):
        for word in bigrams(run) if unspaced else words_of(run):
            found.setdefault(word, term(word))
    quiet = silent(found)
    telling = [one for word, one in found.items() if word not in quiet]
    return [*(telling or list(found.values()))[:QUERY_TERMS], *_pairs(asked)]


def term(words: str) -> Term:
    return Term(words, tuple(stems_of(words)))


def words_of(text: str) -> list[str]:
    """Words in small letters, without accents."""
    return _cut(WORDS, text)


def stems_of(text: str) -> list[str]:
    """The same, without the endings of English words."""
    return _cut(STEMS, text)


def _pairs(text: str) -> list[Term]:
    """Neighbours in what belongs together: a memory that has them side by side has more of the question."""
    spaced = [run for stretch in together(text) for run, unspaced in runs(stretch) if not unspaced]
    pairs = [" ".join(pair) for run in spaced for pair in pairwise(words_of(run))]
    return [term(pair) for pair in list(dict.fromkeys(pairs))[:QUERY_PAIRS]]


def _cut(tokenizer: tuple[str, Sequence[str]], text: str) -> list[str]:
    if not hasattr(_local, "tokenizers"):
        db = apsw.Connection(":memory:")
        _local.tokenizers = {which: db.fts5_tokenizer(which[0], list(which[1])) for which in (WORDS, STEMS)}
    cut = _local.tokenizers[tokenizer]
    utf8 = text.encode("utf-8", "replace")
    tokens: list[str] = cut(utf8, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)
    return tokens
