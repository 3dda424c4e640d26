"""What counts as a word: stop words, scripts that write without spaces, names of code, and words that belong together."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise

__all__ = ["STOP_WORDS", "bigrams", "runs", "segment", "spellings", "together"]

# Chinese, Japanese and Korean: no spaces to cut at, so every character is indexed as a word of its own.
UNSPACED = "々〆ぁ-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿가-힣ᄀ-ᇿㄱ-ㆎｦ-ﾟ\U00020000-\U0003134f"

CAMEL = r"\b[A-Za-z0-9]{0,40}?(?:[a-z][A-Z]|[A-Z0-9][A-Z][a-z]{2})[A-Za-z0-9]{0,40}\b"
HUMP = r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])"
THOUSANDS = r"(?<![\d.,])\d{1,3}(?:[,'_\u00a0\u202f]\d{3})+(?![\d,])"
SIGNED = r"(?P<plus>\b[A-Za-z]{1,20})\+\+|(?P<sharp>\b[A-Za-z])#(?!\w)|(?<![\w.)\]])\.(?P<dot>[A-Za-z]\w{1,20})"
SPELT = {"plus": "{}plusplus", "sharp": "{}sharp", "dot": "dot{}"}
JOINED = r"[^\W_]+(?:[-._/\\:@+&=~]+[^\W_]+)+"
QUOTED = r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|»([^«]+)«|`([^`]+)`"

STOP_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both but
    by can could did do does doing don down during each few for from further had has have having he her here hers
    him his how i if in into is it its itself just me more most my myself no nor not now of off on once only or
    other our ours out over own s same she should so some such t than that the their theirs them then there these
    they this those through to too under until up very was we were what when where which while who whom why will
    with would you your yours
    """.split()
)


def segment(text: str) -> str | None:
    """The text with a space around every unspaced character, or None where there is none of them."""
    if text.isascii():
        return None
    composed = unicodedata.normalize("NFC", text)
    spaced = _compiled(f"([{UNSPACED}])").sub(r" \1 ", composed)
    return spaced if spaced != composed else None


def runs(text: str) -> list[tuple[str, bool]]:
    """The text cut into stretches, each with whether its script is unspaced."""
    if text.isascii():
        return [(text, False)]
    composed = unicodedata.normalize("NFC", text)
    found = _compiled(f"([{UNSPACED}]+)|[^{UNSPACED}]+").finditer(composed)
    return [(run[0], run[1] is not None) for run in found]


def bigrams(run: str) -> list[str]:
    """What to look for in a run without spaces: each pair of neighbours, or its only character."""
    if len(run) == 1:
        return [run]
    return [f"{left} {right}" for left, right in pairwise(run)]


def spellings(text: str) -> list[str]:
    """Other ways to write what the text says: the parts of CamelCase, signs as words, numbers without separators."""
    found = [" ".join(_compiled(HUMP).findall(name)) for name in _compiled(CAMEL).findall(text)]
    for signed in _compiled(SIGNED).finditer(text):
        found += [SPELT[sign].format(name) for sign, name in signed.groupdict().items() if name]
    found += ["".join(filter(str.isdigit, number)) for number in _compiled(THOUSANDS).findall(text)]
    return list(dict.fromkeys(found))


def together(text: str) -> list[str]:
    """Stretches whose words belong together: between quotes, joined by signs, or in CamelCase."""
    quoted = [next(filter(None, groups)) for groups in _compiled(QUOTED).findall(text)]
    return [*quoted, *_compiled(JOINED).findall(text), *spellings(text)]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed: these wide ranges take longer than all other imports of a quick command."""
    return re.compile(pattern)
