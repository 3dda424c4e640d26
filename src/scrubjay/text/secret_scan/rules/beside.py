"""Values beside a word for a secret, without a linking word: in its line, below it, or in the answer to a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scrubjay.text.secret_scan.languages import ANSWERING, CALLING, NAMING, either
from scrubjay.text.secret_scan.patterns import Found, compiled
from scrubjay.text.secret_scan.rules.nearby import describes
from scrubjay.text.secret_scan.rules.prose import (
    BACK,
    NETWORKS,
    NUMBER,
    REACH,
    SIGN,
    VALUE,
    Noun,
    NounsFound,
    is_phrase,
    value_of,
)
from scrubjay.text.secret_scan.values import is_hex, is_made_up, is_of_four_kinds, is_random

__all__ = ["beside_nouns"]

LONG_TOKEN = 16  # characters
CANDIDATE = rf"(?<![^\s(*\"'`“„«:])[*(]{{0,3}}(?P<value>{SIGN}{{4,100}}+)"
# The next line, if it is an answer of one word: "[10:43] ann: …"
ANSWER = r"(?m)\r?\n(?:[\[(<]?[0-9:]{4,8}[\])>]? )?(?:<?\w{1,20}[>:]{1,2} )?\S{4,60}$"
IN_CODE_BEFORE = ("/", "_", ".")  # the word is a part of a path or a name
IN_CODE_AFTER = r"[-_(=/]|\.\w"
TO_PIN = r"(?<!the )(?<!my )(?<!our )(?<!your )(?<!her )(?<!his )(?<!new )pin\b"  # "pin issue 4821"
# "the password for web-01", "ticket 4711", "Wi-Fi: …"
NAMED = rf"(?i)(?<!\w)(?:{either([*NAMING, *CALLING])}|{either(NETWORKS)}[ ]?[:=]?)[ ][#(\"'`]{{0,2}}$"
ABOUT_DIGESTS = r"(?i)(?<![a-z])(?:sha-?[0-9]{0,3}|md5|hash|digest|checksum|commit|fingerprint|uuid|id|merge)(?![a-z])"
NAME_OF_ID = r"([A-Za-z][\w.-]{0,30})="  # jti=…
YEAR = r"(?:19|20)[0-9]{2}(?:-[0-9]{2}-[0-9]{2})?$"
# Right below the word, or below a question.
BELOW = (
    r"(?:[ ](?:is|ist|es|est))?(?:[ ](?:below|follows|unten|unterhalb|abajo|ci-dessous|sotto|abaixo))?"
    r"(?:[^\n?]{0,80}\?)?[ ]?[:：]?[*]{0,2}[ ]{0,3}\r?\n\s{0,20}(?:[-*•>][ ]|\w{1,20}: )?"
)
TOLD_BELOW = rf"(?m){BELOW}{VALUE}[ ]?$"
# "[10:43] bob: it's …", or the name and the time on a line of their own
TIME = r"[\[(<]?[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?:[ ]?[ap]m)?[\])>]?"
NAME = r"[<*@]{0,2}[^\W0-9_][\w .'-]{0,24}[>*]{0,2}"
TURN = (
    rf"(?:{NAME}[ ]{{1,4}}{TIME}[ ]{{0,3}}\r?\n)?[ \t>]{{0,8}}(?:{TIME}[ ]?[-–]?[ ]?)?(?:{NAME}:[ ]{{1,2}})?"
    rf"(?P<answering>(?:{either(ANSWERING)}[,:!.–-]{{0,2}}[ ]{{1,2}}){{0,3}})"
)
TOLD_IN_ANSWER = rf"(?m)(?P<rest>[^\n]{{0,100}})\r?\n(?:[ \t]{{0,8}}\r?\n)?(?P<turn>{TURN}){VALUE}[ ]?[.!]?[ ]{{0,3}}$"
# In a paragraph of one value, after a sentence that ends.
TOLD_IN_PARAGRAPH = (
    rf"(?m)[^\n]{{0,80}}[.:…][*]{{0,2}}[ ]{{0,3}}\r?\n[ \t]{{0,8}}\r?\n[ \t>`]{{0,12}}{VALUE}[` ]{{0,3}}$"
    r"(?=\s{0,3}\n|\s{0,3}\Z)"
)


def beside_nouns(text: str, lowered: str, nouns: NounsFound) -> Iterator[Found]:
    for noun, words in nouns:
        yield from _in_line(text, lowered, noun, words)
        for word in words if "\n" in text else ():
            yield from _below(text, lowered, noun, word)


def _in_line(text: str, lowered: str, noun: Noun, words: Sequence[re.Match[str]]) -> Iterator[Found]:
    seen = 0  # no part of the text is looked at for two words
    for word in words:
        if _is_in_code(text, word):
            continue
        start, end = _line_around(lowered, word)
        for match in compiled(CANDIDATE).finditer(lowered, max(seen, start), end):
            found = next(value_of(text, match, noun, word), None)
            if found and _is_clear(text, text[start:end], found):
                yield found
        seen = max(seen, end)


def _is_in_code(text: str, word: re.Match[str]) -> bool:
    start, end = word.span()
    return bool(
        text[start - 1 : start] in IN_CODE_BEFORE
        or compiled(IN_CODE_AFTER).match(text, end)
        or compiled(TO_PIN).search(text[max(0, start - 5) : end])
    )


def _line_around(lowered: str, word: re.Match[str]) -> tuple[int, int]:
    """At most so many characters before and after the word, and the answer below it."""
    first = max(0, word.start() - BACK)
    start = max(first, lowered.rfind("\n", first, word.start()) + 1)
    last = min(len(lowered), word.end() + REACH)
    end = lowered.find("\n", word.end(), last)
    answer = compiled(ANSWER).match(lowered, end) if end >= 0 else None
    return start, answer.end() if answer else end if end >= 0 else last


def _is_clear(text: str, line: str, found: Found) -> bool:
    """Neither a name, a version, a year nor a digest, which stand beside such words too."""
    kind, start, end = found
    value, named = text[start:end], compiled(NAMED).search(text[max(0, start - 20) : start])
    if kind == "PIN":
        return not named and len(value) >= 4 and not compiled(YEAR).match(value)
    if kind == "secret":
        if (name := compiled(NAME_OF_ID).match(value)) and describes(name[1]):
            return False
        numbered = bool(named) and is_hex(value)  # "request 5f1c…"
        return (
            len(value) >= LONG_TOKEN and value.isascii() and not numbered and not compiled(ABOUT_DIGESTS).search(line)
        )
    if compiled(NUMBER).fullmatch(value) or compiled(r"[0-9a-f]{6,64}$").match(value):
        return False
    return _is_made_up(value) and (not named or is_of_four_kinds(value) or (is_random(value) and not value.islower()))


def _is_made_up(value: str) -> bool:
    return (is_phrase(value, "") and sum(map(value.count, "-._")) >= 3) or is_made_up(value)


def _below(text: str, lowered: str, noun: Noun, word: re.Match[str]) -> Iterator[Found]:
    answer = compiled(TOLD_IN_ANSWER).match(lowered, word.end())
    if answer and _is_answer(answer):
        yield from value_of(text, answer, noun, word)
    for pattern in (TOLD_BELOW, TOLD_IN_PARAGRAPH):
        if match := compiled(pattern).match(lowered, word.end()):
            yield from value_of(text, match, noun, word)


def _is_answer(answer: re.Match[str]) -> bool:
    """After a question, with a time, or beginning as answers do."""
    return bool("?" in answer["rest"] or answer["answering"] or compiled(TIME).search(answer["turn"]))
