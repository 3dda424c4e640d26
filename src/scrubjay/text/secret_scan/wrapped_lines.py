"""A text with the tokens in one piece that a terminal, an e-mail or a shell command has broken over lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.patterns import compiled
from scrubjay.text.secret_scan.plain_form import PlainForm, form_of
from scrubjay.text.secret_scan.values import FILE_NAME, ODD_ENOUGH, digits_in, is_digest, odd_share

__all__ = ["joined_lines"]

SIGN = r"[\w+/.~%$:|*@!-]"
# A token's part at the end of a line, perhaps with a mark that it goes on, and where the next part begins.
BREAK = (
    rf"(?<!{SIGN})(?P<part>{SIGN}{{10,2000}}+)(?P<gap>(?P<mark>[\\=]?)[ \t]{{0,4}}\r?\n[ \t>|]{{0,40}})"
    rf"(?=(?P<next>{SIGN}{{2,2000}}+={{0,2}}(?![:=(\[])))"  # neither a name nor a call
)
HEXADECIMAL = r"(?i)(?<![a-z0-9])[a-z]{0,4}?[0-9a-f]++$"  # with a sign before it
HARDLY_ODD = 0.2  # share of odd pairs: the beginning of a key may be words
# A number alone, as a date, begins a line of a log.
HEX_WITH_LETTER = r"(?i)(?=[0-9]{0,200}[a-f])(?=[a-f]{0,200}[0-9])[0-9a-f]{2,2000}"
SAME_BEGINNING = 3  # characters: lines that begin alike are a list


def joined_lines(text: str) -> PlainForm | None:
    """None for a text in which no token is broken."""
    if "\n" not in text:
        return None
    gaps = [broken.span("gap") for broken in compiled(BREAK).finditer(text) if _is_one_token(broken)]
    return form_of(_stretches(text, gaps)) if gaps else None


def _stretches(text: str, gaps: list[tuple[int, int]]) -> Iterator[tuple[str, int, int]]:
    place = 0
    for start, end in gaps:
        yield text[place:start], place, start
        place = end
    yield text[place:], place, len(text)


def _is_one_token(broken: re.Match[str]) -> bool:
    """A mark says that it goes on, or both parts together are random and neither is complete or a word."""
    part, following = broken["part"], broken["next"]
    if broken["mark"]:
        return True
    if part[-1] in ".:" or part[:SAME_BEGINNING] == following[:SAME_BEGINNING]:
        return False
    if "://" in following or compiled(FILE_NAME).match(following):
        return False
    complete = [is_digest(one) for one in (part, following)]
    if all(complete) or (any(complete) and not compiled(HEXADECIMAL).fullmatch(following if complete[0] else part)):
        return False
    goes_on = odd_share(following) >= ODD_ENOUGH or compiled(HEX_WITH_LETTER).fullmatch(following)
    return bool(goes_on) and _may_be_random(part) and _is_random(part + following)


def _may_be_random(part: str) -> bool:
    return digits_in(part) > 0 or odd_share(part) >= HARDLY_ODD


def _is_random(part: str) -> bool:
    return odd_share(part) >= ODD_ENOUGH or bool(digits_in(part) and compiled(HEXADECIMAL).search(part))
