"""Numbers that agree with their nouns and verbs: 1 turn remains, 2 turns remain."""

from __future__ import annotations

__all__ = ["agreeing", "counted"]

IRREGULAR = {"memory": "memories", "match": "matches"}


def counted(number: int, noun: str) -> str:
    """A number and what there are so many of: "1 tool call", "1,200 memories"."""
    *before, last = noun.split()
    plural = " ".join([*before, IRREGULAR.get(last, f"{last}s")])
    return f"{number:,} {agreeing(number, noun, plural)}"


def agreeing(number: int, one: str, many: str) -> str:
    """The word that goes with a number: "is" with 1, "are" with any other."""
    return one if number == 1 else many
