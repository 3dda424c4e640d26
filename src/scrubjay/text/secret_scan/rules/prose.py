"""Sentences that tell a secret: "the password for the staging database is …", "log in with ann / …", "my PIN is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.languages import (
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
from scrubjay.text.secret_scan.patterns import VALUE_SIGN, Found, compiled
from scrubjay.text.secret_scan.values import ORDINARY, is_hex, is_password_like, is_random

__all__ = ["BACK", "NOUNS", "NUMBER", "REACH", "SIGN", "is_phrase", "told", "value_of", "words_for"]

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
# By kind: the words for it, and signs that one of them may be in a text.
NOUNS = {"password": (PASSWORD, PASSWORD_SIGNS), "secret": (TOKEN, TOKEN_WORDS), "PIN": (PIN, PIN_SIGNS)}
# A noun after the word that makes it something else: a password manager is no password.
DESCRIBED = (
    r"[ -]"
    + either(
        """
    manager hash hashes polic length limit expir rule file count budget usage window bucket type
    id name generator strength hint url button less ring board word point stroke
    """.split()
    )
    + r"(?!\w{0,12}[._-][a-z])"
)  # but for a phrase of words that begins with one of them
OTHER_KEY = r"(?<!\w)(?:cache|primary|foreign|sort|partition|public|host|object|map|row|hash|index|registry)[ -]$"
LINK = (
    r"(?:[：:](?=\s)|[：（—–→]|[ ][=(]|['’]s(?=[ ])|(?<!\)[ ])[-=]>|[ ]-[ ]|[ ](?=[\"'`“„«])|"
    r",[ ](?:it'?s|namely|which is)|"
    rf"(?<!\w){either([*LINKING, *VERBS])}(?!\w)|[{WIDE_LINKING}])[ \t]{{0,3}}"
    rf"(?:{either(STILL)},?[ ]){{0,3}}:?\s{{0,3}}"
)
SIGN = VALUE_SIGN.replace("&", "")  # in a sentence it parts no values
QUOTED = r"[\"'`“”„‚‘«*]{1,3}(?P<quoted>[^\"'`“”„‚‘’«»\n]{4,100})[\"'`“”‘’»]"
VALUE = rf"(?:{QUOTED}|[*(]{{0,3}}(?P<value>{SIGN}{{3,100}}+))"
TOLD = rf"{LINK}(?={VALUE})"  # the value is only looked at: another link may stand in it
TOLD_BESIDE = rf",?[ ]{VALUE}"
TOLD_AS_ANSWER = rf"[^\n?.]{{0,80}}\?[ ]{VALUE}"
# On a line of its own below the word, or in the next turn of a conversation.
BELOW = r"(?:[ ](?:is|ist|es|est))?(?:[^\n?]{0,80}\?)?[ ]?[:：]?[*]{0,2}[ ]{0,3}\r?\n\s{0,20}(?:\w{1,20}: )?"
NEXT_TURN = r"[^\n]{0,80}\n[^\n:]{1,30}: (?:it'?s|it is|try|es ist|es|c'est)[ ]"
TOLD_BELOW = rf"(?m)(?:{NEXT_TURN}|{BELOW}){VALUE}[ ]?$"
# The other way round: "… is the password", "use … as the new password", "… (password)", "… <- password".
BEING = either("is was as will for ist war als für es era como para est comme pour é è come =".split())
THAT_IS = "(?:that'?s |this is |which is |it'?s |das ist |c'est |es )?"
JOINT = (
    rf",?[ ]{BEING}[ ]|[ ]?[,(–—-]{{1,2}}[ ]?{THAT_IS}(?={either(POSSESSIVE)} )|"
    rf"[ ](?:[–—-]|<-{{1,2}}|[←=]|(?:[a-z]{{2,8}}[ ])?[(])[ ]?{THAT_IS}"
)
WORD_SIGN = r"[\w'’\u00c0-\u024f-]"
UP_TO_WORD = rf"(?:{WORD_SIGN}{{1,20}}[ ]){{0,4}}{WORD_SIGN}{{0,12}}$"
TOLD_BEFORE = rf"(?<!\S)(?:{QUOTED}|[(]?(?P<value>{SIGN}{{3,100}}?)[)]?)(?=(?:{JOINT}){UP_TO_WORD})"
# "type … when asked for the password"
TOLD_TO_USE = rf"(?<!\w){either(VERBS)}[ ][\"'`“„«(]{{0,2}}(?P<value>{SIGN}{{3,100}}+)(?=[^\n.?!]{{0,70}}$)"
# "You need the password. It is …" and "It was reset. The new one is …" go on.
GOES_ON = (
    r"(?i:(?:now |currently |i think |so |then |just )?(?:it is|it's|its|that is|that's|this is|it was|"
    r"it should|try|use)|(?:the|your|my|our) (?:new|current|right|correct|old) one|"
    r"(?:jetzt |nun )?(?:es ist|es lautet|er lautet|ist es)|"
    r"(?:ahora )?(?:es|ahora)|c'est|das neue|la nueva|el nuevo|le nouveau|la nouvelle)\b"
)
END = rf"[.!](?:\s|$)(?!{GOES_ON})|\n\n|(?<![:=?\s])[ ]{{0,3}}\n"  # a question's answer follows it
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
# Four words or more that no sentence has side by side, anywhere in a sentence with a word for a phrase.
OWN_WORD = rf"(?!{either([*SENTENCE_WORDS, *LINKING, *STILL])}\b)[a-zäöüßéèñ]{{3,14}}(?![\w'’-])"
OWN_WORDS = rf"(?P<value>{OWN_WORD}(?: {OWN_WORD}){{3,9}})"
PHRASE_AFTER = rf"{either(PHRASE_WORDS)}(?:[^\n.:=\"]{{0,60}}?{LINK}|,?[ ]){OWN_WORDS}"
PHRASE_BEFORE = (
    rf"(?m)(?:^|(?<![a-z]){either([*VERBS, *LINKING])}[ ]|[:,][ ]){OWN_WORDS}(?:{JOINT})"
    rf"(?:{WORD_SIGN}{{1,20}}[ ]){{0,4}}{either(PHRASE_WORDS)}"
)
SAID_OF_PHRASE = r"(?:ly|ed|ing)(?![a-z])"  # "is requested interactively upon startup"
# Two values after a word for an account: ann / …, ann:…, ann with …
PARTED = r"[ ]/[ ]?|/|:|\||[,;]?[ ](?:p|pw|pass):[ ]?|[ ](?:and|with|und|mit|y|con|et|avec|e)[ ]"
ACCOUNT = (
    rf"(?i)(?<![a-z]){either(ACCOUNT_WORDS)}(?:[ ][A-Za-z]{{1,12}}){{0,5}}[ ]?[:=]?[ ]"
    rf"[\"'`“„«*]{{0,2}}[\w.@+-]{{2,60}}[\"'`”“»*]{{0,2}}(?:{PARTED}){VALUE}"
)


def told(text: str, lowered: str) -> Iterator[Found]:
    for kind, (noun, signs) in NOUNS.items():
        if any(map(lowered.__contains__, signs)):
            yield from _told(text, lowered, kind, noun)
    if any(map(lowered.__contains__, PASSWORD_SIGNS)):
        yield from _spaced_phrases(text, lowered)
    if any(map(lowered.__contains__, ACCOUNT_WORDS)):
        yield from _accounts(text)


def _told(text: str, lowered: str, kind: str, noun: str) -> Iterator[Found]:
    seen = back = 0  # no part of the text is looked at for two words
    for word in words_for(lowered, noun):
        end = _end_of_sentence(text, word.end())
        back = max(back, word.start() - BACK)
        matches = [
            compiled(pattern).match(lowered, word.end()) for pattern in (TOLD_BESIDE, TOLD_AS_ANSWER, TOLD_BELOW)
        ]
        for pattern in (TOLD_BEFORE, TOLD_TO_USE):
            matches += compiled(pattern).finditer(lowered, back, word.start())
        matches += compiled(TOLD).finditer(lowered, max(word.end(), seen - OVERLAP), end)
        for match in filter(None, matches):
            yield from value_of(text, match, kind, word)
        seen, back = max(seen, end), word.end()


def words_for(lowered: str, noun: str) -> Iterator[re.Match[str]]:
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


def value_of(text: str, match: re.Match[str], kind: str, word: re.Match[str]) -> Iterator[Found]:
    """The value, if it can be one of this kind."""
    quoted = match["quoted"] if "quoted" in match.re.groupindex else None
    start, end = match.span("quoted" if quoted else "value")
    value = text[start:end] if quoted else text[start:end].removesuffix("**").rstrip(".,:;)]}”“’»")
    end = start + len(value)
    start -= not quoted and text[start - 1 : start] == "*" != text[end : end + 1]  # a sign of its own, no mark of bold
    if value[:1].isdigit() and compiled(NUMBER).fullmatch(value):
        fits = _is_pin(value, kind, word[0]) and not compiled(COUNTED).match(text, end)
    elif kind == "secret":
        fits = _is_token(value) and not compiled(DIGEST).search(text, word.end(), start)
    else:
        fits = kind == "password" and (is_password_like(value) or is_phrase(value, word[0]))
    if fits and (quoted or _is_apart(text, start, end)):
        yield kind, start, end


def _is_token(value: str) -> bool:
    return is_password_like(value) and len(value) >= TOKEN_CHARACTERS and (is_random(value) or is_hex(value))


def _is_pin(number: str, kind: str, noun: str) -> bool:
    """A password of digits alone must be longer, or it could count something."""
    enough = 3 if kind == "PIN" else 4 if noun.startswith("passcode") else 6
    return kind != "secret" and len(number) >= enough and number not in NO_PIN and len(set(number)) > 1


def is_phrase(value: str, noun: str) -> bool:
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
    patterns = (SPACED, PHRASE_AFTER, PHRASE_BEFORE) if any(map(lowered.__contains__, PHRASE_WORDS)) else (SPACED,)
    for pattern in patterns:
        for phrase in compiled(pattern).finditer(lowered):
            start, end = phrase.span("value")
            if not compiled(SAID_OF_PHRASE).search(phrase["value"]) and _is_spaced_phrase(text[start:end], phrase):
                yield "passphrase", start, end


def _is_spaced_phrase(value: str, phrase: re.Match[str]) -> bool:
    """After a password, a colon must say that all these words are one value."""
    if "noun" not in phrase.re.groupindex:
        return True
    return (phrase["noun"] in PHRASE_WORDS or ":" in phrase["link"]) and is_phrase(value, phrase["noun"])


def _accounts(text: str) -> Iterator[Found]:
    for pair in compiled(ACCOUNT).finditer(text):
        start, end = pair.span("quoted" if pair["quoted"] else "value")
        value = text[start:end].rstrip(".,:;)]}”“’»")
        if is_password_like(value) and text[start + len(value) : start + len(value) + 1] not in ("/", "@", "\\", "("):
            yield "password", start, start + len(value)
