"""What counts as a word: unspaced scripts, names of code, words that belong together, and words that say something."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise

from scrubjay.text.word_lists import STOP_WORDS

__all__ = ["WORD", "bigrams", "content_words", "parts", "respelt", "runs", "segment", "together"]

WORD = re.compile(r"\w+")
# Chinese, Japanese and Korean: no spaces to cut at, so every character is indexed as a word of its own.
UNSPACED = "々〆ぁ-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿가-힣ᄀ-ᇿㄱ-ㆎｦ-ﾟ\U00020000-\U0003134f"

# Every memory is searched for these: they begin with what is rare in a text, so that little of it is tried.
HUMP = r"[a-z][A-Z]|[A-Z0-9][A-Z][a-z]{2}"
CAMEL = rf"\b[A-Za-z0-9]{{0,40}}?(?:{HUMP})[A-Za-z0-9]{{0,40}}\b"
PART = r"(?!\b[a-z][A-Z])[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])"
THOUSANDS = r"\d(?<!\d\d)(?<![.,]\d)\d{0,2}(?:[,'_\u00a0\u202f]\d{3})+(?![\d,])"
SIGNED = {
    "++": (r"\b([A-Za-z]{1,20})\+\+", "{}plusplus"),
    "#": (r"\b([A-Za-z])#(?!\w)", "{}sharp"),
    ".": (r"\.(?<![\w.)\]]\.)([A-Za-z]\w{1,20})", "dot{}"),
}
# From a word's first letter on and without trying shorter ones: the time must grow with the length, not its square.
JOINED = r"(?<![^\W_])[^\W_]++(?:[-._/\\:@+&=~]++[^\W_]++)++"
QUOTED = r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|`([^`]+)`"


def content_words(text: str) -> set[str]:
    """The words of a text in small letters, without stop words."""
    return {word for word in WORD.findall(text.lower()) if word not in STOP_WORDS}


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


def parts(text: str) -> list[str]:
    """The words inside each CamelCase name, with spaces between; the small first letter of kMaxSize is none."""
    if not _compiled(HUMP).search(text):
        return []
    names = [_compiled(PART).findall(name) for name in _compiled(CAMEL).findall(text)]
    return list(dict.fromkeys(" ".join(name) for name in names if min(map(len, name)) > 1))


def respelt(text: str) -> list[str]:
    """What an index of letters and digits would lose: signs that make a name, and numbers cut at their thousands."""
    found = []
    for sign, (pattern, spelt) in SIGNED.items():
        if sign in text:
            found += [spelt.format(name) for name in _compiled(pattern).findall(text)]
    found += ["".join(filter(str.isdigit, number)) for number in _compiled(THOUSANDS).findall(text)]
    return list(dict.fromkeys(found))


def together(text: str) -> list[str]:
    """Stretches whose words belong together: between quotes, joined by signs, or in CamelCase."""
    quoted = [next(filter(None, groups)) for groups in _compiled(QUOTED).findall(text)]
    return [*quoted, *_compiled(JOINED).findall(text), *parts(text)]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed: these wide ranges take longer than all other imports of a quick command."""
    return re.compile(pattern)
