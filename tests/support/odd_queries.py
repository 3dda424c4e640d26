"""Questions that nobody would ask, none of which may raise."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence
from pathlib import Path

import scrubjay

__all__ = ["assert_nothing_is_raised", "odd_queries"]


def odd_queries(count: int, most_characters: int) -> list[str]:
    """Quotes, operators, emoji, NUL, right-to-left, only punctuation, half characters, and very long ones."""
    dice = random.Random(7)
    pieces = [
        '"', "'", "(", ")", "*", "^", ":", "-", "+", "{", "}", "[", "]", "~", "\\", "%", "_", ";", "--", "/*", "\0",
        "AND", "OR", "NOT", "NEAR", "NEAR(a b, 2)", "text:", "space:", "rowid:", "title : x", "-a", "a*", "^a", '""',
        "😀", "👩‍👩‍👧", "שלום", "مرحبا", "\u202e", "\u200b", "é", "e\u0301", "中文", "カタカナ", "한국어", "\ud800",
        "apple", "node.js", "foo-bar", "snake_case", "C++", "x" * 300, "\n", "\t", "'; drop table memories; --",
    ]  # fmt: skip
    long = ["x" * most_characters, "apple " * (most_characters // 6), "中" * (most_characters // 3)]
    odd = ["", " ", *long, *pieces]
    while len(odd) < count:
        glue = dice.choice(["", " ", dice.choice(string.punctuation)])
        odd.append(glue.join(dice.choices(pieces, k=dice.randint(1, 6))))
    return odd


def assert_nothing_is_raised(path: Path, queries: Sequence[str]) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many(
            [{"text": text} for text in ("apple pie", "node.js and C++", "中文 和 한국어", "snake_case foo-bar 😀")]
        )
        for start in range(0, len(queries), 500):
            for results in jay.search_many(queries[start : start + 500], limit=3):
                assert len(results) <= 4
        assert jay.check(deep=True).problems == []
