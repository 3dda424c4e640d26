"""A text as a reader sees it: wide letters, escapes and signs that show nothing hide no secret from the rules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scrubjay.text.secret_scan.patterns import compiled, has_any

__all__ = ["PlainForm", "form_of", "plain_form"]

UNSEEN = "\xad\u200b\u200c\u200d\u2060\ufeff"
WIDE = r"[\uff0b\uff0d-\uff19\uff1d\uff20-\uff3a\uff3f\uff41-\uff5a]"
ENTITY = r"&(?:amp;){0,2}(?:quot|apos|lt|gt|amp|nbsp|equals|colon|#0{0,3}[0-9]{2,3}|#[xX]0{0,3}[2-7][0-9a-fA-F]);"
ESCAPE = r"\\{1,4}(?:u00|x)(?P<code>[2-7][0-9a-fA-F])"
HIDING = rf"{ENTITY}|{ESCAPE}|{WIDE}|[{UNSEEN}]"
SIGNS = ("&", "\\u00", "\\x", *UNSEEN)
TO_PLAIN = 0xFEE0  # from a wide letter to the plain one


class PlainForm(NamedTuple):
    """A text without what hides a secret in it, and where each stretch of it stands in the original."""

    text: str
    starts: list[int]  # of stretches of the plain text, each as it is in the original or one sign of it
    originals: list[tuple[int, int]]  # where they start and end there

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the plain text stands in the original."""
        return self._place(start)[0], self._place(end - 1)[1]

    def is_across(self, start: int, end: int) -> bool:
        """Whether a stretch of the plain text is not in one piece in the original."""
        return bisect_right(self.starts, start) != bisect_right(self.starts, end - 1)

    def _place(self, place: int) -> tuple[int, int]:
        """Where one sign of the plain text starts and ends in the original."""
        number = bisect_right(self.starts, place) - 1
        start, end = self.originals[number]
        following = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        if following - self.starts[number] == 1:  # an escape is longer than what it stands for
            return start, end
        at = start + place - self.starts[number]
        return at, at + 1


def plain_form(text: str) -> PlainForm | None:
    """None for a text that hides nothing."""
    if not has_any(text, SIGNS) and (text.isascii() or not compiled(WIDE).search(text)):
        return None
    if not compiled(HIDING).search(text):
        return None
    return form_of(_parts(text))


def form_of(stretches: Iterable[tuple[str, int, int]]) -> PlainForm:
    """Of stretches that follow one another, each with its place in the original; empty ones are left out."""
    parts, starts, originals, length = [], [], [], 0
    for part, start, end in stretches:
        if part:
            starts.append(length)
            originals.append((start, end))
            parts.append(part)
            length += len(part)
    return PlainForm("".join(parts), starts, originals)


def _parts(text: str) -> Iterator[tuple[str, int, int]]:
    """Each stretch in its plain form, with its place in the text."""
    end = 0
    for hiding in compiled(HIDING).finditer(text):
        yield text[end : hiding.start()], end, hiding.start()
        end = hiding.end()
        yield _shown(hiding[0], hiding["code"]), hiding.start(), end
    yield text[end:], end, len(text)


def _shown(hiding: str, code: str | None) -> str:
    if code:
        return chr(int(code, 16))
    if hiding[0] == "&":
        import html  # most texts need none of its names

        return html.unescape(html.unescape(html.unescape(hiding)))[:1]
    return "" if hiding in UNSEEN else chr(ord(hiding) - TO_PLAIN)
