"""Values that nobody writes but as a secret, in one line with a word for a secret: no linking word is needed.

And numbers and phrases in one sentence with what they open, passwords with the account that they are for, and those
that no word is needed for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scrubjay.text.secret_scan.languages import (
    ACCOUNT_WORDS,
    BY,
    KEYED_IN,
    KNOWN_ACCOUNTS,
    LOCKS,
    NAMING,
    OPENING,
    OPENS,
    TAKES,
    either,
)
from scrubjay.text.secret_scan.patterns import Found, Signs, compiled, has_any, shortest
from scrubjay.text.secret_scan.rules.prose import (
    ACCOUNT_SIGNS,
    BACK,
    COUNTED,
    NETWORKS,
    NO_PIN,
    NUMBER,
    QUOTED,
    REACH,
    SIGN,
    VALUE,
    Noun,
    NounsFound,
    is_phrase,
    value_of,
)
from scrubjay.text.secret_scan.values import (
    digits_in,
    is_hex,
    is_made_up,
    is_mixed_at_random,
    is_of_four_kinds,
    is_password_like,
    is_random,
)

__all__ = ["LOCK_SIGNS", "PARTED", "in_same_line", "opening", "unmarked", "with_accounts"]

LONG_TOKEN = 16  # characters
CANDIDATE = rf"(?<![^\s(*\"'`“„«:])[*(]{{0,3}}(?P<value>{SIGN}{{4,100}}+)"
# The next line, if it is an answer of one word: "[10:43] ann: …"
ANSWER = r"(?m)\r?\n(?:[\[(<]?[0-9:]{4,8}[\])>]? )?(?:<?\w{1,20}[>:]{1,2} )?\S{4,60}$"
IN_CODE_BEFORE = ("/", "_", ".")  # the word is a part of a path or a name
IN_CODE_AFTER = r"[-_(=/]|\.\w"
TO_PIN = r"(?<!the )(?<!my )(?<!our )(?<!your )(?<!her )(?<!his )(?<!new )pin\b"  # "pin issue 4821"
# "the password for web-01", "ticket 4711", "Wi-Fi: …"
NAMED = rf"(?i)(?<!\w)(?:{either(NAMING)}|{either(NETWORKS)}[ ]?[:=]?)[ ][#(\"'`]{{0,2}}$"
ABOUT_DIGESTS = r"(?i)(?<![a-z])(?:sha-?[0-9]{0,3}|md5|hash|digest|checksum|commit|fingerprint|uuid|id|merge)(?![a-z])"
YEAR = r"(?:19|20)[0-9]{2}(?:-[0-9]{2}-[0-9]{2})?$"
# "at the alarm panel, punch in …", "key in … to disarm it"; but for "door events" and the like
LOCK = rf"(?<![\w-]){either(LOCKS)}(?![\w-])"
LOCK_ALONE = (
    rf"{LOCK}(?=[,:;]|[ ](?:panel|by|at|in|on|of|and|is|opens?|needs|asks|wants|when|to|for|"
    r"de|du|il|der|des|della)(?!\w))"
)
TO_OPEN = r"(?<![\w-])(?:disarm|unlock)(?![\w-])"
KEY_IN = rf"(?<![a-z]){either(KEYED_IN)}[ ]"
# A number, perhaps in groups or with one letter or key beside it: 4482-1190, #5508, C2580
KEYED_NUMBER = (
    r"(?P<value>[#*]?[0-9](?:[ .-]?[0-9]){2,7}[a-z]?[#*]?|[a-z][0-9]{4,5}[a-z]?)"
    rf"(?![\w-]|/|[.,:][0-9]|[ ](?:as|is)[ ]|{COUNTED})"
)
# After it the sentence ends or goes on: what has a noun after it counts that.
ALONE = (
    r"(?=[.,;:!?)\"'”–—]|\s{0,3}(?:\n|$)|"
    r"[ ](?:[–—-]|[a-z]{2}(?![a-z])|then|and|but|before|after|followed|turning|when|dann|und|puis|luego)(?![a-z]))"
)
KEYED = (
    rf"(?:{LOCK_ALONE}|{TO_OPEN})[^\n.?!]{{0,80}}?{KEY_IN}{KEYED_NUMBER}",
    rf"{LOCK}[^\n.?!]{{0,60}}?(?<![a-z])(?:{either(OPENS)}[ ]{either(BY)}|{either(TAKES)})[ ]{KEYED_NUMBER}{ALONE}",
    rf"{LOCK_ALONE}[^\n.?!]{{0,40}}?(?:[ ]is|:|\?\s{{1,3}}(?:\w{{1,12}}: )?it['’]?s)[ ]{KEYED_NUMBER}{ALONE}",
    rf"(?m)(?:^|[.!?:;,][ ]|(?<![a-z])(?:code|number|pin|combo|combination)[ ]){KEYED_NUMBER}"
    rf"[ ]{either(OPENS)}[ ][^\n.?!]{{0,24}}?{LOCK}",
    rf"{KEY_IN}{KEYED_NUMBER}[ ](?:at|on|into|to|for)[ ][^\n.?!]{{0,24}}?(?:{LOCK}|{TO_OPEN})",
)
# "unlock it with the phrase '…'", "to open the vault, say '…'"
SAID_TO_LOCK = (
    rf"(?<![a-z])(?:{either(OPENING)}|disarm|opens?[ ][^\n.?!]{{0,24}}?{LOCK})(?![a-z])[^\n.?!]{{0,80}}?"
    rf"(?<![a-z])(?:phrase|words|say|says|saying|speak|whisper)(?:[ ]is|:)?[ ]{QUOTED}"
)
# A password that needs no word beside it: of four kinds, with a sign inside, in a sentence.
UNMARKED = (
    r"(?<=[ \n(\"'`“„«*])(?P<value>[A-Za-z0-9][\w.@+?*/-]{0,39}[!#$%^&~][\w!#$%^&*~.@+?/-]{1,40}+)"
    r"(?=[.,:;)\"'`”“»*]{0,3}(?:\s|$))"
)
UNMARKED_SIGNS = "!#$%^&~"
CODE_LINE = r"[={}\[\]<>|\\$]|;[ ]{0,3}$"
AFTER_WORD = r"[^\W\d_][,:;.–—-]{0,2}\s{1,2}[\"'`“„«(*]{0,2}$"
# A number of something, a variable, an escape, a format, an anchor: a password has a sign besides.
OTHER_SIGNS = r"[#~][0-9]++|\^|\$[0-9]++|\$[A-Z_]{2}|%[0-9A-F]{2}|%[0-9.]{0,4}[a-z]|&#?[0-9]++|\.html?#"
# Two values after a word for an account: ann / …, ann:…, ann with …
PARTED = (
    r"[ ]/[ ]?|/|:|\||[,;]?[ ](?:p|pw|pass):[ ]?|"
    r"[ ](?:and|with|und|mit|y|con|et|avec|e)[ ](?:(?:then|dann|luego|puis)[ ])?"
)
ACCOUNT = (
    rf"(?i)(?<![a-z]){either(ACCOUNT_WORDS)}(?:[ ][A-Za-z]{{1,12}}){{0,5}}[ ]?[:=]?[ ]"
    rf"[\"'`“„«*(]{{0,2}}[\w.@+-]{{2,60}}[\"'`”“»*]{{0,2}}(?:{PARTED}){VALUE}"
)
# "the admin account uses …", "root logs in with …", "unlock the phone with …", "admin / …"
HAVING = r"(?:uses|has|got|with|using|wants|takes|nutzt|benutzt|hat|mit|usa|tiene|con|utilise|a|avec)"
ACCOUNT_HAS = (
    rf"(?i)(?<![a-z])(?:{either([*ACCOUNT_WORDS, *OPENING, *KNOWN_ACCOUNTS])}(?:[ ][A-Za-zÀ-ÿ]{{1,14}}){{0,4}}"
    rf"[ ]{HAVING}[ ](?:[–—-][ ])?|{either(KNOWN_ACCOUNTS)}(?:[ ]?[/|][ ]?|:)){VALUE}"
)
# "ssh ann@db1.example.org, …"
ACCOUNT_AT = rf"(?im)(?<![\w.@+-])[\w.+-]{{1,60}}@[\w.-]{{1,80}}[,;][ ]{VALUE}(?=[ ]{{0,3}}$)"
AFTER_PIECE = ("/", "@", "\\", "(")  # of an address, a path or code
NUMBER_OF_SOMETHING = r"[\w.-]{1,60}#[0-9]{1,9}$"  # issue#12
LOCK_SIGNS: Signs = shortest([*LOCKS, *OPENING, "disarm", "unlock"])


def opening(text: str, lowered: str, signs: Signs) -> Iterator[Found]:
    """Numbers that are keyed in, and phrases that are said, where something is locked."""
    if signs.isdisjoint(LOCK_SIGNS):
        return
    for pattern in KEYED:
        for keyed in compiled(pattern).finditer(lowered):
            if _is_code(keyed["value"]):
                yield "PIN", *keyed.span("value")
    for said in compiled(SAID_TO_LOCK).finditer(lowered):
        if is_phrase(text[slice(*said.span("quoted"))], "passphrase"):
            yield "passphrase", *said.span("quoted")


def with_accounts(text: str, signs: Signs) -> Iterator[Found]:
    """Passwords that are told with the account that they are for."""
    if signs.isdisjoint(ACCOUNT_SIGNS):
        return
    for pattern, fits in ((ACCOUNT, _fits_account), (ACCOUNT_HAS, _is_sure), (ACCOUNT_AT, _is_made_up_password)):
        for told in compiled(pattern).finditer(text):
            start, end = told.span("quoted" if told["quoted"] else "value")
            value = text[start:end].rstrip(".,:;)]}”“’»")
            end = start + len(value)
            if fits(value, text[start - 1 : start]) and text[end : end + 1] not in AFTER_PIECE:
                yield "password", start, end


def _fits_account(value: str, before: str) -> bool:
    """Right after a slash it may be a part of a path or of a name."""
    return is_password_like(value) and (before != "/" or is_made_up(value))


def _is_sure(value: str, before: str) -> bool:
    random = is_mixed_at_random(value) and is_password_like(value)
    return (is_of_four_kinds(value) or random) and not compiled(NUMBER_OF_SOMETHING).match(value)


def _is_made_up_password(value: str, before: str) -> bool:
    return is_made_up(value) and is_password_like(value)


def unmarked(text: str) -> Iterator[Found]:
    """Passwords in a sentence that has no word for them: "log in as ann and use …"."""
    if not has_any(text, UNMARKED_SIGNS):
        return
    for match in compiled(UNMARKED).finditer(text):
        start, value = match.start("value"), match["value"].rstrip(".:*?!")
        if compiled(r"[A-Za-z0-9][!#$%^&~]{1,3}[A-Za-z0-9]").search(value) and is_password_like(value):
            if is_of_four_kinds(compiled(OTHER_SIGNS).sub("", value)) and _is_in_sentence(text, start, match.end()):
                yield "password", start, start + len(match["value"].rstrip(".:*?"))


def _is_in_sentence(text: str, start: int, end: int) -> bool:
    """After a word, in a line that is no code."""
    line = text[max(0, start - REACH) : start].rpartition("\n")[2] + text[end : end + REACH].partition("\n")[0]
    return bool(compiled(AFTER_WORD).search(text[max(0, start - 8) : start])) and not compiled(CODE_LINE).search(line)


def _is_code(number: str) -> bool:
    return digits_in(number) >= 4 and len(set(number)) > 1 and number not in NO_PIN and not compiled(YEAR).match(number)


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
