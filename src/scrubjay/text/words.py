"""What counts as a word: scripts without spaces, names in code, words that form a unit, and content words."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise

from scrubjay.text.word_lists import STOP_WORDS

__all__ = [
    "WORD",
    "bigrams",
    "compound_phrases",
    "content_words",
    "extra_spellings",
    "parts",
    "plain_words",
    "runs",
    "segment",
]

WORD = re.compile(r"\w+")
# In Markdown at the beginning of a line, or all of it: bullets, quotes, headings, rules, edges of tables.
LAYOUT = re.compile(r"^[^\S\n]*(?:(?:>|[-*+]|#{1,6})(?=\s|$)[^\S\n]*)+|^[-=+~|: \t]+$", re.MULTILINE)
# Signs without which a text says something else, though they are punctuation: C#, -5, 5%, !ready, !=, a * b, a && b.
TELLING_SIGNS = r"(?<=[^\W_])#(?!\w)|(?<![\w-])-(?=\d)|%|(?<!\w)!(?=\w)|!(?==)|(?<=\s)[*/](?=\s)|&&|\|\|"
WORDS_AND_SIGNS = re.compile(rf"([^\W_]+|{TELLING_SIGNS})|([^\w\s])")
NO_PUNCTUATION = ("M", "Sc", "Sm", "So")  # Unicode's names of marks of letters, currencies, mathematics, pictures
NOT_TELLING = "|~\ufe0e\ufe0f"  # edges of tables, what is crossed out, and whether a picture has colours
# Chinese, Japanese and Korean have no spaces to split at, so every character is indexed as a word of its own.
UNSPACED = "々〆ぁ-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿가-힣ᄀ-ᇿㄱ-ㆎｦ-ﾟ\U00020000-\U0003134f"

# These patterns run over every memory. Each starts with something rare, so that few positions are tried.
HUMP = r"[a-z][A-Z]|[A-Z0-9][A-Z][a-z]{2}"
ANY_HUMP = r"[A-Z](?:(?<=[a-z].)|(?<=[A-Z0-9].)(?=[a-z]{2}))"
CAMEL = rf"\b[A-Za-z0-9]{{0,40}}?(?:{HUMP})[A-Za-z0-9]{{0,40}}\b"
PART = r"(?!\b[a-z][A-Z])[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])"
THOUSANDS = r"\d(?<!\d\d)(?<![.,]\d)\d{0,2}(?:[,'_\u00a0\u202f]\d{3})+(?![\d,])"
SIGNED = {
    "++": (r"\b([A-Za-z]{1,20})\+\+", "{}plusplus"),
    "#": (r"\b([A-Za-z])#(?!\w)", "{}sharp"),
    ".": (r"\.(?<![\w.)\]]\.)([A-Za-z]\w{1,20})", "dot{}"),
}
# Starts only at a word's first letter and never backtracks (++): the time must stay linear in the length.
JOINED = r"(?<![^\W_])[^\W_]++(?:[-._/\\:@+&=~]++[^\W_]++)++"
QUOTED = r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|`([^`]+)`"


def content_words(text: str) -> set[str]:
    """The words of a text in lower case, without stop words."""
    return {word for word in WORD.findall(text.lower()) if word not in STOP_WORDS}


def plain_words(text: str) -> str:
    """The words of a text, and its signs that are no punctuation (C++, -5, a < b), in small letters and one line."""
    composed = LAYOUT.sub("", unicodedata.normalize("NFC", text).casefold())
    found = WORDS_AND_SIGNS.findall(composed)
    return " ".join(kept or sign for kept, sign in found if kept or _is_telling(sign))


def _is_telling(sign: str) -> bool:
    return sign not in NOT_TELLING and unicodedata.category(sign).startswith(NO_PUNCTUATION)


def segment(text: str) -> str | None:
    """The text with a space around each character of a script without spaces; None if it has no such character."""
    if text.isascii():
        return None
    composed = unicodedata.normalize("NFC", text)
    spaced = _compiled(f"([{UNSPACED}])").sub(r" \1 ", composed)
    return spaced if spaced != composed else None


def runs(text: str) -> list[tuple[str, bool]]:
    """The text split into runs of one sort; True marks a run in a script without spaces."""
    if text.isascii():
        return [(text, False)]
    composed = unicodedata.normalize("NFC", text)
    found = _compiled(f"([{UNSPACED}]+)|[^{UNSPACED}]+").finditer(composed)
    return [(run[0], run[1] is not None) for run in found]


def bigrams(run: str) -> list[str]:
    """The search terms of a run without spaces: each pair of neighbouring characters, or its only character."""
    if len(run) == 1:
        return [run]
    return [f"{left} {right}" for left, right in pairwise(run)]


def parts(text: str) -> list[str]:
    """The words inside each CamelCase name, joined by spaces; the prefix k of kMaxSize is not a word."""
    if not _compiled(ANY_HUMP).search(text):
        return []
    names = [_compiled(PART).findall(name) for name in _compiled(CAMEL).findall(text)]
    return list(dict.fromkeys(" ".join(name) for name in names if min(map(len, name)) > 1))


def extra_spellings(text: str) -> list[str]:
    """Spellings that the tokenizer would lose: C++ as "Cplusplus", .env as "dotenv", 1,000 as "1000"."""
    found = []
    for sign, (pattern, spelling) in SIGNED.items():
        if sign in text:
            found += [spelling.format(name) for name in _compiled(pattern).findall(text)]
    found += ["".join(filter(str.isdigit, number)) for number in _compiled(THOUSANDS).findall(text)]
    return list(dict.fromkeys(found))


def compound_phrases(text: str) -> list[str]:
    """Parts of the text whose words form a unit: quoted, joined by signs (a-b, a/b), or in CamelCase."""
    quoted = [next(filter(None, groups)) for groups in _compiled(QUOTED).findall(text)]
    return [*quoted, *_compiled(JOINED).findall(text), *parts(text)]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled on first use: these wide character ranges compile slowly, and a short command may need none."""
    return re.compile(pattern)
