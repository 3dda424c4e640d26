"""Numbers that agree with their nouns and verbs: 1 turn remains, 2 turns remain."""

from __future__ import annotations

__all__ = ["counted", "singular_or_plural"]

IRREGULAR = {"memory": "memories", "match": "matches"}


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 tool call", "1,200 memories"."""
    *before, last = noun.split()
    plural = " ".join([*before, IRREGULAR.get(last, f"{last}s")])
    return f"{number:,} {singular_or_plural(number, noun, plural)}"


def singular_or_plural(number: int, one: str, many: str) -> str:
    """The word that agrees with a number: `one` ("is") with 1, `many` ("are") with any other."""
    return one if number == 1 else many
