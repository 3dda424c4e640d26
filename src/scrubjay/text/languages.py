"""The language of a question, recognised by its stop words, and the stop words to leave out of it."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from unicodedata import combining, normalize

from scrubjay.text.word_lists import OTHER_STOP_WORDS, STOP_WORDS

__all__ = ["has_english_stop_words", "is_foreign", "language_of", "stop_words_for", "stop_words_of", "without_accents"]

MIN_LETTERS = 3  # shorter words exist in many languages
MIN_STOP_WORDS = 2  # one "de" may be part of a name; a real Spanish question has more


def stop_words_for(words: Collection[str]) -> frozenset[str]:
    """The stop words of a question: English ones, and those of its own language."""
    language = language_of(words)
    return STOP_WORDS | stop_words_of(language) if language else STOP_WORDS


def has_english_stop_words(words: Collection[str]) -> bool:
    """Whether some words are stop words of English, and of no other language that is known here."""
    return not _english().isdisjoint(words)


def is_foreign(text: str) -> bool:
    """Whether a question is clearly in a language other than English."""
    other_script = re.search(r"[^\W\d_\u0000-\u024f]", text)
    return other_script is not None or language_of(re.findall(r"\w+", text.casefold())) is not None


def language_of(words: Collection[str]) -> str | None:
    """The language whose stop words the question contains more of than English ones; None if English or unclear."""
    asked = frozenset(words if "".join(words).isascii() else map(without_accents, words))
    language, stop_words = max(_languages().items(), key=lambda item: len(asked & item[1]))
    clearly = len(asked & stop_words) >= max(MIN_STOP_WORDS, len(asked & STOP_WORDS) + 1)
    return language if clearly else None


def stop_words_of(language: str) -> frozenset[str]:
    """The stop words of a language other than English, without accents."""
    return _languages()[language]


def without_accents(word: str) -> str:
    """A word in Latin script without its accents; any other word unchanged."""
    if word.isascii():
        return word
    plain = "".join(letter for letter in normalize("NFKD", word) if not combining(letter))
    return plain if plain.isascii() else word


@cache
def _english() -> frozenset[str]:
    """English stop words that are not stop words of the other languages, and too long to be likely ones elsewhere."""
    return frozenset(word for word in STOP_WORDS.difference(*_languages().values()) if len(word) >= MIN_LETTERS)


@cache
def _languages() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in OTHER_STOP_WORDS.items()}
