"""Sentences that tell a secret: "the password for the staging database is …", "log in with ann / …", "my PIN is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.guard.languages import (
    ACCOUNT_WORDS,
    COUNTED_THINGS,
    LINKING,
    OPENED,
    PASSWORD_WORDS,
    PHRASE_WORDS,
    PIN_WORDS,
    POSSESSIVE,
    SENTENCE_WORDS,
    SHORT_PASSWORD_WORDS,
    STILL,
    TOKEN_WORDS,
    VERBS,
    WIDE_LINKING,
    either,
)
from scrubjay.guard.patterns import VALUE_SIGN, Found, compiled
from scrubjay.guard.values import ORDINARY, is_hex, is_password_like, is_random

__all__ = ["told"]

REACH = 120  # characters of a sentence after the word
OVERLAP = 40  # characters: a link and its value may begin before where the last look ended
BACK = 110  # characters before the word
SHORTEST = 4  # characters: no value between two words is shorter
TOKEN_CHARACTERS = 10  # a token is at least as long

PIN = (
    rf"(?<![\w=/+-])(?:{either(PIN_WORDS)}|{either(OPENED)}[ -](?:code|pin|combination)|combination(?= is| to| for|:)|"
    rf"(?:code|pin|combination) (?:for|to|of) (?:the|my|our|her|his) {either(OPENED)})(?!\w)"
)
PASSWORD = (
    rf"{either([*PASSWORD_WORDS, *PHRASE_WORDS])}|(?<!\w){either(SHORT_PASSWORD_WORDS)}(?!\w)|mots? de passe|"
    r"(?:the|my|our|your|his|her|their) pass(?![a-z]|[ -]phrase)"
)
TOKEN = rf"(?<!\w){either(TOKEN_WORDS)}(?!\w)"
PASSWORD_SIGNS = ("pass", "mot de", "mots de", *PASSWORD_WORDS, *PHRASE_WORDS, *SHORT_PASSWORD_WORDS)
PIN_SIGNS = (*PIN_WORDS, "code", "pin", "combination")
# A noun after the word that makes it something else: a password manager is no password.
DESCRIBED = r"[ -]" + either(
    """
    manager hash hashes polic length limit field reset expir rule prompt file count budget usage window bucket type
    id name generator strength hint page form screen url button less ring board word point stroke
    """.split()
)
OTHER_KEY = r"(?<!\w)(?:cache|primary|foreign|sort|partition|public|host|object|map|row|hash|index|registry)[ -]$"
LINK = (
    r"(?:[：:](?=\s)|[：（—–→]|[ ][=(]|['’]s(?=[ ])|(?<!\)[ ])[-=]>|[ ]-[ ]|[ ](?=[\"'`“„«])|"
    r",[ ](?:it'?s|namely|which is)|"
    rf"(?<!\w){either(LINKING)}(?!\w)|[{WIDE_LINKING}])[ \t]{{0,3}}(?:{either(STILL)}[ ]){{0,2}}:?\s{{0,3}}"
)
SIGN = VALUE_SIGN.replace("&", "")  # in a sentence it parts no values
QUOTED = r"[\"'`“”„‚‘«*]{1,3}(?P<quoted>[^\"'`“”„‚‘’«»\n]{4,100})[\"'`“”‘’»]"
VALUE = rf"(?:{QUOTED}|[*(]{{0,3}}(?P<value>{SIGN}{{3,100}}+))"
TOLD = rf"{LINK}(?={VALUE})"  # the value is only looked at: another link may stand in it
TOLD_BESIDE = rf"(?:,?|[^\n?.]{{0,80}}\?)[ ]{VALUE}"
# On a line of its own below the word, or as the answer to a question.
TOLD_BELOW = (
    rf"(?m)(?:[ ](?:is|ist|es|est))?(?:[^\n?]{{0,80}}\?)?[ ]?[:：]?[*]{{0,2}}[ ]{{0,3}}\r?\n\s{{0,20}}(?:\w{{1,20}}: )?"
    rf"{VALUE}[ ]?$"
)
# The other way round: "… is the password", "use … as the new password".
BEING = either("is was as will for ist war als es era como est comme é è come =".split())
THAT_IS = "(?:that'?s |this is |which is |it'?s |das ist |c'est |es )?"
TOLD_BEFORE = (
    rf"(?<!\S)(?:{QUOTED}|[(]?(?P<value>{SIGN}{{3,100}}?)[)]?)"
    rf"(?:,?[ ]{BEING}[ ]|[ ]?[,(–—-]{{1,2}}[ ]?{THAT_IS}(?={either(POSSESSIVE)} ))"
    r"(?:[\w'’-]{1,20}[ ]){0,4}[\w-]{0,12}$"
)
# "type … when asked for the password"
TOLD_TO_USE = rf"(?<!\w){either(VERBS)}[ ][\"'`“„«(]{{0,2}}(?P<value>{SIGN}{{3,100}})[^\n.?!]{{0,70}}$"
# "You need the password. It is …" and "It was reset. The new one is …" go on.
GOES_ON = (
    r"(?i:it is|it's|that is|that's|this is|(?:the|your) (?:new|current|right) one|es ist|es lautet|es es|c'est|"
    r"das neue|la nueva|el nuevo|le nouveau)\b"
)
END = rf"[.!?](?:\s|$)(?!{GOES_ON})|\n\n|(?<![:=\s])[ ]{{0,3}}\n"
NUMBER = r"[0-9](?:[ -]?[0-9]){2,7}[#*]?"
COUNTED = r"[ ]?(?:%|(?:ms|s|h|min|kb|mb|gb|px|mm|cm|km|kg)\b|" + "|".join(COUNTED_THINGS) + ")"
DIGEST = r"(?i)(?<![a-z])(?:sha-?[0-9]{0,3}|md5|hash|digest|checksum|commit|fingerprint|uuid)(?![a-z])"
NO_PIN = ("1234", "0000", "12345", "123456")  # said as an example
JOINED = r"[A-Za-zäöüßéèñ]{3,14}(?:[ _.-][A-Za-zäöüßéèñ]{3,14}){2,9}$"
# Words that follow one another without any mark: only after a word for a phrase, or after a colon.
SPACED = (
    rf"(?P<noun>{either([*PASSWORD_WORDS, *PHRASE_WORDS])}|mot de passe)[^\n.:=\"]{{0,60}}?"
    r"(?P<link>[:=]|(?<![a-z])(?:is|are|ist|lautet|es|est)(?![a-z]):?)[ ]?"
    r"(?P<value>[a-zäöüßéèñ]{3,14}(?: [a-zäöüßéèñ]{3,14}){2,9})(?=[.!]?\s{0,2}$|[.!]?\n|[,.;] )"
)
# Two values after a word for an account: ann / …, ann:…, ann with …
PARTED = r"[ ]/[ ]?|/|:|\||[,;]?[ ](?:p|pw|pass):[ ]?|[ ](?:and|with|und|mit|y|con|et|avec|e)[ ]"
ACCOUNT = (
    rf"(?i)(?<![a-z]){either(ACCOUNT_WORDS)}(?:[ ][A-Za-z]{{1,12}}){{0,5}}[ ]?[:=]?[ ]"
    rf"[\"'`“„«*]{{0,2}}[\w.@+-]{{2,60}}[\"'`”“»*]{{0,2}}(?:{PARTED}){VALUE}"
)


def told(text: str, lowered: str) -> Iterator[Found]:
    if any(map(lowered.__contains__, PASSWORD_SIGNS)):
        yield from _told(text, lowered, "password", PASSWORD)
        yield from _spaced_phrases(text, lowered)
    if any(map(lowered.__contains__, TOKEN_WORDS)):
        yield from _told(text, lowered, "secret", TOKEN)
    if any(map(lowered.__contains__, PIN_SIGNS)):
        yield from _told(text, lowered, "PIN", PIN)
    if any(map(lowered.__contains__, ACCOUNT_WORDS)):
        yield from _accounts(text)


def _told(text: str, lowered: str, kind: str, noun: str) -> Iterator[Found]:
    seen = back = 0  # no part of the text is looked at for two words
    for word in _words(lowered, noun):
        end = _end_of_sentence(text, word.end())
        back = max(back, word.start() - BACK)
        matches = [compiled(pattern).match(lowered, word.end()) for pattern in (TOLD_BESIDE, TOLD_BELOW)]
        matches += [compiled(pattern).search(lowered, back, word.start()) for pattern in (TOLD_BEFORE, TOLD_TO_USE)]
        matches += compiled(TOLD).finditer(lowered, max(word.end(), seen - OVERLAP), end)
        for match in filter(None, matches):
            yield from _value_of(text, match, kind, word)
        seen, back = max(seen, end), word.end()


def _words(lowered: str, noun: str) -> Iterator[re.Match[str]]:
    """Those that a value can follow: neither a password manager nor one of many in a row."""
    last = None
    for word in compiled(noun).finditer(lowered):
        if last and last.end() + SHORTEST < word.start():
            yield last
        last = None if _is_about_something_else(lowered, word) else word
    if last:
        yield last


def _is_about_something_else(lowered: str, word: re.Match[str]) -> bool:
    """A password manager, a cache key."""
    before = lowered[max(0, word.start() - 12) : word.start()]
    return bool(compiled(DESCRIBED).match(lowered, word.end()) or compiled(OTHER_KEY).search(before))


def _end_of_sentence(text: str, start: int) -> int:
    stop = compiled(END).search(text, start, start + REACH)
    return stop.start() + 1 if stop else min(len(text), start + REACH)


def _value_of(text: str, match: re.Match[str], kind: str, word: re.Match[str]) -> Iterator[Found]:
    """The value, if it can be one of this kind."""
    quoted = match["quoted"] if "quoted" in match.re.groupindex else None
    start, end = match.span("quoted" if quoted else "value")
    value = text[start:end] if quoted else text[start:end].removesuffix("**").rstrip(".,:;)]}”“’»")
    end = start + len(value)
    if value[:1].isdigit() and compiled(NUMBER).fullmatch(value):
        fits = _is_pin(value, kind, word[0]) and not compiled(COUNTED).match(text, end)
    elif kind == "secret":
        fits = _is_token(value) and not compiled(DIGEST).search(text, word.end(), start)
    else:
        fits = kind == "password" and (is_password_like(value) or _is_phrase(value, word[0]))
    if fits and (quoted or _is_apart(text, start, end)):
        yield kind, start, end


def _is_token(value: str) -> bool:
    return is_password_like(value) and len(value) >= TOKEN_CHARACTERS and (is_random(value) or is_hex(value))


def _is_pin(number: str, kind: str, noun: str) -> bool:
    """A password of digits alone must be longer, or it could count something."""
    enough = 3 if kind == "PIN" else 4 if noun.startswith("passcode") else 6
    return kind != "secret" and len(number) >= enough and number not in NO_PIN and len(set(number)) > 1


def _is_phrase(value: str, noun: str) -> bool:
    """Three words or more that are no sentence and no name in code."""
    words = re.split("[ _.-]", value.lower())
    enough = 3 if noun in PHRASE_WORDS or "_" not in value else 4
    if len(words) < enough or not compiled(JOINED).match(value) or not (value.islower() or value.istitle()):
        return False
    joints = {sign for sign in value if not sign.isalpha()}
    return len(joints) == 1 and SENTENCE_WORDS.isdisjoint(words) and ORDINARY.isdisjoint(words)


def _is_apart(text: str, start: int, end: int) -> bool:
    """Not a piece of an address, a path or code."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return before not in ("/", ".", "@", "\\") and after not in ("/", "@", "\\", "=", "<", "(")


def _spaced_phrases(text: str, lowered: str) -> Iterator[Found]:
    for phrase in compiled(SPACED).finditer(lowered):
        plain = text[slice(*phrase.span("value"))]
        if (phrase["noun"] in PHRASE_WORDS or ":" in phrase["link"]) and _is_phrase(plain, phrase["noun"]):
            yield "passphrase", *phrase.span("value")


def _accounts(text: str) -> Iterator[Found]:
    for pair in compiled(ACCOUNT).finditer(text):
        start, end = pair.span("quoted" if pair["quoted"] else "value")
        value = text[start:end].rstrip(".,:;)]}”“’»")
        if is_password_like(value) and text[start + len(value) : start + len(value) + 1] not in ("/", "@", "\\", "("):
            yield "password", start, start + len(value)
