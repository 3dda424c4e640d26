"""Which results of a search only repeat a better one. Judged by words alone, and cautiously: in doubt, both stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from scrubjay.memory.contradictions import AVERSIONS, word_of
from scrubjay.search import constants
from scrubjay.types import Memory

__all__ = ["repeated"]

# Signs within a word, and before it, distinguish C from C++ and 5 from -5; these do not.
BETWEEN = str.maketrans(dict.fromkeys('"“”‘«»()[]{}*`…。，！；：、', " ") | {"’": "'"})
AFTER = ".,;:!'"
HARMLESS = ("word", "glue", "hint")  # neither a number nor a time, nor a denial, nor a sign of a change

Words = Sequence[str]


class Statement:
    """A memory as it is compared: by the words of its text, which are read where another one is about as long."""

    def __init__(self, memory: Memory) -> None:
        self.id = memory.id
        self.text = f"{memory.given_title or ''} {memory.text} {memory.context or ''}"

    @cached_property
    def words(self) -> Words:
        short = self.text if len(self.text) <= constants.MAX_COMPARED_CHARACTERS else ""
        cut = [word.rstrip(AFTER) for word in short.casefold().translate(BETWEEN).split()]
        return [word for word in cut if word and word != "the"]

    @cached_property
    def different(self) -> frozenset[str]:
        return frozenset(self.words)


def repeated(memories: Iterable[Memory]) -> dict[int, int]:
    """Of memories, the best first: each that repeats a better one, with that better one."""
    shown: dict[tuple[object, ...], list[Statement]] = {}
    found: dict[int, int] = {}
    for memory in memories:
        own, better = Statement(memory), shown.setdefault(_context_of(memory), [])
        first = next((other.id for other in better if _alike(own, other)), None)
        if first is None:
            better.append(own)
        else:
            found[memory.id] = first
    return found


def _context_of(memory: Memory) -> tuple[object, ...]:
    """Where any of these differs, equal words are two statements."""
    return memory.space, memory.project, memory.subject, memory.speaker, memory.superseded_at is None


def _alike(one: Statement, other: Statement) -> bool:
    most = 2 * constants.MAX_EXTRA_WORDS_SHARE * max(len(one.text), len(other.text))
    if abs(len(one.text) - len(other.text)) > most:
        return False
    shorter, longer = (one, other) if len(one.words) <= len(other.words) else (other, one)
    if not shorter.words or not shorter.different <= longer.different:
        return False
    if len(longer.words) - len(shorter.words) > constants.MAX_EXTRA_WORDS_SHARE * len(longer.words):
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
    known = word_of("", word, "")
    return word.isalpha() and known.kind in HARMLESS and known.stem not in AVERSIONS
