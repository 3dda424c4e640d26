"""What looks like a password, a phrase or a code, where the sentence tells of access.

`values` proposes what could be one and names its shape, `place` names what its sentence and its place tell, with the
lists of `words`. Each of these signs has a weight; their sum decides. `weights` is written by
`python -m bench.guard_weights --write`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from scrubjay.text.secret_scan.access.place import (
    AFTER,
    BEFORE,
    FIRST_WORDS,
    WORD,
    may_be_told_words,
    may_tell_of_access,
    may_tell_words,
    place_of,
    signs_of_place,
)
from scrubjay.text.secret_scan.access.values import SIGNS_OF_VALUES, Candidate, candidates
from scrubjay.text.secret_scan.access.weights import WEIGHTS
from scrubjay.text.secret_scan.patterns import Found, compiled, has_any

__all__ = ["signs_of_candidates", "told_by_access", "weighed"]

LONGEST_WORD, LONGEST_VALUE = 40, 500
MANY_VALUES = 50  # from here on, the places of words of access are looked up once for all values


def told_by_access(text: str, lowered: str) -> Iterator[Found]:
    for one, signs in signs_of_candidates(text, lowered):
        if weighed(signs, WEIGHTS) >= 0:
            yield one.kind, one.start, one.end


def weighed(signs: Sequence[str], weights: Mapping[str, float]) -> float:
    """The sum of their weights, to the digit that these have."""
    return round(sum(weights.get(sign, 0) for sign in signs), 1)


def signs_of_candidates(text: str, lowered: str) -> Iterator[tuple[Candidate, list[str]]]:
    """Every value that stands beside words of access; of a number, the signs have names of their own."""
    found = set(compiled(WORD).findall(lowered)) if has_any(text, SIGNS_OF_VALUES) else set()
    if not found or not may_tell_of_access(found, lowered):
        return
    places: Sequence[int] | None = None
    for number, one in enumerate(candidates(text, may_tell_words(found))):
        if number == MANY_VALUES:  # of a table of numbers, most are far from any word
            places = [word.start() for word in compiled(WORD).finditer(lowered) if word[0] in FIRST_WORDS]
        if places is not None and not _is_near_any(places, one.start):
            continue
        is_number = one.kind == "PIN"
        place = place_of(text, lowered, one.start, one.end)
        if one.words and not may_be_told_words(place, one.words, one.is_marked):
            continue
        signs = signs_of_place(place, is_number)
        if signs:
            signs = ["start", one.shape, *signs]
            yield one, [f"number: {sign}" for sign in signs] if is_number else signs


def _is_near_any(places: Sequence[int], start: int) -> bool:
    """Whether a word of access may be so near to a value that it counts."""
    first = bisect_left(places, start - BEFORE - LONGEST_WORD)
    return first < len(places) and places[first] <= start + LONGEST_VALUE + AFTER
