"""What looks like a password, a phrase or a code, where the sentence tells of access: points are added up.

The value has points for its shape, the words of its sentence for what they tell of (something opens, something is
typed, the name of what is opened), and the place of the value for what stands right beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from scrubjay.text.secret_scan import access_words as words
from scrubjay.text.secret_scan.languages import NAMING, NO_PIN, OTHER_SUBJECTS, either
from scrubjay.text.secret_scan.patterns import Found, compiled, has_any
from scrubjay.text.secret_scan.values import (
    ODD_ENOUGH,
    digits_in,
    is_chain_of_names,
    is_hex,
    is_mixed_at_random,
    is_password_like,
    odd_share,
)

__all__ = ["told_by_access"]

ENOUGH = 5  # points make a secret
# For the shape of the value:
RANDOM = 5  # letters that make no words
SIGNED = 5  # of four kinds, with a sign inside
CHOSEN = 4  # nobody writes it but as a password
LONE_WORD = 3  # in small letters, with a number
POSSIBLE = 2  # the same with capitals, as products are named
PHRASE = 3  # words in quotes; one less if they are three or begin with a capital, as a title does
GROUPS = 3  # of digits: 27-90-13
NUMBER = 2
SHORT_NUMBER = 0  # or a year
NO_SECRET = -99
# For the words of its sentence, each list once; one point less if only the sentence before has one.
Evidence = Sequence[tuple[Set[str], int]]
OF_ANY: Evidence = (
    (words.OPENING, 2),
    (words.LOCKS, 2),
    (words.SECRETS, 2),
    (words.ACCOUNTS, 1),
    (words.KEYED_IN, 1),
    (words.SETTING, 1),
)
OF_NUMBERS: Evidence = (*OF_ANY, (words.CODES, 2), (words.COUNTING, -4))
# The first word of each entry of a list that speaks for a secret.
WORDS_OF_ACCESS = {entry.split()[0] for entries, points in OF_NUMBERS if points > 0 for entry in entries}
# For what stands right beside it:
LINKED = 1  # "with …", ": …"
UNLINKED = -1
UNLINKED_NUMBER = -2
OF_ANOTHER = -4  # "version …", "user name is …"
IN_TECHNICAL = -2  # in a line of names of programs, paths and tables
COUNTED = -4  # a number with a noun after it

BEFORE, AFTER = 180, 90  # characters that are looked at
LINK_WITHIN = 50
LONGEST_WORD, LONGEST_VALUE = 40, 500
MANY_VALUES = 50  # from here on, the places of words of access are looked up once for all values
SHORTEST_PASSWORD = 8  # characters
FEWEST_TO_BE_RANDOM = 10
LONGEST_OF_NAMES = 6  # GluK4-GluK5 is one of shorter parts
FEWEST_DIGITS, MOST_DIGITS = 4, 4  # of a code that is no short one, and in a phrase
LETTER = r"A-Za-z\u00c0-\u024f"
PHRASE_VALUE = (
    rf"(?<![{LETTER}])[\"“„«'‘](?P<phrase>[{LETTER}][{LETTER}0-9'’-]{{0,30}}"
    rf"(?:[ ][{LETTER}0-9][{LETTER}0-9'’-]{{0,30}}){{2,11}}[.!]?)[\"”“»'’](?![{LETTER}])"
)
NUMBER_VALUE = (
    r"[*]?(?P<number>[0-9](?:[ -]?[0-9]){2,7}[A-Za-z]?|[0-9]{2,4}[A-Z][0-9]{1,2}|[A-Z][0-9]{3,5}[A-Z]?)"
    r"(?=[#*]?[\"”“»'’)]{0,2}[.,;:!?]?[\"”“»'’)]{0,2}(?:\s|$))"
)
PASSWORD_VALUE = (
    rf"(?P<password>(?=[{LETTER}.-]{{0,40}}?(?:[0-9!#$%^&*+?~@_]|[a-z][A-Z]|[-.][{LETTER}]{{2,20}}[-.]))"
    rf"[{LETTER}0-9][{LETTER}0-9.!#$%^&*+?~@_-]{{5,39}}+)(?![\w/\\({{\[<=:!#$%^&+?~@-])"
)
VALUE = rf"(?<![^\s(*\"'`“„«→:])(?:{PHRASE_VALUE}|{NUMBER_VALUE}|{PASSWORD_VALUE})"
SIGNS_OF_VALUES = "0123456789.-_!#$%^&*+?~@\"“„«'‘"
LAST_SIGNS = ".:?*”"  # of a sentence, not of a password
YEAR = r"(?:19|20)[0-9]{2}$"
JOINED_WORDS = rf"(?:[A-Z][a-z]{{2,14}}[-_.]){{3,9}}[{LETTER}0-9]{{2,14}}$"
WORDS_AND_NUMBER = rf"(?:[{LETTER}]{{3,14}}-){{2,4}}[0-9]{{1,4}}$"
LETTER_GROUPS = r"[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){2,5}$"
STRONG_SIGN_INSIDE = rf"[{LETTER}0-9][!#$%^&*+?~@]"
PARTS_INSIDE = rf"[{LETTER}0-9]_|[{LETTER}0-9][!#$%^&*+?~@]|[{LETTER}0-9][.-][{LETTER}0-9]{{3,20}}[.-][{LETTER}0-9]"
IN_PARTS = r"^[^.]{1,20}\.[^.]{1,20}$|[-@]|_[0-9]$"
# A version, a size, an issue, an encoding, a commit, money
NAME = (
    r"[0-9]\.[0-9]|^0x|^[0-9]{1,5}x[0-9]|[a-z0-9][Vv][0-9]|#[0-9]{3,20}$|@[0-9]{1,2}$|(?i:utf-?8)|"
    r"^[0-9a-f]{7,12}$|^[A-Z]{2}\$"
)
WORD = rf"[{LETTER}]+(?:-[{LETTER}]+)*"
SENTENCE_END = r"[.!?…][\"”“»)]{0,2}(?=\s)|\n"
QUESTION_END = r"\?[\"”“») –—-]{0,5}\s{0,2}\Z"
CODE = r"= ?[\"']|\w[._]\w{1,40} = |[|&^]=|[|$;]\s{0,3}$|[{}\\]|\w\(|\w=|=[\w\"']|\(\)|::|</|/>|\w\[|//|&&|=="
TECHNICAL = (
    r"\w_\w|`\w|\w`|\w/\w|(?m:^)[ ]{2}|\t|[<>]|\w\.[a-z]{1,3}(?!\w)|[0-9a-f]{8}|(?m:^)(?:[ ]\*|#)|[A-Z]{5}|"
    r"[\"'][ ][\"']|[0-9]:[0-9]{2}:[0-9]{2}|[a-z]\[[0-9]{1,8}\]"  # the time and the process of a log
)
LINK = rf"(?:([{LETTER}'’-]{{1,20}})[ ])?([{LETTER}'’-]{{1,20}})[ ]?[\"'`(*„“«]{{0,3}}$"
LINK_SIGN = r"[:→+=/–—-][ ]?[\"'`(*„“«]{0,3}$"
# "user name on the wiki is …"
NAME_TOLD = rf"(?<![a-z]){either(OTHER_SUBJECTS)}(?:[ ][a-z]{{2,12}}){{0,4}}[ ](?:is|was|ist|war|es|est|è|é)[ ]$"
COMMA = r",[ ]?[\"'`(*„“«]{0,3}$"
NEXT_WORD = rf"[#*]?[ ]([{LETTER}]{{1,30}})"
# "Ann: …" after a line of "Ben: …"
TURN = r"[ >]{0,4}(?:[\[(<][0-9:. ]{3,9}[\])>] )?[A-Z][\w.' -]{0,24}: "
LINE_BEFORE = rf"(?:^|\n){TURN}[^\n]{{1,180}}\n\Z"


class Place(NamedTuple):
    """Where the sentence of a value begins and ends, and how far back is looked."""

    text: str
    lowered: str
    first: int
    begin: int
    start: int
    end: int
    last: int


def told_by_access(text: str, lowered: str) -> Iterator[Found]:
    if not has_any(text, SIGNS_OF_VALUES):
        return
    places: Sequence[int] | None = None
    for number, match in enumerate(compiled(VALUE).finditer(text)):
        shape = match.lastgroup or ""
        start = match.start(shape)
        if number == MANY_VALUES:  # of a table of numbers, most are far from any word
            places = [word.start() for word in compiled(WORD).finditer(lowered) if word[0] in WORDS_OF_ACCESS]
        if places is not None and not _is_near_any(places, start):
            continue
        value = match[shape] if shape == "number" else match[shape].rstrip(LAST_SIGNS)
        kind, of_value = SHAPES[shape]
        points = of_value(value)
        if points > NO_SECRET and points + _of_place(_place(text, lowered, start, start + len(value)), shape) >= ENOUGH:
            yield kind, start, start + len(value)


def _is_near_any(places: Sequence[int], start: int) -> bool:
    """Whether a word of access may be so near to a value that it counts."""
    first = bisect_left(places, start - BEFORE - LONGEST_WORD)
    return first < len(places) and places[first] <= start + LONGEST_VALUE + AFTER


def _of_password(value: str) -> int:
    if len(value) < SHORTEST_PASSWORD or not any(map(str.islower, value)) or is_hex(value):
        return NO_SECRET
    if compiled(NAME).search(value):
        return NO_SECRET
    odd = odd_share(value) >= ODD_ENOUGH and max(map(len, value.split("-"))) >= LONGEST_OF_NAMES
    if compiled(JOINED_WORDS).match(value) or _is_in_groups(value):
        return CHOSEN
    if not is_password_like(value) or _is_chain(value):
        return NO_SECRET
    if is_mixed_at_random(value):
        return RANDOM
    kinds = sum(any(map(kind, value)) for kind in (str.isupper, str.islower, str.isdigit))
    if kinds == 3 and compiled(STRONG_SIGN_INSIDE).search(value):
        return SIGNED
    kinds += bool(compiled(PARTS_INSIDE).search(value))
    if kinds == 4 or (kinds == 3 and odd and len(value) >= FEWEST_TO_BE_RANDOM):
        return CHOSEN
    if compiled(WORDS_AND_NUMBER).match(value):
        return POSSIBLE
    if not digits_in(value) or compiled(IN_PARTS).search(value):
        return NO_SECRET
    return LONE_WORD if value.islower() else POSSIBLE


def _is_chain(value: str) -> bool:
    """Of names with numbers in them; of words with one number it may be a password."""
    return is_chain_of_names(value) and sum(any(map(str.isdigit, part)) for part in value.split("-")) > 1


def _is_in_groups(value: str) -> bool:
    return bool(compiled(LETTER_GROUPS).match(value)) and odd_share(value) >= ODD_ENOUGH


def _of_phrase(value: str) -> int:
    if digits_in(value) > MOST_DIGITS or value.istitle():
        return NO_SECRET
    return PHRASE if value[0].islower() and value.count(" ") > 2 else PHRASE - 1


def _of_number(value: str) -> int:
    groups = re.split("[ -]", value)
    if len(set("".join(groups))) == 1 or value in NO_PIN:
        return NO_SECRET
    if len(groups) == 1:
        return SHORT_NUMBER if compiled(YEAR).match(value) or len(value) < FEWEST_DIGITS else NUMBER
    lengths = set(map(len, groups))
    if (
        all(map(compiled(YEAR).match, groups))
        or len(value) < FEWEST_DIGITS * 2 - 1
        or (len(lengths) > 1 and max(lengths) > 2)
    ):
        return NO_SECRET
    return GROUPS if len(groups) > 2 else NUMBER


SHAPES: dict[str, tuple[str, Callable[[str], int]]] = {
    "password": ("password", _of_password),
    "phrase": ("passphrase", _of_phrase),
    "number": ("PIN", _of_number),
}


def _place(text: str, lowered: str, start: int, end: int) -> Place:
    first = max(0, start - BEFORE)
    begin = max((stop.end() for stop in compiled(SENTENCE_END).finditer(text, first, start)), default=first)
    stop = compiled(SENTENCE_END).search(text, end, end + AFTER)
    return Place(text, lowered, first, begin, start, end, stop.start() if stop else min(len(text), end + AFTER))


def _of_place(place: Place, shape: str) -> int:
    evidence = OF_NUMBERS if shape == "number" else OF_ANY
    if _is_in_code(place):
        return NO_SECRET
    return _of_words(place, evidence) + _of_link(place, shape) + _of_line(place)


def _is_in_code(place: Place) -> bool:
    line = max(place.first, place.text.rfind("\n", place.first, place.start) + 1)
    pattern = compiled(CODE)
    return bool(pattern.search(place.text, line, place.start) or pattern.search(place.text, place.end, place.last))


def _of_line(place: Place) -> int:
    line = max(place.first, place.text.rfind("\n", place.first, place.start) + 1)
    pattern = compiled(TECHNICAL)
    found = pattern.search(place.text, line, place.start) or pattern.search(place.text, place.end, place.last)
    return IN_TECHNICAL if found else 0


def _of_words(place: Place, evidence: Evidence) -> int:
    near = _words(place.lowered, place.begin, place.start) | _words(place.lowered, place.end, place.last)
    before = _words(place.lowered, place.first, place.begin)
    if _is_answer(place):
        near |= before
    if all(map(near.isdisjoint, (one for one, _ in evidence))):
        return NO_SECRET
    points = 0
    for one, weight in evidence:
        if not near.isdisjoint(one):
            points += weight
        elif not before.isdisjoint(one):
            points += weight - 1
    return points


def _words(lowered: str, start: int, end: int) -> set[str]:
    """Each, and each two that stand side by side."""
    found = compiled(WORD).findall(lowered, start, end)
    return {*found, *map(" ".join, pairwise(found))}


def _is_answer(place: Place) -> bool:
    """After a question, or all that is said in a line."""
    if compiled(QUESTION_END).search(place.text, max(place.first, place.begin - 8), place.begin):
        return True
    if place.text[place.end : place.last].strip(" .!") or place.text[place.begin - 1 : place.begin] != "\n":
        return False
    said = compiled(TURN).match(place.text, place.begin, place.start)
    return bool(
        said and said.end() == place.start and compiled(LINE_BEFORE).search(place.text, place.first, place.begin)
    )


def _of_link(place: Place, shape: str) -> int:
    text, lowered, start = place.text, place.lowered, place.start
    following = compiled(NEXT_WORD).match(lowered, place.end) if shape == "number" else None
    if following and following[1] in words.OPENING:
        return LINKED
    points = COUNTED if following and following[1] not in words.GOES_ON else 0
    unlinked = {"number": UNLINKED_NUMBER, "phrase": UNLINKED, "password": UNLINKED}[shape]
    begin = max(place.begin, start - LINK_WITHIN)
    if compiled(NAME_TOLD).search(lowered, begin, start):
        return OF_ANOTHER
    if link := compiled(LINK).search(lowered, begin, start):
        return points + _of_link_words(link[1] or "", link[2], unlinked)
    if compiled(LINK_SIGN).search(text, begin, start):
        return points + LINKED
    is_open = shape != "number" and compiled(COMMA).search(text, begin, start)
    return points + (0 if is_open else unlinked)


def _of_link_words(before: str, last: str, unlinked: int) -> int:
    if f"{before} {last}" in words.LINKS:
        return LINKED
    if last in words.LINKS:
        return OF_ANOTHER if _names(before) else LINKED
    if last in words.JOINTS:
        return 0
    return OF_ANOTHER if _names(last) or last in NAMING else unlinked


def _names(word: str) -> bool:
    return word in words.NAMES or word in OTHER_SUBJECTS
