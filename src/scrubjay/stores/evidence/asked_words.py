"""The words of a question, each with the other names that memories have for it: a memory that holds one holds it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from scrubjay.stores.connections.names import meanings
from scrubjay.stores.contract import Rows
from scrubjay.text.tokenizer import Term, term, terms_of, words_of
from scrubjay.types import Filter

__all__ = ["AskedWords", "asked_words"]

LONGEST_NAME = 4  # words
NAMED_WORDS = 64  # of a question, in which names are looked for


class AskedWords(NamedTuple):
    """The question's own words, other names for them, and for each of these the places of the words it stands for."""

    own: Sequence[Term]
    others: Sequence[Term] = ()
    stands_for: Sequence[Sequence[int]] = ()

    @property
    def every(self) -> Sequence[Term]:
        return [*self.own, *self.others]

    def joined(self, numbers: Sequence[Any]) -> list[Any]:
        """A number, or an array of numbers, for each of all words, as one for each of the question's own."""
        if not self.others:
            return list(numbers)
        own = list(numbers[: len(self.own)])
        for number, places in zip(numbers[len(self.own) :], self.stands_for, strict=True):
            for place in places:
                own[place] = own[place] + number
        return own


def asked_words(rows: Rows, question: str, filter: Filter) -> AskedWords:
    own = terms_of(question)
    stems = {stem for one in own for stem in one.stems}
    found = meanings(rows, list(dict.fromkeys(_phrases(question))), filter) if own else {}
    others: dict[Term, list[int]] = {}
    for name, other_names in found.items():
        named = set(name.split())
        places = [place for place, one in enumerate(own) if named.issuperset(one.match.split())]
        for other in map(term, other_names):
            if places and other.stems and not stems.issuperset(other.stems):
                others.setdefault(other, []).extend(places)
    return AskedWords(own, list(others), list(others.values()))


def _phrases(question: str) -> Iterator[str]:
    """What in a question may be a name: each word, and up to four that follow one another."""
    words = words_of(question)[:NAMED_WORDS]
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST_NAME, len(words)) + 1):
            yield " ".join(words[start:end])
