"""Which results of a search only repeat a better one. Told by words alone, and rather too seldom than too often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scrubjay.memory.contradictions import AVERSIONS, word_of
from scrubjay.types import Memory

__all__ = ["repeated"]

# Of the longer text's words, as many may the other lack, so long as it has all its own in the same order. Of the 18,000
# texts of ../shared/data this makes nine pairs, all of them restatements. Sets of words that overlap by 0.9, with or
# without a cosine of 0.97, make more, and of different statements: "involving Jessica in …", "involving Wyatt in …".
FEW = 0.1
MOST_CHARACTERS = 20_000  # what is longer is not compared
# Signs within a word, and before it, may tell C from C++ and 5 from -5; these do not.
BETWEEN = str.maketrans(dict.fromkeys('"“”‘«»()[]{}*`…。，！；：、', " ") | {"’": "'"})
AFTER = ".,;:!'"
HARMLESS = ("word", "glue", "hint")  # no number, no time, no denial, no sign of a change

Words = Sequence[str]


class Said(NamedTuple):
    """What a memory says."""

    id: int
    characters: int
    words: Words
    different: frozenset[str]


def repeated(memories: Iterable[Memory]) -> dict[int, int]:
    """Of memories, the best first: each that says again what a better one says, with that better one."""
    shown: dict[tuple[object, ...], list[Said]] = {}
    found: dict[int, int] = {}
    for memory in memories:
        own, better = _said(memory), shown.setdefault(_of_whom(memory), [])
        first = next((other.id for other in better if _alike(own, other)), None)
        if first is None:
            better.append(own)
        else:
            found[memory.id] = first
    return found


def _said(memory: Memory) -> Said:
    text = f"{memory.given_title or ''} {memory.text} {memory.context or ''}"
    short = text if len(text) <= MOST_CHARACTERS else ""
    cut = [word.rstrip(AFTER) for word in short.casefold().translate(BETWEEN).split()]
    words = [word for word in cut if word and word != "the"]
    return Said(memory.id, len(text), words, frozenset(words))


def _of_whom(memory: Memory) -> tuple[object, ...]:
    """Where any of these differs, equal words are two statements."""
    return memory.space, memory.project, memory.subject, memory.speaker, memory.superseded_at is None


def _alike(one: Said, other: Said) -> bool:
    shorter, longer = (one, other) if len(one.words) <= len(other.words) else (other, one)
    if not shorter.words or not shorter.different <= longer.different:
        return False
    if len(longer.words) - len(shorter.words) > FEW * len(longer.words):
        return False
    if abs(one.characters - other.characters) > 2 * FEW * max(one.characters, other.characters):
        return False
    more = _more(shorter.words, longer.words)
    return more is not None and all(map(_says_little, more))


def _more(shorter: Words, longer: Words) -> Words | None:
    """What the longer text has between the words of the shorter; None where those are not in it, in their order."""
    more: list[str] = []
    place, most = 0, len(longer) - len(shorter)
    for word in longer:
        if place < len(shorter) and word == shorter[place]:
            place += 1
        elif len(more) == most:
            return None
        else:
            more.append(word)
    return more


def _says_little(word: str) -> bool:
    known = word_of("", word, "")
    return word.isalpha() and known.kind in HARMLESS and known.stem not in AVERSIONS
