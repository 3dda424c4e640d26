"""Rules are compiled when they are first needed: most texts need few of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache

__all__ = ["VALUE_SIGN", "Found", "Signs", "compiled", "has_any", "shortest"]

Found = tuple[str, int, int]  # the kind of a secret, where it starts and where it ends
Signs = frozenset[str]  # parts of words of which a text must have one, or a rule finds nothing in it

WIDE = r"\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef"  # no blank parts these letters from a password
VALUE_SIGN = rf"[^\s\"'`<>;,&\\|{WIDE}]"  # one sign of a value that stands in no quotes


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def has_any(text: str, signs: Iterable[str]) -> bool:
    return any(map(text.__contains__, signs))


def shortest(words: Collection[str]) -> frozenset[str]:
    """Those that have no other one in them: a text has one of these if it has any of the words."""
    return frozenset(word for word in words if not any(one in word for one in words if one != word))
