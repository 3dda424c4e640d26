"""Safe display of untrusted text: no hidden characters, and no line that could pass for our own output."""

from __future__ import annotations

import re

__all__ = ["escaped", "indented", "one_line", "visible", "without_password"]

# These patterns are compiled when they are first used: a short command needs few of them.
PASSWORD = r"(?i)password\s*=\s*(?P<value>'(?:[^'\\]|\\.)*'|(?:\\.|[^\s&])+)|//[^/@\s:]*:"
BEFORE_OPTIONS = r"[^\s?]*"
UP_TO_AT = r"[^/@\s]*+(?=@)"

MARK = "�"
LINE_BREAKS = "\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
# Invisible characters that only change how their neighbours look: joiners, zero-width spaces, direction marks,
# variation selectors, fillers. Ordinary text in many scripts has them, so they are removed without a replacement mark.
WITHOUT_WIDTH = (
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00016fe4\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
NO_CHARACTERS = "".join(chr(plane << 16 | end) for plane in range(1, 17) for end in (0xFFFE, 0xFFFF))
# Characters that move a terminal's cursor, reverse a line, carry invisible text, or are not valid characters.
DANGEROUS = (
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    f"\U00013430-\U0001343f\U000e0000-\U000e0fff{NO_CHARACTERS}]+"
)
HIDDEN = f"{LINE_BREAKS}|{WITHOUT_WIDTH}|{DANGEROUS.removesuffix('+')}"


def visible(text: str) -> str:
    """The text with line feeds, tabs and visible characters only."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(DANGEROUS, MARK, re.sub(WITHOUT_WIDTH, "", re.sub(LINE_BREAKS, "\n", text)))


def one_line(text: object) -> str:
    """Any value as a single line."""
    return " ".join(visible(str(text)).split())


def indented(text: str, by: str = "  ") -> str:
    """The text with every line indented, so that none can pass for a line of our own output."""
    return "\n".join(f"{by}{line}" if line else by.rstrip() for line in visible(text).split("\n"))


def escaped(json: str) -> str:
    """JSON with hidden characters written as \\u escapes; it parses to the same value."""
    if json.isascii() and json.isprintable():
        return json
    return re.sub(HIDDEN, lambda found: "".join(map(_escape, found[0])), json)


def _escape(character: str) -> str:
    utf16 = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{utf16[start : start + 4]}" for start in range(0, len(utf16), 4))


def without_password(text: str) -> str:
    """The address of a database, or a text with addresses in it, with *** in place of passwords.

    A password with / or @ in it is no valid address, but must not be shown either: it ends at the last @ before
    options.
    """
    shown: list[str] = []
    last = place = searched = 0  # up to `searched`, the last @ is known: each part of the text is searched once
    while found := re.compile(PASSWORD).search(text, place):
        begin, end = found.span("value") if found["value"] else (found.end(), -1)
        if end < 0 and begin >= searched:
            searched = _end_of(BEFORE_OPTIONS, text, begin)
            end = text.rfind("@", begin, searched)
        if end < 0:
            end = _end_of(UP_TO_AT, text, begin)
        if end < 0:  # no password, but one may begin after the //
            place = found.start() + 2
            continue
        shown += [text[last:begin], "***"]
        last = place = end
    return "".join([*shown, text[last:]])


def _end_of(pattern: str, text: str, begin: int) -> int:
    found = re.compile(pattern).match(text, begin)
    return found.end() if found else -1
