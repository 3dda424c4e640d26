"""What could be a password, a phrase or a number that opens something, each with the name of its shape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scrubjay.text.secret_scan.access import words
from scrubjay.text.secret_scan.languages import NO_PIN, PASSWORD_NAMES, SENTENCE_WORDS
from scrubjay.text.secret_scan.patterns import compiled, has_any
from scrubjay.text.secret_scan.values import (
    FILE_NAME,
    ODD_ENOUGH,
    STANDARD,
    TECHNICAL,
    WORD_DOT_WORD,
    digits_in,
    is_chain_of_names,
    is_filled_in,
    is_hex,
    is_mixed_at_random,
    is_password_like,
    odd_share,
)

__all__ = ["LETTER", "MARK_OF_CODE", "NUMBER", "SIGNS_OF_VALUES", "Candidate", "candidates"]

LETTER = r"A-Za-z\u00c0-\u024f"
OPENING_QUOTE, CLOSING_QUOTE = "(?:«[ \u00a0]|[\"“„«'‘`])", "[ \u00a0]?[\"”“»'’`]"
PHRASE = (
    rf"(?<![{LETTER}]){OPENING_QUOTE}(?P<phrase>[{LETTER}0-9][{LETTER}0-9'’-]{{0,30}}"
    rf"(?:,?[ ][{LETTER}0-9][{LETTER}0-9'’-]{{0,30}}){{1,11}}[.!]?){CLOSING_QUOTE}(?![{LETTER}])"
)
# One word is a password only after a word for such a word.
LONE_WORD = (
    r"(?:(?<=word[ ])|(?<=wort[ ])|(?<=woord[ ])|(?<=alabra[ ])|(?<=mot[ ])|"
    r"(?<=word[ ]is[ ])|(?<=wort[ ]ist[ ])|(?<=oord[ ]is[ ]))"
    rf"{OPENING_QUOTE}(?P<word>[{LETTER}]{{5,20}}){CLOSING_QUOTE}"
)
# Words without quotes: all that stands after a colon up to the end of the line, and what follows "is …" up to a comma.
WORDS = (
    rf"(?<=[ ])(?:(?<=:[ ])(?P<words>[{LETTER}]{{3,24}}(?:[ ][{LETTER}0-9]{{1,14}}){{0,8}})(?=[.!]?(?:\n|\Z))|"
    r"(?:(?<=[ ]is[ ])|(?<=[ ]was[ ])|(?<='s[ ])|(?<=[ ]ist[ ])|(?<=[ ]es[ ])|(?<=[ ]est[ ])|(?<=[ ]è[ ])|"
    r"(?<=[ ]lautet[ ])|(?<=[ ]use[ ])|(?<=[ ]usa[ ])|(?<=[ ]nimm[ ])|(?<=:[ ]))"
    r"(?!(?:use|usa|nimm)[ ])(?P<said>[a-zà-ÿ]{3,14}(?:[ ][a-zà-ÿ]{3,14}){0,5}(?:[ ][0-9]{1,4}|[ ][a-zà-ÿ]{3,14}))"
    r"(?=[.,;!]|\n|\Z))"
)
BEFORE_WORDS = (": ", " use ", " usa ", " nimm ", " is ", " was ", "'s ", " ist ", " es ", " est ", " è ", " lautet ")
NUMBER_VALUE = (
    r"(?P<number>[*#]?(?:[0-9](?:[ -]?[0-9]){2,23}[A-Za-z]?|[0-9]{2,4}[A-Z][0-9]{1,2}|[A-Z][0-9]{3,5}[A-Z]?)[#*]?)"
    r"(?=[\"”“»'’)]{0,2}[.,;:!?]?[\"”“»'’)]{0,2}(?:\s|$))"
)
PASSWORD_VALUE = (
    rf"(?P<password>(?=[^\s]{{0,40}}?(?:[0-9!#$%^&*+?~@_/]|[a-z][A-Z]|[-.][{LETTER}]{{2,20}}[-.]))"
    rf"[{LETTER}0-9][{LETTER}0-9.!#$%^&*+?~@_/='’-]{{5,39}}+)(?![\w\\({{\[<:])"
)
VALUE = rf"(?<![^\s(*\"'`“„«→:])(?:{PHRASE}|{LONE_WORD}|{NUMBER_VALUE}|{PASSWORD_VALUE})"
SIGNS_OF_VALUES = "0123456789.-_!#$%^&*+?~@\"“„«'‘`:"
MARK_OF_CODE = "`"
LAST_SIGNS = ".:?*,'’”"  # of a sentence, not of a password
NUMBER = "number"
FEWEST_TO_BE_RANDOM = 10  # characters
SHORT = 8  # characters: a password has more
LONG_WORD = 12  # letters
PORTS = frozenset("3000 3306 3389 5000 5432 5672 6379 8000 8080 8081 8443 8888 9000 9090 9200 9443".split())
DIGITS_OF_ISSUES = 5  # after a #: the code of a lock has fewer
LONG_NUMBER = 16  # digits
MOST_DIGITS = 4  # in a phrase
LONGEST_OF_NAMES = 6  # GluK4-GluK5 is one of shorter parts
STRONG_SIGN_INSIDE = rf"[{LETTER}0-9][!#$%^*?~]"
WEAK_SIGN_INSIDE = rf"[{LETTER}0-9][&+@][{LETTER}0-9]"
PARTS_INSIDE = rf"[{LETTER}0-9]_|[{LETTER}0-9][!#$%^&*+?~@]|[{LETTER}0-9][.-][{LETTER}0-9]{{3,20}}[.-][{LETTER}0-9]"
IN_PARTS = r"^[^.]{1,20}\.[^.]{1,20}$|[-@]|_[0-9]$"
MIXED_INSIDE = r"[a-z][A-Z]|[0-9][A-Za-z]"
JOINT = "[-_.+/]"
JOINED_WORDS = rf"[{LETTER}]{{2,14}}({JOINT})[{LETTER}]{{1,14}}(?:\1[{LETTER}]{{1,14}}){{0,8}}[!?]?$"
WORDS_AND_NUMBER = rf"(?:[{LETTER}]{{2,14}}{JOINT}){{1,6}}[0-9]{{1,4}}[!?]?$"
LETTER_GROUPS = r"[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){2,5}$"
PARTICIPLE = r"(?:ed|ing|ly)(?![a-z])"
YEAR, YEAR_OF_NOW = r"(?:19|20)[0-9]{2}$", r"20[123][0-9]$"
# A version, a size, an issue, an encoding, a commit, money, a setting
NAME = (
    r"[0-9]\.[0-9]|^0x|^[0-9]{1,5}x[0-9]|[a-z0-9][Vv][0-9]|#[0-9]{3,20}$|@[0-9]{1,2}$|(?i:utf-?8)|"
    r"^[0-9a-f]{7,12}$|^[A-Z]{2}\$|^[\w.-]{1,40}=|//|^(?:Office|Microsoft|Windows)[0-9]"
)
IN_VAULT = r"^(?:kv|secrets?|vault|op|ssm)/"
KEY_NUMBER = r"^(?:[0-9A-F]{16}|[0-9A-F]{40})$"  # of a public key, as GnuPG writes it
PUBLIC = r"^AAAA[BCE][A-Za-z0-9+/]{8}|\.(?:md|html?)#"  # a public key, a place in a page
NO_PASSWORDS = (IN_VAULT, PUBLIC, KEY_NUMBER, NAME, STANDARD, TECHNICAL, FILE_NAME)
ABOUT_SECRETS = words.SECRETS.union(PASSWORD_NAMES)


class Candidate(NamedTuple):
    """A value, the kind of secret that it would be, and what it looks like; of plain words also how many there are."""

    kind: str
    shape: str
    start: int
    end: int
    words: int = 0
    is_marked: bool = False  # by quotes


def candidates(text: str, with_words: bool = True) -> Iterator[Candidate]:
    """Words without quotes are looked for apart, since a number or a password may stand among them."""
    unquoted = compiled(WORDS).finditer(text) if with_words and has_any(text, BEFORE_WORDS) else ()
    for match in (*compiled(VALUE).finditer(text), *unquoted):
        form = match.lastgroup or ""
        value = match[form] if form == NUMBER else match[form].rstrip(LAST_SIGNS)
        kind, shape_of = KINDS[form]
        if value and (shape := shape_of(value)):
            start = match.start(form)
            words = len(value.split()) if kind == "passphrase" and not digits_in(value) else 0
            is_marked = form == "phrase" and text[start - 1] != MARK_OF_CODE
            yield Candidate(kind, shape, start, start + len(value), words, is_marked)


def _shape_of_password(value: str) -> str:
    if len(value) < SHORT or any(compiled(pattern).search(value) for pattern in NO_PASSWORDS):
        return ""
    if is_hex(value):
        return "UUID" if "-" in value else "hexadecimal"
    if compiled(LETTER_GROUPS).match(value) and odd_share(value) >= ODD_ENOUGH:
        return "groups of letters"
    if joined := compiled(JOINED_WORDS).match(value):
        return _shape_of_joined(value, joined[1])
    if compiled(WORDS_AND_NUMBER).match(value):
        capital = "capital, " if value[0].isupper() else ""
        path = "path, " if "/" in value else "name in code, " if "_" in value and value.islower() else ""
        return f"words and number, {path}{capital}{min(len(re.split(JOINT, value)), 3)} parts"
    if not is_password_like(value) or _is_chain(value):
        return ""
    return _shape_of_chosen(value)


def _shape_of_joined(value: str, joint: str) -> str:
    number = len(re.split(JOINT, value))
    capital = ", capital" if value[0].isupper() and value.count(joint) == sum(map(str.isupper, value)) - 1 else ""
    if number == 2:
        return f"two words{capital}" if joint in "_+" else ""
    return f"{min(number, 4)} words joined by {joint}{capital}"


def _is_chain(value: str) -> bool:
    """Of names with numbers in them; of words with one number it may be a password."""
    return is_chain_of_names(value) and sum(any(map(str.isdigit, part)) for part in value.split("-")) > 1


def _shape_of_chosen(value: str) -> str:
    if is_mixed_at_random(value):
        return "random"
    kinds = sum(any(map(kind, value)) for kind in (str.isupper, str.islower, str.isdigit))
    if compiled(STRONG_SIGN_INSIDE).search(value) and kinds > 1:
        return f"sign and {kinds} kinds"
    if compiled(WEAK_SIGN_INSIDE).search(value) and kinds > 1:
        return f"weak sign and {kinds} kinds"
    if kinds == 3 and compiled(PARTS_INSIDE).search(value):
        return "parts of 3 kinds"
    if odd_share(value) >= ODD_ENOUGH and len(value) >= FEWEST_TO_BE_RANDOM:
        return f"odd, {kinds} kinds"
    if not digits_in(value):
        return ""
    if compiled(IN_PARTS).search(value):
        return _shape_of_parts(value, kinds)
    if value.islower():
        return "word with number"
    if value.isupper():
        return "capitals with number"
    is_name = value[0].isupper() and not any(map(str.isupper, value[1:]))
    return "name with number" if is_name else "mixed with number"


def _shape_of_parts(value: str, kinds: int) -> str:
    """Two words with a dot and a number, or parts of which one is mixed: others are names and versions."""
    if compiled(WORD_DOT_WORD).match(value):
        return "two words and number"
    return "in parts, 3 kinds" if kinds == 3 and "." not in value and compiled(MIXED_INSIDE).search(value) else ""


def _shape_of_phrase(value: str) -> str:
    shape = _shape_of_words(value)
    return shape and f"quoted {shape}"


def _shape_of_words(value: str) -> str:
    parts = value.split()
    if digits_in(value) > MOST_DIGITS or not is_filled_in(value) or value.isdigit():
        return ""
    lowered = [part.lower().strip(",.!") for part in parts]
    if not ABOUT_SECRETS.isdisjoint(lowered):  # "Please enter your password"
        return ""
    if len(parts) == 1:
        return "long word" if len(value) >= LONG_WORD and value[1:].islower() else ""
    is_sentence = not SENTENCE_WORDS.isdisjoint(lowered)
    begins = "title" if value.istitle() else "capital" if value[0].isupper() else "small"
    return f"{min(len(parts), 4)} words, {begins}{', of a sentence' if is_sentence else ''}"


def _shape_of_said(value: str) -> str:
    """Such words are mostly a sentence that goes on."""
    parts = value.split()
    if not SENTENCE_WORDS.isdisjoint(parts) or compiled(PARTICIPLE).search(value):
        return ""
    shape = _shape_of_words(value)
    return shape and f"said {shape}{', number' if parts[-1].isdigit() else ''}"


def _shape_of_word(value: str) -> str:
    return "quoted word" if is_filled_in(value) else ""


def _shape_of_number(value: str) -> str:
    groups = re.split("[ -]", value.strip("*#"))
    digits = "".join(groups)
    if value[0] == "#" and len(digits) >= DIGITS_OF_ISSUES:
        return ""
    if len(set(digits)) == 1 or digits in NO_PIN or digits in PORTS:
        return ""
    if len(groups) > 1:
        return _shape_of_groups(groups)
    if not digits.isdigit():
        return "letter in it"
    if compiled(YEAR_OF_NOW).match(digits):
        return ""
    if compiled(YEAR).match(digits):
        return "year"
    if len(digits) < SHORT:
        return f"digits: {len(digits)}"
    return "8 digits or more" if len(digits) < LONG_NUMBER else "long"


def _shape_of_groups(groups: list[str]) -> str:
    lengths = set(map(len, groups))
    if groups[0][0] == "0" and lengths == {2} and len(groups) == 5:  # a telephone in France
        return ""
    if all(map(compiled(YEAR).match, groups)) or (len(lengths) > 1 and max(lengths) > 2):
        return ""
    return "two groups" if len(groups) == 2 else "groups"


KINDS = {
    "password": ("password", _shape_of_password),
    "phrase": ("passphrase", _shape_of_phrase),
    "words": ("passphrase", _shape_of_words),
    "said": ("passphrase", _shape_of_said),
    "word": ("password", _shape_of_word),
    NUMBER: ("PIN", _shape_of_number),
}
