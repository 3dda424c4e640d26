"""Names that a text gives to the same thing: "Elasticsearch (ES)", "k8s (Kubernetes)", "TS is short for TypeScript"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from scrubjay.text.words import WORD

__all__ = ["SHORT_CHARACTERS", "definitions"]

SHORT_CHARACTERS = 10
LONG_CHARACTERS = 80
MOST_DEFINITIONS = 20  # of one text
# Each begins with something rare and reads a bounded number of characters.
IN_PARENTHESES = re.compile(r"\(([^()\n]{2,80})\)")
IS_SHORT_FOR = re.compile(r" (?:is short for|stands for|is an abbreviation of|is an abbreviation for) ")
ALSO = re.compile(r"^(?:aka|a\.k\.a\.|also known as|also called|also written|or|short|formerly)[ :]+", re.IGNORECASE)
SMALL_WORDS = frozenset("a an and at by de for in of on or the to with".split())
NUMERONYM = re.compile(r"([a-z])(\d{1,2})([a-z])")
SHORT_FORM = re.compile(r"[^\W_](?:[\w.&/+-]{0,8}[\w+])?")
CLAUSE_SIGNS = ".,;:!?()\n"
CLAUSE_END = re.compile(rf"[{CLAUSE_SIGNS}]\s*")


def definitions(text: str) -> list[tuple[str, str]]:
    """Pairs of a short name and what it stands for, as the text defines them, in its own spelling."""
    if "(" not in text and " for " not in text and " of " not in text:
        return []
    found = dict.fromkeys((*_in_parentheses(text), *_in_words(text)))
    return list(found)[:MOST_DEFINITIONS]


def _in_parentheses(text: str) -> Iterator[tuple[str, str]]:
    for match in IN_PARENTHESES.finditer(text):
        before = text[max(match.start() - LONG_CHARACTERS, 0) : match.start()].rstrip()
        if before[-1:] not in CLAUSE_SIGNS:  # there are words of the same clause before it
            inside = ALSO.sub("", match[1]).strip(" \"'`“”")
            yield from _pair(_last_words(before), inside)


def _in_words(text: str) -> Iterator[tuple[str, str]]:
    for match in IS_SHORT_FOR.finditer(text):
        before = _last_words(text[max(match.start() - LONG_CHARACTERS, 0) : match.start()])
        after = CLAUSE_END.split(text[match.end() : match.end() + LONG_CHARACTERS])[0].split()
        if before and _is_short(before[-1]) and (long := _beginning(before[-1], after)):
            yield before[-1], long


def _pair(before: Sequence[str], inside: str) -> Iterator[tuple[str, str]]:
    """`Long Form (LF)`, or `LF (Long Form)`."""
    if _is_short(inside) and (long := _end(inside, before)):
        yield inside, long
    elif before and _is_short(before[-1]) and _stands_for(before[-1], inside):
        yield before[-1], inside


def _end(short: str, words: Sequence[str]) -> str | None:
    """The fewest last words that the short form can be made of."""
    most = min(len(short) + 5, len(short) * 2, len(words))
    ends = (" ".join(words[-number:]) for number in range(1, most + 1))
    return next((long for long in ends if _stands_for(short, long)), None)


def _beginning(short: str, words: Sequence[str]) -> str | None:
    most = min(len(short) + 5, len(words))
    starts = (" ".join(words[:number]) for number in range(1, most + 1))
    return next((long for long in starts if _stands_for(short, long)), None)


def _is_short(name: str) -> bool:
    """Whether a word looks like an abbreviation: it has a capital letter or a digit, and not only digits."""
    if not 2 <= len(name) <= SHORT_CHARACTERS or not SHORT_FORM.fullmatch(name):
        return False
    is_marked = name[1:] != name[1:].lower() or any(map(str.isdigit, name))
    return is_marked and any(map(str.isalpha, name))


def _stands_for(short: str, long: str) -> bool:
    """Whether the long form has the letters of the short one, in order, and the short one its initials."""
    if len(long) <= len(short) or len(long) > LONG_CHARACTERS or not WORD.search(long):
        return False
    one, other = short.casefold(), long.casefold()
    if numeronym := NUMERONYM.fullmatch(one):
        first, left_out, last = numeronym.groups()
        return other[0] == first and other[-1] == last and len(other) == int(left_out) + 2
    letters = [letter for letter in one if letter.isalnum()]
    return other[0] == letters[0] and _in_order(letters, other) and _in_order(_initials(other), one)


def _in_order(letters: Iterable[str], text: str) -> bool:
    """Whether a text has these letters, one after the other."""
    place = 0
    for letter in letters:
        place = text.find(letter, place) + 1
        if not place:
            return False
    return True


def _initials(text: str) -> list[str]:
    """The first letters of the words; small ones such as "of" may be left out of an abbreviation."""
    return [word[0] for word in WORD.findall(text) if word not in SMALL_WORDS]


def _last_words(text: str) -> list[str]:
    """The words of the last clause, as they are written."""
    return CLAUSE_END.split(text.rstrip())[-1].split()
