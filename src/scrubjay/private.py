"""What stands between <private> and </private> is left out: within a text, and across the turns of a conversation."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["public_part", "without_private"]

# A bracket as it is typed, and as clients escape it: &lt; &#60; &#x3c; \u003c \x3c %3C
OPENS = r"(?:<|&(?:lt|\#0{0,3}60|\#x0{0,3}3c);|\\u003c|\\x3c|%3c)"
CLOSES = r"(?:\\?>|&(?:gt|\#0{0,3}62|\#x0{0,3}3e);|\\u003e|\\x3e|%3e)"
TAG = rf"""(?xi)
    {OPENS} \s{{0,20}}+ (?P<ends> \\?/ | %2f )?+ \s{{0,20}}+ private
    (?: (?=[\s/]) [^<>&\\%]{{0,200}}? (?P<empty> / )? )?
    {CLOSES}
"""


def without_private(text: str, lines: bool = False) -> str:
    """The text without its private parts; one that is not closed goes to the end. With `lines`, these keep their
    numbers."""
    return public_part(text, 0, lines)[0]


def public_part(text: str, depth: int, lines: bool = False) -> tuple[str, int]:
    """What may be kept of a text that begins inside so many private parts, and inside how many it ends."""
    kept, end = [], 0
    for tag in _tag().finditer(text):
        if tag["ends"] and not depth:
            continue
        passed = "" if depth else text[end : tag.start()]
        kept += [passed, "\n" * (lines * (text.count("\n", end, tag.end()) - passed.count("\n")))]
        depth += -1 if tag["ends"] else not tag["empty"]
        end = tag.end()
    return "".join([*kept, "\n" * (lines * text.count("\n", end)) if depth else text[end:]]), depth


@cache
def _tag() -> re.Pattern[str]:
    """Compiled when first needed: most processes never look."""
    return re.compile(TAG, re.ASCII)
