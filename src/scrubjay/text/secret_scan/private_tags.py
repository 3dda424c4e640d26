"""What stands between <private> and </private> is left out, however the brackets are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scrubjay.text.secret_scan.patterns import compiled, has_any

__all__ = ["has_tag", "public_message", "public_part", "public_parts", "public_value", "without_private"]

# As themselves, in HTML (also escaped again), in JSON (also within JSON), in a URL, and in the wide form of East Asian
# keyboards. Between the letters may stand what shows nothing, which editors and chats put in.
OPENING = r"(?:<|&(?:amp;){0,3}(?:lt|#0{0,4}60|#x0{0,4}3c);|\\{1,4}u003c|\\{1,4}x3c|%(?:25){0,2}3c|＜|﹤|〈|‹)"
CLOSING = r"(?:\\?>|&(?:amp;){0,3}(?:gt|#0{0,4}62|#x0{0,4}3e);|\\{1,4}u003e|\\{1,4}x3e|%(?:25){0,2}3e|＞|﹥|〉|›)"
STARTS = "<&\\%＜﹤〈‹"  # how an opening begins
HIDDEN = r"[\xad\u200b-\u200f\u2060-\u2064\ufe0f\ufeff]"
BLANK = rf"(?:[\s\x85\xa0\u2028\u2029\u202f\u3000]|{HIDDEN}|&(?:amp;){{0,3}}nbsp;|%20|\\{{1,4}}[nrt])"
NAME = f"{HIDDEN}{{0,3}}+".join(
    f"[{small}{wide}{wide_capital}]"
    for small, wide, wide_capital in zip("private", "ｐｒｉｖａｔｅ", "ＰＲＩＶＡＴＥ", strict=True)
)
TAG = (
    rf"(?i){OPENING}{BLANK}{{0,20}}+(?P<ends>(?:\\{{0,4}}/|&#x?2f;|&#47;|%2f|／)?){BLANK}{{0,20}}+{NAME}"
    rf"(?:{BLANK}(?:(?!{OPENING}|{CLOSING})[\s\S]){{0,200}}+)?(?P<alone>/|%2f|／)?{BLANK}{{0,20}}+{CLOSING}"
)


def has_tag(text: str) -> bool:
    """Whether a private part begins or ends in a text."""
    return compiled(TAG).search(text) is not None


def without_private(text: str, lines: bool = False) -> str:
    """The text without what is between <private> and </private>, or all from a <private> on that is not closed."""
    return public_part(text, 0, lines)[0]


def public_part(text: str, depth: int, lines: bool = False) -> tuple[str, int]:
    """What may be kept of a text that begins inside so many private parts, and inside how many it ends."""
    kept, end = [], 0
    for tag in compiled(TAG).finditer(text) if has_any(text, STARTS) else ():
        if tag["ends"] and not depth:
            continue
        passed = "" if depth else text[end : tag.start()]
        kept += [passed, "\n" * (lines * (text.count("\n", end, tag.end()) - passed.count("\n")))]
        depth += -1 if tag["ends"] else not tag["alone"]
        end = tag.end()
    return "".join([*kept, "\n" * (lines * text.count("\n", end)) if depth else text[end:]]), depth


def public_message(text: str, depth: int) -> str:
    """What may be looked up of a message that begins inside so many private parts.

    What it closes and does not open was open before it, even if nobody has told us.
    """
    closed = level = 0
    for tag in compiled(TAG).finditer(text) if has_any(text, STARTS) else ():
        level += -1 if tag["ends"] else not tag["alone"]
        closed = max(closed, -level)
    return public_part(text, max(depth, closed))[0]


def public_parts(texts: Iterable[str]) -> list[str]:
    """What may be kept of each text of a conversation: a private part that one of them opens, a later one may close."""
    kept, depth = [], 0
    for text in texts:
        public, depth = public_part(text, depth)
        kept.append(public)
    return kept


def public_value(value: Any) -> Any:
    """What may be kept of a value, however deeply it is nested.

    The items of a list follow one another: what one of them opens, a later one closes. The values of an object do not.
    """
    return _public_value(value, 0)[0]


def _public_value(value: Any, depth: int) -> tuple[Any, int]:
    """The same of a value that begins inside so many private parts, and inside how many it ends."""
    if isinstance(value, str):
        return public_part(value, depth)
    if isinstance(value, Mapping):
        return _public_object(value, depth)
    if not isinstance(value, list | tuple):
        return "" if depth else value, depth
    kept = []
    for item in value:
        public, depth = _public_value(item, depth)
        if public != "" or item == "":
            kept.append(public)
    return kept if isinstance(value, list) else tuple(kept), depth


def _public_object(given: Mapping[Any, Any], depth: int) -> tuple[dict[Any, Any], int]:
    kept, after = {}, depth
    for key, item in given.items():
        public_key, inside = _public_value(key, depth)
        public, inside = _public_value(item, inside)
        after += inside - depth
        if public_key != "" or key == "":
            kept[public_key] = public
    return kept, max(after, 0)
