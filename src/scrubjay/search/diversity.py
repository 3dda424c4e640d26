"""Which results of a search only repeat a better one. Judged by words alone, and cautiously: in doubt, both stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scrubjay.search import constants
from scrubjay.types import Memory

__all__ = ["repeated"]

# Signs within a word, and before it, distinguish C from C++ and 5 from -5; these do not.
BETWEEN = str.maketrans(dict.fromkeys('"“”‘«»()[]{}*`…。，！；：、', " ") | {"’": "'"})
AFTER = ".,;:!'"
HARMLESS = ("word", "glue", "hint")  # neither a number nor a time, nor a denial, nor a sign of a change

Words = Sequence[str]


class Statement(NamedTuple):
    """The words of a memory, as they are compared."""

    id: int
    characters: int
    words: Words
    different: frozenset[str]


def repeated(memories: Iterable[Memory]) -> dict[int, int]:
    """Of memories, the best first: each that repeats a better one, with that better one."""
    shown: dict[tuple[object, ...], list[Statement]] = {}
    found: dict[int, int] = {}
    for memory in memories:
        own, better = _statement(memory), shown.setdefault(_context_of(memory), [])
        first = next((other.id for other in better if _alike(own, other)), None)
        if first is None:
            better.append(own)
        else:
            found[memory.id] = first
    return found


def _statement(memory: Memory) -> Statement:
    text = f"{memory.given_title or ''} {memory.text} {memory.context or ''}"
    short = text if len(text) <= constants.MAX_COMPARED_CHARACTERS else ""
    cut = [word.rstrip(AFTER) for word in short.casefold().translate(BETWEEN).split()]
    words = [word for word in cut if word and word != "the"]
    return Statement(memory.id, len(text), words, frozenset(words))


def _context_of(memory: Memory) -> tuple[object, ...]:
    """Where any of these differs, equal words are two statements."""
    return memory.space, memory.project, memory.subject, memory.speaker, memory.superseded_at is None


def _alike(one: Statement, other: Statement) -> bool:
    shorter, longer = (one, other) if len(one.words) <= len(other.words) else (other, one)
    if not shorter.words or not shorter.different <= longer.different:
        return False
    if len(longer.words) - len(shorter.words) > constants.MAX_EXTRA_WORDS_SHARE * len(longer.words):
        return False
    most = 2 * constants.MAX_EXTRA_WORDS_SHARE * max(one.characters, other.characters)
    if abs(one.characters - other.characters) > most:
        return False
    extra = _extra_words(shorter.words, longer.words)
    return extra is not None and all(map(_is_harmless, extra))


def _extra_words(shorter: Words, longer: Words) -> Words | None:
    """The words of the longer text between those of the shorter; None where these are not in it, in their order."""
    extra: list[str] = []
    place, most = 0, len(longer) - len(shorter)
    for word in longer:
        if place < len(shorter) and word == shorter[place]:
            place += 1
        elif len(extra) == most:
            return None
        else:
            extra.append(word)
    return extra


def _is_harmless(word: str) -> bool:
    from scrubjay.memory.contradictions import AVERSIONS, word_of  # few results repeat a better one

    known = word_of("", word, "")
    return word.isalpha() and known.kind in HARMLESS and known.stem not in AVERSIONS
