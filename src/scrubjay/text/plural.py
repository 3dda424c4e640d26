"""Numbers that agree with their nouns and verbs: 1 turn remains, 2 turns remain."""

from __future__ import annotations

__all__ = ["counted", "plural", "singular_or_plural"]

IRREGULAR = {"memory": "memories", "match": "matches"}


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 tool call", "1,200 memories"."""
    return f"{number:,} {singular_or_plural(number, noun, plural(noun))}"


def plural(noun: str) -> str:
    *before, last = noun.split()
    return " ".join([*before, IRREGULAR.get(last, f"{last}s")])


def singular_or_plural(number: int, one: str, many: str) -> str:
    """The word that agrees with a number: `one` ("is") with 1, `many` ("are") with any other."""
    return one if number == 1 else many
