"""Values that nobody writes but as a secret, in one line with a word for a secret: no linking word is needed.

And numbers and phrases in one sentence with what they open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scrubjay.text.secret_scan.languages import LOCKS, NAMING, OPENING, either
from scrubjay.text.secret_scan.patterns import Found, Signs, compiled, shortest
from scrubjay.text.secret_scan.rules.prose import (
    BACK,
    COUNTED,
    NO_PIN,
    NUMBER,
    QUOTED,
    REACH,
    SIGN,
    Noun,
    NounsFound,
    is_phrase,
    value_of,
)
from scrubjay.text.secret_scan.values import is_hex, is_made_up, is_of_four_kinds, is_random

__all__ = ["LOCK_SIGNS", "in_same_line", "opening"]

LONG_TOKEN = 16  # characters
CANDIDATE = rf"(?<![^\s(*\"'`“„«:])[*(]{{0,3}}(?P<value>{SIGN}{{4,100}}+)"
# The next line, if it is an answer of one word: "[10:43] ann: …"
ANSWER = r"(?m)\r?\n(?:[\[(<]?[0-9:]{4,8}[\])>]? )?(?:<?\w{1,20}[>:]{1,2} )?\S{4,60}$"
IN_CODE_BEFORE = ("/", "_", ".")  # the word is a part of a path or a name
IN_CODE_AFTER = r"[-_(=/]|\.\w"
TO_PIN = r"(?<!the )(?<!my )(?<!our )(?<!your )(?<!her )(?<!his )(?<!new )pin\b"  # "pin issue 4821"
NAMED = rf"(?i)(?<!\w){either(NAMING)}[ ][#(\"'`]{{0,2}}$"  # "the password for web-01", "ticket 4711"
ABOUT_DIGESTS = r"(?i)(?<![a-z])(?:sha-?[0-9]{0,3}|md5|hash|digest|checksum|commit|fingerprint|uuid|id|merge)(?![a-z])"
YEAR = r"(?:19|20)[0-9]{2}$"
# "at the alarm panel, punch in …", "key in … to disarm it"; but for "door events" and the like
LOCK = rf"(?<![\w-]){either(LOCKS)}(?![\w-])"
LOCK_ALONE = rf"{LOCK}(?=[,:;]|[ ](?:panel|by|at|in|on|of|and|is|opens?|needs|asks|wants|when|to|for)(?!\w))"
TO_OPEN = r"(?<![\w-])(?:disarm|unlock)(?![\w-])"
KEY_IN = r"(?<![a-z])(?:(?:punch|key|type|tap|put)(?:ing)?[ ]in|dial|enter|press)[ ]"
KEYED_NUMBER = rf"(?P<value>{NUMBER})(?![\w-]|/|[.,:][0-9]|[ ](?:as|is)[ ]|{COUNTED})"
KEYED = (
    rf"(?:{LOCK_ALONE}|{TO_OPEN})[^\n.?!]{{0,80}}?{KEY_IN}{KEYED_NUMBER}",
    rf"{KEY_IN}{KEYED_NUMBER}[ ](?:at|on|into|to|for)[ ][^\n.?!]{{0,24}}?(?:{LOCK}|{TO_OPEN})",
)
# "unlock it with the phrase '…'", "to open the vault, say '…'"
SAID_TO_LOCK = (
    rf"(?<![a-z])(?:{either(OPENING)}|disarm|opens?[ ][^\n.?!]{{0,24}}?{LOCK})(?![a-z])[^\n.?!]{{0,80}}?"
    rf"(?<![a-z])(?:phrase|words|say|says|saying|speak|whisper)(?:[ ]is|:)?[ ]{QUOTED}"
)
# "when it prompts, type …"
TYPED = (
    r"(?<![a-z])(?:prompt(?:s|ed)?|asks|asked)(?![a-z])[^\n.?!]{0,40}?(?<![a-z])(?:type|enter|answer|use|give|say)[ ]"
    rf"(?:{QUOTED}|(?P<value>{SIGN}{{4,100}}+))"
)
LOCK_SIGNS: Signs = shortest([*LOCKS, *OPENING, "disarm", "unlock", "prompt", "asks", "asked"])


def opening(text: str, lowered: str, signs: Signs) -> Iterator[Found]:
    """Numbers that are keyed in, and phrases that are said, where something is locked; and answers to a prompt."""
    if signs.isdisjoint(LOCK_SIGNS):
        return
    for pattern in KEYED:
        for keyed in compiled(pattern).finditer(lowered):
            number = keyed["value"]
            if len(number) >= 4 and len(set(number)) > 1 and number not in NO_PIN and not compiled(YEAR).match(number):
                yield "PIN", *keyed.span("value")
    for said in compiled(SAID_TO_LOCK).finditer(lowered):
        if is_phrase(text[slice(*said.span("quoted"))], "passphrase"):
            yield "passphrase", *said.span("quoted")
    for typed in compiled(TYPED).finditer(lowered):
        start, end = typed.span("quoted" if typed["quoted"] else "value")
        value = text[start:end].rstrip(".,:;)]}”“’»")
        if is_of_four_kinds(value):
            yield "password", start, start + len(value)


def in_same_line(text: str, lowered: str, nouns: NounsFound) -> Iterator[Found]:
    for noun, words in nouns:
        yield from _beside(text, lowered, noun, words)


def _beside(text: str, lowered: str, noun: Noun, words: Sequence[re.Match[str]]) -> Iterator[Found]:
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
        numbered = bool(named) and is_hex(value)  # "request 5f1c…"
        return (
            len(value) >= LONG_TOKEN and value.isascii() and not numbered and not compiled(ABOUT_DIGESTS).search(line)
        )
    if compiled(NUMBER).fullmatch(value) or compiled(r"[0-9a-f]{6,64}$").match(value):
        return False
    return _is_made_up(value) and (not named or is_of_four_kinds(value) or (is_random(value) and not value.islower()))


def _is_made_up(value: str) -> bool:
    return (is_phrase(value, "") and sum(map(value.count, "-._")) >= 3) or is_made_up(value)
