"""Sentences that tell a secret: "the password for the staging database is …", "log in with ann / …", "my PIN is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scrubjay.text.secret_scan.languages import (
    AUTHENTICATORS,
    CODES,
    COUNTED_THINGS,
    LINKING,
    NAMED_IN_QUOTES,
    NO_PIN,
    OPENED,
    OPENED_AFTER,
    OTHER_SUBJECTS,
    PASSWORD_WORDS,
    PHRASE_WORDS,
    PIN_WORDS,
    POSSESSIVE,
    RECOVERY_WORDS,
    SENTENCE_WORDS,
    SHORT_PASSWORD_WORDS,
    STILL,
    TOKEN_WORDS,
    VERBS,
    WEAK_PASSWORD_WORDS,
    WIDE_LINKING,
    either,
)
from scrubjay.text.secret_scan.patterns import VALUE_SIGN, Found, Signs, compiled, has_any, shortest
from scrubjay.text.secret_scan.values import (
    ODD_ENOUGH,
    ORDINARY,
    SAID_TO_BE_ONE,
    WORDS_IN_ONE,
    digits_in,
    is_chain_of_names,
    is_hex,
    is_in_hex_parts,
    is_made_up,
    is_of_four_kinds,
    is_password_like,
    is_random,
    odd_share,
)

__all__ = [
    "BACK",
    "NETWORKS",
    "NUMBER",
    "PROSE_SIGNS",
    "REACH",
    "SIGN",
    "VALUE",
    "Noun",
    "NounsFound",
    "is_phrase",
    "nouns_in",
    "told",
    "value_of",
]

NAMED_WITHIN = 16  # characters
REACH = 120  # characters of a sentence after the word
OVERLAP = 40  # characters: a link and its value may begin before where the last look ended
BACK = 110  # characters before the word
NEAR = 60  # characters between a network and its password
NETWORKS = ("wifi", "wi-fi", "wlan")  # with a word for a password after it, what follows at once is its name
SHORTEST = 4  # characters: no value between two words is shorter
TOKEN_CHARACTERS = 10  # a token is at least as long
MANY_DIGITS = 6

# A code in such a language may also be a program's, and a door a port: "el código del portal devuelve …".
CODE_IS_TOLD = (
    rf"(?=(?:[ '’][^\W\d]{{1,12}}){{0,3}},?[ ]?(?:[:=]|{either(LINKING)}(?!\w))|(?<!porta)(?<!poort)[ ][0-9])"
)
PIN = (
    rf"(?<![\w=/+])(?:(?<=[a-z]-)pin|(?<!-)(?:{either(PIN_WORDS)}|{either(OPENED)}[ -](?:code|pin|combination)|"
    r"(?<!in )combination(?= is| to| for|:)|"
    rf"{either(CODES)} (?:[a-zà-ÿа-я]{{1,5}}[ '’]){{0,2}}{either(OPENED_AFTER)}{CODE_IS_TOLD}|digicode|"
    rf"(?:code|pin|combination) (?:for|to|of) (?:the|my|our|her|his) {either(OPENED)}))(?!\w)"
)
PASSWORD = (
    rf"{either([*PASSWORD_WORDS, *PHRASE_WORDS, *RECOVERY_WORDS])}|(?<!\w){either(SHORT_PASSWORD_WORDS)}(?!\w)|"
    r"mots? de passe|(?:the|my|our|your|his|her|their) pass(?![a-z]|[ -]phrase)"
)
TOKEN = rf"(?<!\w)(?<!::){either(TOKEN_WORDS)}(?!\w)"  # "AWS::ApiGateway::ApiKey" names a type
PASSWORD_SIGNS = shortest(
    ["pass", "mot de", "mots de", *PASSWORD_WORDS, *PHRASE_WORDS, *RECOVERY_WORDS, *SHORT_PASSWORD_WORDS]
)
PIN_SIGNS = shortest([*PIN_WORDS, *CODES, "pin", "combination"])
TOKEN_SIGNS = shortest(TOKEN_WORDS)
CODE_SIGNS = shortest([*RECOVERY_WORDS, *TOKEN_WORDS, *AUTHENTICATORS])
# "the login is …", "pass for the wiki: …": neither "log in" nor "tests pass".
WEAK = (
    r"(?<![\w./-])(?:(?:the|my|our|your|his|her|their|admin|root|a|which|new|old|for) "
    rf"{either(WEAK_PASSWORD_WORDS)}(?![\w/-])|"
    rf"{either(WEAK_PASSWORD_WORDS)}(?= (?:for|on|of) |[ ]?[:=] ))"
)


class Noun(NamedTuple):
    """A word for a secret: the kind of it, the pattern, and signs that one may be in a text."""

    kind: str
    pattern: str
    signs: Signs
    is_weak: bool = False


NOUNS = (
    Noun("password", PASSWORD, PASSWORD_SIGNS),
    Noun("secret", TOKEN, TOKEN_SIGNS),
    Noun("PIN", PIN, PIN_SIGNS),
    Noun("password", WEAK, frozenset(WEAK_PASSWORD_WORDS), is_weak=True),
)
PROSE_SIGNS = CODE_SIGNS.union(*(noun.signs for noun in NOUNS))
NounsFound = Sequence[tuple[Noun, Sequence[re.Match[str]]]]  # each with the places where it stands
# A noun after the word that makes it something else: a password manager is no password.
DESCRIBED = (
    r"[ -]"
    + either(
        """
    pad manager hash hashes polic length limit expir rule file count budget usage window bucket type
    network netz ssid hotspot id name generator strength hint url button less ring board word point stroke
    foránea primaria única compuesta candidata
    """.split()
    )
    + r"(?!\w{0,12}[._-][a-z])|[ ](?:is |are )?(?:called|named)(?!\w)"
)  # but for a phrase of words that begins with one of them
NEXT_STRING = r"[\"'],\s{0,20}[\"']"
OTHER_KEY = (
    r"(?<!\w)(?:cache|primary|foreign|sort|partition|public|host|object|map|row|hash|index|registry|websocket|"
    r"gpg|gnupg|pgp|openpgp)[ -]$"
)
LINK = (
    r"(?:[：:](?=\s)|[：（—–→]|[ ][=(]|['’]s(?=[ ])|(?<!\)[ ])[-=]>|[ ]-[ ]|[ ](?=[\"'`“„«])|(?:\.\.\.|…)(?=[ ])|"
    r",[ ](?:it'?s|namely|which is)|"
    rf"(?<!\w){either([*LINKING, *VERBS])}(?!\w)|[{WIDE_LINKING}])[ \t]{{0,3}}"
    rf"(?:{either(STILL)},?[ ]){{0,3}}:?\s{{0,3}}"
)
SIGN = VALUE_SIGN.replace("&", "")  # in a sentence it parts no values
QUOTED = r"[\"'`“”„‚‘«*]{1,3}(?P<quoted>[^\"'`“”„‚‘’«»\n]{4,100})[\"'`“”‘’»]"
TELLS_NEXT = r"[ ]?(?:is(?!\w)|[:=])"
VALUE = rf"(?:{QUOTED}|[*(]{{0,3}}(?P<value>{SIGN}{{3,100}}+))"
TOLD = rf"{LINK}(?={VALUE})"  # the value is only looked at: another link may stand in it
TOLD_BESIDE = rf",?[ ]{VALUE}"
TOLD_AS_ANSWER = rf"[^\n?.]{{0,80}}\?[ ]{VALUE}"
# The other way round: "… is the password", "use … as the new password", "… (password)", "… <- password".
NO_PARTICIPLE = r"(?!\w{2,12}(?:ed|ing)[ ])"
BEING = either("is was as will for ist war als für es era como para est comme pour é è come =".split())
THAT_IS = "(?:that'?s |this is |which is |it'?s |das ist |c'est |es )?"
WORKS = either("works worked does did serves goes funktioniert geht passt sirve funciona marche fonctionne".split())
JOINT = (
    rf",?[ ](?:{WORKS}[ ])?{BEING}[ ]{NO_PARTICIPLE}|[ ]?[,(–—-]{{1,2}}[ ]?{THAT_IS}(?={either(POSSESSIVE)} )|"
    rf"[ ](?:[–—-]|<-{{1,2}}|[←=]|(?:[a-z]{{2,8}}[ ])?[(])[ ]?{THAT_IS}"
)
WORD_SIGN = r"[\w'’\u00c0-\u024f-]"
UP_TO_WORD = rf"(?:{WORD_SIGN}{{1,20}}[ ]){{0,4}}{WORD_SIGN}{{0,12}}$"
TOLD_BEFORE = rf"(?<!\S)(?:{QUOTED}|[(]?(?P<value>{SIGN}{{3,100}}?)[)]?)(?=(?:{JOINT}){UP_TO_WORD})"
# "type … when asked for the password"
TOLD_TO_USE = rf"(?<!\w){either(VERBS)}[ ](?:{QUOTED}|[(]{{0,2}}(?P<value>{SIGN}{{3,100}}+))(?=[^\n.?!]{{0,70}}$)"
# "You need the password. It is …" and "It was reset. The new one is …" go on.
GOES_ON = (
    r"(?i:it used to be|(?:now |currently |i think |so |then |just )?(?:it is|it's|its|that is|that's|this is|it was|"
    r"it should|try|use)|(?:the|your|my|our) "
    r"(?:new|current|right|correct|old|previous|former|last|real|actual|other|temporary) one|"
    r"(?:[a-z]{2,9} (?:said|says) )?(?:ours|mine|yours|theirs) (?:is|was)|unser(?:er|es)? ist|(?:la|el) nuestr[ao] es|"
    r"(?:jetzt |nun )?(?:es ist|es lautet|er lautet|ist es)|"
    r"(?:ahora )?(?:es|ahora)|c'est|das neue|la nueva|el nuevo|le nouveau|la nouvelle)\b"
)
# "…, and my user name is"
OF_ANOTHER = (
    r"(?:^|[.?!,;][ ]|(?<![a-z])(?:and|but|und|aber|y|et|mais)[ ])"
    rf"(?:{either(POSSESSIVE)}[ ])?{either(OTHER_SUBJECTS)}[ ]?$"
)
END = rf"(?<!\.)[.!](?:\s|$)(?!{GOES_ON})|\n\n|(?<![:=?\s])[ ]{{0,3}}\n"  # a question's answer follows it
NUMBER = r"[#*]?[0-9](?:[ -]?[0-9]){2,7}[#*A-D]?"
COUNTED = r"[ /][0-9]{5,9}(?![0-9])|[ ]?(?:%|(?:ms|s|h|min|kb|mb|gb|px|mm|cm|km|kg)\b|" + "|".join(COUNTED_THINGS) + ")"
# A year, and the end of a telephone number
OTHER_NUMBER = (
    r"(?i)(?<!\w)(?:in|im|en|em|nel|since|seit|depuis|desde)[ ](?:19|20)[0-9]{2}$|(?<!\w)\+[0-9][0-9 ()/-]{1,22}$|"
    r"(?<!\w)0[0-9]{2,4}[ /][0-9]{5,9}$|"
    r"(?<!code )(?<!code is )(?<!code: )(?<!it's )#[0-9 -]{2,12}$"
)
DIGEST = r"(?i)(?<![a-z])(?:sha-?[0-9]{0,3}|md5|hash|digest|checksum|commit|fingerprint|uuid)(?![a-z])"
KEY_NUMBER = r"(?:0x)?(?:[0-9A-F]{16}|[0-9A-F]{40})$"  # of a public key, as GnuPG writes it
DOOR_CODE = r"(?=[0-9]{0,5}[A-D])[0-9A-D]{4,6}$"  # of a keypad with letters: 48B21
TICKET = r"[A-Z]{2,10}-?[0-9]{1,8}$"
OF_TICKET = r"(?i)(?:ticket|issue|bug|incident|change|request|case|jira)"
BLOCK_BEGINS = ('" {', "' {")
JOINED = r"[A-Za-zäöüßéèñ]{3,14}(?:[ _.-][A-Za-zäöüßéèñ]{3,14}){2,9}$"
# Words that follow one another without any mark: only after a word for a phrase, or after a colon.
SPACED = (
    rf"(?P<noun>{either([*PASSWORD_WORDS, *PHRASE_WORDS])}|mot de passe)[^\n.:=\"]{{0,60}}?"
    r"(?P<link>[:=]|(?<![a-z])(?:is|are|ist|lautet|es|est)(?![a-z]):?)[ ]?"
    r"(?P<value>[a-zäöüßéèñ]{3,14}(?: [a-zäöüßéèñ]{3,14}){2,9})(?=[.!]?\s{0,2}$|[.!]?\n|[,.;] )"
)
# Groups of letters and digits, as recovery codes and the keys of authenticator apps are written.
GROUPED = (
    rf"(?:{either([*RECOVERY_WORDS, *TOKEN_WORDS, *AUTHENTICATORS])})(?!\w)[^\n:=]{{0,40}}"
    r"(?:[:=]|(?<![a-z])(?:is|ist|es|est)(?![a-z]))\s{0,12}"
    r"(?P<value>[a-z0-9]{4,6}(?:([ -])[a-z0-9]{4,6})(?:\2[a-z0-9]{4,6}){2,11})(?![\w-])"
)
# Four groups of four letters, which no words are: a password for one app, as Google and Apple give them.
APP_PASSWORD = (
    rf"(?:{either([*PASSWORD_WORDS, *RECOVERY_WORDS])})(?!\w)[^\n.!?]{{0,60}}?(?<![\w-])"
    r"(?P<value>[a-z]{4}([ -])[a-z]{4}\2[a-z]{4}\2[a-z]{4})(?![\w-]|[ ][a-z]{1,12}[ ][a-z])"
)
CODE_LINE = (
    r"\r?\n[ \t]{0,8}(?:[-*•]|[0-9]{1,2}[.):])?[ ]{0,3}[a-z0-9]{4,10}(?:[ -][a-z0-9]{4,10}){0,3}[ ]{0,3}(?=\r?\n|$)"
)
# The same side by side: "backup codes: …, … and …".
CODE = r"[a-z0-9]{4,12}(?:-[a-z0-9]{4,12}){0,3}(?![\w-])"
CODE_ROW = (
    rf"{either(RECOVERY_WORDS)}(?!\w)[^\n:=]{{0,40}}(?:[:=]|(?<![a-z])(?:is|are|ist|sind|es|son|est|sont)(?![a-z]))[ ]"
    rf"(?P<lines>{CODE}(?:(?:[,;/][ ]?|[ ])(?:(?:and|und|y|et)[ ])?{CODE}){{1,15}})"
)
CODE_ALONE = r"(?m)[a-z0-9]{4,10}(?:[ -][a-z0-9]{4,10}){0,3}(?=[ \r]{0,3}$)"
CODE_LIST = rf"{either(RECOVERY_WORDS)}(?!\w)[^\n]{{0,40}}(?P<lines>(?:{CODE_LINE}){{1,24}})"
# Four words or more that no sentence has side by side, anywhere in a sentence with a word for a phrase.
OWN_WORD = rf"(?!{either([*SENTENCE_WORDS, *LINKING, *STILL])}\b)[a-zäöüßéèñ]{{3,14}}(?![\w'’-])"
OWN_WORDS = rf"(?P<value>{OWN_WORD}(?: {OWN_WORD}){{3,9}})"
PHRASE_AFTER = rf"{either(PHRASE_WORDS)}(?:[^\n.:=\"]{{0,60}}?{LINK}|,?[ ]){OWN_WORDS}"
PHRASE_BEFORE = (
    rf"(?m)(?:^|(?<![a-z]){either([*VERBS, *LINKING])}[ ]|[:,][ ]){OWN_WORDS}(?:{JOINT})"
    rf"(?:{WORD_SIGN}{{1,20}}[ ]){{0,4}}{either(PHRASE_WORDS)}"
)
SAID_OF_PHRASE = r"(?:ly|ed|ing)(?![a-z])"  # "is requested interactively upon startup"


def nouns_in(lowered: str, signs: Signs) -> NounsFound:
    return [(noun, list(_words_for(lowered, noun))) for noun in NOUNS if not signs.isdisjoint(noun.signs)]


def told(text: str, lowered: str, signs: Signs, nouns: NounsFound) -> Iterator[Found]:
    for noun, words in nouns:
        yield from _told(text, lowered, noun, words)
    if not signs.isdisjoint(PASSWORD_SIGNS):
        yield from _spaced_phrases(text, lowered)
    if not signs.isdisjoint(CODE_SIGNS | PASSWORD_SIGNS):
        yield from _grouped_codes(lowered)


def _told(text: str, lowered: str, noun: Noun, words: Sequence[re.Match[str]]) -> Iterator[Found]:
    seen = back = 0  # no part of the text is looked at for two words
    for word in words:
        end = _end_of_sentence(text, word.end())
        back = max(back, word.start() - BACK)
        matches = [compiled(pattern).match(lowered, word.end()) for pattern in (TOLD_BESIDE, TOLD_AS_ANSWER)]
        for pattern in (TOLD_BEFORE, TOLD_TO_USE):
            matches += compiled(pattern).finditer(lowered, back, word.start())
        if compiled(TELLS_NEXT).match(lowered, word.end()):  # "my name is …, the password is …"
            matches = [one for one in matches if not one or "," not in lowered[one.end() : word.start()]]
        matches += [
            match
            for match in compiled(TOLD).finditer(lowered, max(word.end(), seen - OVERLAP), end)
            if not compiled(OF_ANOTHER).search(lowered, max(word.end(), match.start() - OVERLAP), match.start())
        ]
        for match in filter(None, matches):
            yield from value_of(text, match, noun, word)
        seen, back = max(seen, end), word.end()


def _words_for(lowered: str, noun: Noun) -> Iterator[re.Match[str]]:
    """Those that a value can follow: neither a password manager nor one of many in a row."""
    last = None
    for word in compiled(noun.pattern).finditer(lowered):
        if last and last.end() + SHORTEST < word.start() and not (last[0] in NETWORKS and _is_near(last, word)):
            yield last
        last = None if _is_about_something_else(lowered, word) else word
    if last:
        yield last


def _is_near(word: re.Match[str], following: re.Match[str]) -> bool:
    return following.start() - word.end() < NEAR and "\n" not in word.string[word.end() : following.start()]


def _is_about_something_else(lowered: str, word: re.Match[str]) -> bool:
    """A password manager, a cache key, one of a list of strings."""
    before = lowered[max(0, word.start() - 12) : word.start()]
    after = compiled(DESCRIBED).match(lowered, word.end()) or compiled(NEXT_STRING).match(lowered, word.end())
    return bool(after or compiled(OTHER_KEY).search(before))


def _end_of_sentence(text: str, start: int) -> int:
    stop = compiled(END).search(text, start, start + REACH)
    return stop.start() + 1 if stop else min(len(text), start + REACH)


def value_of(text: str, match: re.Match[str], noun: Noun, word: re.Match[str]) -> Iterator[Found]:
    """The value, if it can be one of this kind."""
    kind = noun.kind
    quoted = match["quoted"] if "quoted" in match.re.groupindex else None
    start, end = match.span("quoted" if quoted else "value")
    value = text[start:end] if quoted else text[start:end].removesuffix("**").rstrip(".,:;)]}”“’»")
    end = start + len(value)
    if (
        quoted
        and compiled(NAMED_IN_QUOTES).search(match.string, max(0, start - NAMED_WITHIN), start)
        and not is_made_up(value)
    ):
        return
    if word[0] in NETWORKS and text[end : end + 2] == ": ":  # "wifi: mac80211: …" names what is spoken of
        return
    start -= not quoted and text[start - 1 : start] == "*" != text[end : end + 1]  # a sign of its own, no mark of bold
    if compiled(NUMBER).fullmatch(value):
        counts = compiled(COUNTED).match(text, end) or compiled(OTHER_NUMBER).search(text[max(0, start - 24) : end])
        fits = _is_pin(value, kind, word[0]) and not counts
    elif kind == "PIN":
        fits = "code" in word[0] and digits_in(value) >= 3 and bool(compiled(DOOR_CODE).match(value))
    elif kind == "secret":
        fits = _is_token(value) and not compiled(DIGEST).search(text, word.end(), start)
        fits = fits and not (word[0] == "key" and compiled(KEY_NUMBER).match(value))
    else:
        fits = kind == "password" and (is_password_like(value) or is_phrase(value, word[0]))
    fits = fits and (not noun.is_weak or is_made_up(value)) and text[end : end + 3] not in BLOCK_BEGINS
    if compiled(TICKET).match(value) and _is_of_ticket(text, word.end(), start):
        return
    if fits and (quoted or _is_apart(text, start, end)):
        yield kind, start, end


def _is_of_ticket(text: str, word_end: int, start: int) -> bool:
    return text[start - 1 : start] == "(" or bool(compiled(OF_TICKET).search(text, word_end, max(start, word_end)))


def _is_token(value: str) -> bool:
    if is_of_four_kinds(value):
        return True
    if not is_password_like(value) or len(value) < TOKEN_CHARACTERS or is_chain_of_names(value):
        return False
    said = compiled(SAID_TO_BE_ONE).search(value) and digits_in(value) >= MANY_DIGITS
    return is_random(value) or is_hex(value) or is_in_hex_parts(value) or bool(said)


def _is_pin(number: str, kind: str, noun: str) -> bool:
    """A password of digits alone must be longer, or it could count something."""
    enough = 3 if kind == "PIN" else 4 if noun.startswith("passcode") else 6
    return kind != "secret" and len(number) >= enough and number not in NO_PIN and len(set(number)) > 1


def is_phrase(value: str, noun: str) -> bool:
    """Three words or more that are no sentence and no name in code."""
    if compiled(WORDS_IN_ONE).match(value):
        words = re.findall("[A-Z]?[a-z]+", value)
        enough = 3 if noun in PHRASE_WORDS or "+" in value else 4
        return len(words) >= enough and ORDINARY.isdisjoint(word.lower() for word in words)
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
    patterns = (SPACED, PHRASE_AFTER, PHRASE_BEFORE) if has_any(lowered, PHRASE_WORDS) else (SPACED,)
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


def _grouped_codes(lowered: str) -> Iterator[Found]:
    for told in compiled(APP_PASSWORD).finditer(lowered):
        if odd_share(compiled("[ -]").sub("", told["value"])) >= ODD_ENOUGH:
            yield "password", *told.span("value")
    for code in compiled(GROUPED).finditer(lowered):
        groups = re.split("[ -]", code["value"])
        if compiled(DIGEST).search(code[0]):
            continue
        if len({len(group) for group in groups}) == 1 and sum(map(digits_in, groups)) * 4 >= len(groups):
            yield "password", *code.span("value")
    for several, one in ((CODE_LIST, CODE_ALONE), (CODE_ROW, CODE)):
        for codes in compiled(several).finditer(lowered):
            for code in compiled(one).finditer(lowered, *codes.span("lines")):
                if digits_in(code[0]) >= 2:
                    yield "password", *code.span()
