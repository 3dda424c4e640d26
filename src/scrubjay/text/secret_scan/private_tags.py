"""What stands between <private> and </private> is left out, however the brackets are written."""

from __future__ import annotations

from scrubjay.text.secret_scan.patterns import compiled

__all__ = ["public_part", "without_private"]

# As themselves, in HTML, in JSON (also within JSON), in a URL, and in the wide form of East Asian keyboards.
OPENING = r"(?:<|&lt;|&#0{0,4}60;|&#x0{0,4}3c;|\\{1,4}u003c|\\{1,4}x3c|%3c|＜|〈|‹)"
CLOSING = r"(?:\\?>|&gt;|&#0{0,4}62;|&#x0{0,4}3e;|\\{1,4}u003e|\\{1,4}x3e|%3e|＞|〉|›)"
BLANK = r"(?:\s|&nbsp;|%20|\\{1,4}[nrt])"
TAG = (
    rf"(?i){OPENING}{BLANK}{{0,20}}+(?P<ends>(?:\\{{0,4}}/|&#x?2f;|&#47;|%2f|／)?){BLANK}{{0,20}}+(?:private|ｐｒｉｖａｔｅ)"
    rf"(?:{BLANK}(?:(?!{OPENING}|{CLOSING})[\s\S]){{0,200}}+)?(?P<alone>/|%2f|／)?{BLANK}{{0,20}}+{CLOSING}"
)


def without_private(text: str, lines: bool = False) -> str:
    """The text without what is between <private> and </private>, or all from a <private> on that is not closed."""
    return public_part(text, 0, lines)[0]


def public_part(text: str, depth: int, lines: bool = False) -> tuple[str, int]:
    """What may be kept of a text that begins inside so many private parts, and inside how many it ends."""
    kept, end = [], 0
    for tag in compiled(TAG).finditer(text):
        if tag["ends"] and not depth:
            continue
        passed = "" if depth else text[end : tag.start()]
        kept += [passed, "\n" * (lines * (text.count("\n", end, tag.end()) - passed.count("\n")))]
        depth += -1 if tag["ends"] else not tag["alone"]
        end = tag.end()
    return "".join([*kept, "\n" * (lines * text.count("\n", end)) if depth else text[end:]]), depth
