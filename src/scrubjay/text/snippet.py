"""A short part of a text, cut around the words that somebody searched for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scrubjay.text.tokenizer import stem_places, stems_of
from scrubjay.text.words import runs

__all__ = ["SNIPPET_CHARACTERS", "snippet"]

SNIPPET_CHARACTERS = 160
SCANNED_CHARACTERS = 100_000  # from the beginning of a text
MAX_MATCHES = 500
CUT = "…"

Place = tuple[int, int, str]  # first character, the one after the last, and which word it is


def snippet(text: str, words: Sequence[str], most: int = SNIPPET_CHARACTERS) -> str:
    """At most that many characters of a text, on one line: where most of the words are, or its beginning."""
    line = " ".join(text[:SCANNED_CHARACTERS].split())
    if len(line) <= most:
        return line
    start, end = _densest(sorted(_matches(line, words))[:MAX_MATCHES], most)
    before = max(0, (most - (end - start)) // 3)
    first = max(0, min(start - before, len(line) - most))
    return _at_word_ends(line, first, min(first + most, len(line)), start)


def _matches(line: str, words: Sequence[str]) -> Iterator[Place]:
    """Where the words are, in any form that has the same stem; in scripts without spaces, as they are written."""
    spaced = [word for word in words if not any(unspaced for _, unspaced in runs(word))]
    stems = {stem for word in spaced for stem in stems_of(word)}
    yield from (place for place in stem_places(line) if place[2] in stems)
    for word in set(words) - set(spaced):
        written = "".join(word.split())
        start = line.find(written)
        while start >= 0:
            yield start, start + len(written), written
            start = line.find(written, start + 1)


def _densest(places: Sequence[Place], most: int) -> tuple[int, int]:
    """The first span of that length with as many different words as any."""
    best, span = 0, (0, 0)
    for number, (start, _, _) in enumerate(places):
        near = [place for place in places[number : number + most] if place[1] <= start + most]
        different = len({word for _, _, word in near})
        if different > best:
            best, span = different, (start, near[-1][1])
    return span


def _at_word_ends(line: str, first: int, last: int, match: int) -> str:
    """The part between two characters, without words that were cut in two, and a mark where something is left out."""
    if first > 0:
        space = line.find(" ", first, match)
        first = space + 1 if space >= 0 else first
    if last < len(line):
        space = line.rfind(" ", max(first, match), last)
        last = space if space >= 0 else last
    return f"{CUT if first else ''}{line[first:last]}{CUT if last < len(line) else ''}"
