"""What changed between two texts, word by word, as people read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

__all__ = ["Part", "parts"]

PIECE = re.compile(r"\s+|\w+|[^\w\s]+")
MOST_WORDS = 2_000  # comparing takes the square of it
MOST_LINES = 2_000

What = Literal["same", "removed", "added"]


class Part(NamedTuple):
    """A part of both texts, or of one of them."""

    what: What
    text: str


def parts(before: str, after: str) -> list[Part] | None:
    """The parts in their order; long texts are compared by lines, and None is for what is too long to compare."""
    for pieces, most in ((PIECE.findall, MOST_WORDS), (_lines, MOST_LINES)):
        old, new = pieces(before), pieces(after)
        if len(old) <= most and len(new) <= most:
            return list(_parts(old, new))
    return None


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _parts(old: list[str], new: list[str]) -> Iterator[Part]:
    for tag, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Part("same", "".join(old[first:last]))
            continue
        if removed := "".join(old[first:last]):
            yield Part("removed", removed)
        if added := "".join(new[start:end]):
            yield Part("added", added)
