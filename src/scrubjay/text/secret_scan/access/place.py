"""What a sentence tells about a value in it: the words of access near it, what links it, whether it is an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from itertools import pairwise
from typing import NamedTuple

from scrubjay.text.secret_scan.access import words
from scrubjay.text.secret_scan.access.values import LETTER, MARK_OF_CODE
from scrubjay.text.secret_scan.languages import (
    ANSWERING,
    CALLING,
    NAMED_IN_QUOTES,
    NAMING,
    OTHER_SUBJECTS,
    PASSWORD_WORDS,
    PHRASE_WORDS,
    PIN_WORDS,
    RECOVERY_WORDS,
    SHORT_PASSWORD_WORDS,
    TOKEN_WORDS,
    either,
)
from scrubjay.text.secret_scan.patterns import compiled, has_any

__all__ = [
    "AFTER",
    "BEFORE",
    "FIRST_WORDS",
    "WORD",
    "may_be_told_words",
    "may_tell_of_access",
    "may_tell_words",
    "place_of",
    "signs_of_place",
]

BEFORE, AFTER = 180, 90  # characters that are looked at
LINK_WITHIN = 50
ACCOUNT_WITHIN, JOINED_WITHIN = 80, 16
LONG_WORD = 9  # letters: two words may be written in one


def _short(*lists: list[str]) -> frozenset[str]:
    """The entries of one word or two, as they are looked up."""
    plain = {entry.replace("-", " ") for entries in lists for entry in entries}
    return frozenset(entry for entry in plain if entry.count(" ") < 2)


SECRETS = (words.SECRETS | _short(PASSWORD_WORDS, PHRASE_WORDS, RECOVERY_WORDS, SHORT_PASSWORD_WORDS)) - words.ACCOUNTS
TOKENS = _short(TOKEN_WORDS)
CODES = words.CODES | _short(PIN_WORDS)
NOUNS = SECRETS | TOKENS | CODES
NOUNS_OF_NUMBERS = SECRETS | CODES  # a number alone is no token: "primary key: 481920"
LISTS: Mapping[str, Set[str]] = {
    "opening": words.OPENING,
    "a lock": words.LOCKS,
    "a secret": SECRETS,
    "a token": TOKENS,
    "an account": words.ACCOUNTS,
    "keying in": words.KEYED_IN,
    "setting": words.SETTING,
    "a code": CODES,
    "a phrase": words.PHRASES,
    "a name": words.NAMES | frozenset(OTHER_SUBJECTS),
    "counting": words.COUNTING,
    "describing": words.DESCRIBING,
}
TOLD_IN_WORDS = words.PHRASES | _short(PHRASE_WORDS)
FEW_WORDS = 3
SPEAK_AGAINST = ("counting", "describing", "a phrase", "a name")
WORDS_OF_ACCESS = frozenset().union(*(entries for name, entries in LISTS.items() if name not in SPEAK_AGAINST))


class Lookup:
    """Whether a text may have an entry of a list: its word, or both of its words."""

    def __init__(self, entries: Set[str]) -> None:
        self.single = frozenset(entry for entry in entries if " " not in entry)
        self.seconds: dict[str, set[str]] = {}
        for first, second in (entry.split()[:2] for entry in entries - self.single):
            self.seconds.setdefault(first, set()).add(second)

    def may_be_among(self, found: Set[str]) -> bool:
        if not self.single.isdisjoint(found):
            return True
        return any(not self.seconds[first].isdisjoint(found) for first in self.seconds.keys() & found)


ALL_WORDS, ALL_NOUNS = Lookup(WORDS_OF_ACCESS), Lookup(NOUNS)
FIRST_WORDS = frozenset(entry.split()[0] for entry in WORDS_OF_ACCESS)

WORD = rf"[{LETTER}]+"
REST_OF_WORD = rf"[{LETTER}]{{2,60}}"
# Words that are written in one with others: Startkennwort, Gartentür
ENDINGS = "passwort kennwort schloss schlüssel tür konto zugang postfach wachtwoord sleutel anlage".split()
ENDING = rf"(?<=[a-zäöüß]){either(ENDINGS)}$"
SENTENCE_END = r"[.!?…][\"”“»)]{0,2}(?=\s)|\n"
CODE = r"= ?[\"']|\w[._]\w{1,40} = |[|&^]=|[|$;]\s{0,3}$|[{}\\]|\w\(|\w=|=[\w\"']|\(\)|::|</|/>|\w\[|(?<!:)//|&&|=="
BLOCK_ABOVE = r"[\w+/=]{40,76}\r?\n\Z"  # of a certificate or a picture
# What stands in lines of programs, of names and addresses, and of text with marks.
LINES = {
    "line of a program": r"(?m:^)[ ]{2}|\t|[<>]|(?m:^)(?:[ ]\*|#)|[\"'][ ][\"']|\w\([a-z]|[a-z]\[[0-9]{1,8}\]",
    "line of addresses": r"\w/\w|\w\.[a-z]{1,3}(?!\w)",
    "line of names": r"\w_\w|[A-Z]{5}|[a-z][A-Z]",
    "line of marks": r"`\w|\w`",
    "line of numbers": r"[0-9a-f]{8}|[0-9]:[0-9]{2}:[0-9]{2}",
}
OF_AN_ERROR = (
    r"(?i:(?<![a-z])(?:error|fehler|erreur|errore|erro|fout|błąd|fatal|exception|warn(?:ing|ung)?|aviso|avertissement))"
    r"(?:[\])]?[ ]?[:(]|[ ][0-9[])"
)
# "failed with code 1045"
FAILED = (
    rf"(?<![{LETTER}])(?:fail|exit|status|return|respon|abort|reject|crash|fehl|échou|erreur|fall|erro|błąd|zwróc)"
    rf"[{LETTER}]{{0,9}}(?:[ ][{LETTER}]{{1,10}}){{0,3}}[ ](?:code|código|codice|kod|kodem)[ ]$"
)
OPEN = r"[ ]?[\"'`(*„“«]{0,3}$"
LINK = rf"(?:([{LETTER}'’-]{{1,20}})[ ])?([{LETTER}'’-]{{1,20}}){OPEN}"
LINK_SIGN = rf"[:→+=/–—-]{OPEN}"
OF, WITH = (
    frozenset("of von de di van".split()),
    frozenset("with is con mit avec com met by using es ist è é est per".split()),
)
COMMA = rf",{OPEN}"
# "user name on the wiki is …", but not "host key is …"
NAME_TOLD = (
    rf"(?<![a-z]){either([*OTHER_SUBJECTS, *words.OTHER_NUMBERS])}(?:[ ](?!key|pin|code|pass|pw)[a-z]{{2,12}}){{0,6}}"
    r"[ ](?:is|was|reads|says|ist|war|lautet|es|est|è|é)[ ]$"
)
NAMED_BY_SIGN = rf"(?<![a-z]){either(OTHER_SUBJECTS)}[ ]?[:=]{OPEN}"  # "user name: …"
OF_ANOTHER = (NAME_TOLD, NAMED_BY_SIGN, NAMED_IN_QUOTES)
# "user ann and …", "ann@example.org / …"
USER = (
    r"(?<![a-z])(?:enter|type|user|username|user name|login|account|admin|root|as|benutzer|konto|als|usuario|cuenta|"
    r"como|"
    r"utilisateur|compte|identifiant|utente|come|gebruiker|usuário|conta)(?:[ ](?:is|ist|es|est|è|é))?[ :=]{1,3}"
)
JOINED = "and und y et e en then dann luego puis poi with mit con avec met com the pones use nimmst".split()
JOINED_TO = rf"(?:[/,|+]|{either(JOINED)}){OPEN}"
ACCOUNT = (
    rf"(?:(?:\w@[\w.-]{{0,40}}|{USER}[\"'“„«`]?[\w.@-]{{2,30}}|(?<![a-z])(?:admin|root))[\"'”“»`]?"
    rf"(?:,?[ ]{either(JOINED)}(?![a-z])){{1,3}}|"
    rf"(?:\w@[\w.-]{{0,40}}|(?<![a-z])(?:admin|root|gast|guest))[ ]?[/,|+]){OPEN}"
)
# Another way to say what has just been spoken of: "It is …", "The new one is …"
PRONOUN = (
    r"[ \"'“„]{0,3}(?:(?:so|and|ok|well|also|now|und|y|et|e)[ ])?(?:the |a |your |my |our )?"
    r"(?:it|it'?s|it’s|that|that'?s|this|that’s|(?:new|current|right|correct|shared|old) one(?:'?s)?|es|das|er|sie|"
    r"es (?:el|la)|la nuestra es|el nuestro es|(?:ours|mine|theirs)|"
    r"c'est|c’est|ora è|adesso è|agora é|es ahora|ahora es)"
    r"(?:[ ](?:is|was|ist|war|lautet|jetzt|now|still|est|es|è|é)){0,2}:?"
    rf"{OPEN}"
)
FOLLOWING = {
    "unit": words.UNITS,
    "opens": words.OPENING,
    "keyed in": words.KEYED_IN | words.SETTING,
    "goes on": words.GOES_ON,
}
NEXT_WORD = rf"[ ]([{LETTER}]{{1,30}})"
# "which password is it?" – "yes, it's …"
ASKED_AND_TOLD = r"\?[ ]?\n[^\n]{0,60}(?<![a-z])(?:it'?s|it’s|is|was|ist|war|lautet|es|est|è|é)[ ]$"
TOLD_AS_COMMAND = r"(?:[:=]|(?<![a-z])(?:is|was|ist|lautet|es|est|è|é))[ ]`$"
GIVEN_TO_NAME = r"[\"'][ ]?[:=][ ]?[\"'“]$"
TIME = r"[\[(<]?[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?:[ ]?[ap]m)?[\])>]?"
# "Ann: …", "[10:43] <ann> …", "— …"
TURN = (
    rf"[ >*_]{{0,4}}(?:{TIME}[ –-]{{1,3}})?"
    r"(?:<[\w.@ -]{1,24}>|[\w.'@]{1,24}(?:[ -][\w.']{1,20})?[*_]{0,2}[ ]?:[*_]{0,2}|[—–>])[ ]"
)
# "yes, it's …", "ann / …"
ANSWERS = rf"(?:{either(ANSWERING)}[,:!.–-]{{0,2}}[ ]{{1,2}}){{0,4}}(?:[\w.@-]{{2,30}}[ ]?[:/][ ]?)?[\"'“„«`(*]{{0,2}}"


class Place(NamedTuple):
    """Where the sentence and the line of a value begin and end, and how far back is looked."""

    text: str
    lowered: str
    first: int
    begin: int
    start: int
    end: int
    last: int


def may_tell_of_access(found: Set[str], lowered: str) -> bool:
    """Whether a text with these words has what `signs_of_place` asks for, anywhere; most texts have not."""
    return ALL_WORDS.may_be_among(found) or "@" in lowered or has_any(lowered, ENDINGS)


def may_tell_words(found: Set[str]) -> bool:
    """Whether a text with these words speaks of a secret, so that words without quotes may be one."""
    return ALL_NOUNS.may_be_among(found)


def may_be_told_words(place: Place, number: int, are_marked: bool) -> bool:
    """Plain words are mostly what somebody says: without quotes, the line or the one above must ask for such words.

    Words in quotes are the text of a program where they are given to a name, and in backquotes a command.
    """
    if are_marked:
        return not compiled(GIVEN_TO_NAME).search(place.text, place.first, place.start)
    above = max(place.first, place.text.rfind("\n", place.first, max(place.first, _line(place) - 1)) + 1)
    said = _with_pairs(compiled(WORD).findall(place.lowered, above, place.last))
    is_command = place.text[place.start - 1] == MARK_OF_CODE
    told = compiled(TOLD_AS_COMMAND if is_command else ASKED_AND_TOLD).search(place.lowered, above, place.start)
    is_enough = bool(told) or (number > FEW_WORDS and not is_command)
    return not said.isdisjoint(NOUNS if is_enough else TOLD_IN_WORDS)


def place_of(text: str, lowered: str, start: int, end: int) -> Place:
    first = _after_word(text, start - BEFORE) if start > BEFORE else 0
    begin = max((stop.end() for stop in compiled(SENTENCE_END).finditer(text, first, start)), default=first)
    stop = compiled(SENTENCE_END).search(text, end, end + AFTER)
    return Place(text, lowered, first, begin, start, end, stop.start() if stop else _after_word(text, end + AFTER))


def _after_word(text: str, place: int) -> int:
    """Where the word ends in the middle of which a place may be: a part of it is no word."""
    rest = compiled(REST_OF_WORD).match(text, place - 1)
    return rest.end() if rest else min(len(text), place)


def signs_of_place(place: Place, is_number: bool) -> list[str]:
    """Nothing where no word tells of access, and in code."""
    said = compiled(WORD).findall(place.lowered, place.begin, place.start)
    follows = compiled(WORD).findall(place.lowered, place.end, place.last)
    near = _with_pairs(said) | _with_pairs(follows)
    before = _with_pairs(compiled(WORD).findall(place.lowered, place.first, place.begin))
    if near.isdisjoint(WORDS_OF_ACCESS) and before.isdisjoint(WORDS_OF_ACCESS) and not _has_address(place):
        return []
    if _is_in_code(place) or (is_number and _is_numbered(place)):
        return []
    return [
        *_signs_of_words(near, before, "asked" if _is_answer(place) else "before"),
        *_signs_of_noun(said, follows, NOUNS_OF_NUMBERS if is_number else NOUNS),
        *_signs_of_form(place),
        _link(place),
        *(_signs_of_number(place) if is_number else ()),
    ]


def _has_address(place: Place) -> bool:
    return "@" in place.text[max(place.first, place.start - ACCOUNT_WITHIN) : place.start]


def _with_pairs(found: list[str]) -> set[str]:
    """Each, each two that stand side by side, and the end of one that is written in one with others."""
    ends = (compiled(ENDING).search(word) for word in found if len(word) >= LONG_WORD)
    return {*found, *map(" ".join, pairwise(found)), *(end[0] for end in ends if end)}


def _signs_of_words(near: set[str], before: set[str], where: str) -> Iterator[str]:
    for name, entries in LISTS.items():
        if not near.isdisjoint(entries):
            yield f"near {name}"
        elif not before.isdisjoint(entries):
            yield f"{where}: {name}"


def _signs_of_noun(said: list[str], follows: list[str], nouns: Set[str]) -> Iterator[str]:
    """How many words stand between the value and the nearest word for a secret."""
    distance = next((place for place, word in enumerate(reversed(said)) if word in nouns), None)
    if distance is not None:
        yield "noun right before" if not distance else "noun just before" if distance < 4 else "noun before"
    if not nouns.isdisjoint(follows[:6]):
        yield "noun after"


def _is_in_code(place: Place) -> bool:
    line = _line(place)
    pattern = compiled(CODE)
    in_code = pattern.search(place.text, line, place.start) or pattern.search(place.text, place.end, place.last)
    return bool(in_code or compiled(BLOCK_ABOVE).search(place.text, place.first, line))


def _is_numbered(place: Place) -> bool:
    """A room, an error, or who is called by telephone."""
    begin = max(place.begin, place.start - LINK_WITHIN)
    if compiled(FAILED).search(place.lowered, begin, place.start):
        return True
    link = compiled(LINK).search(place.lowered, begin, place.start)
    return bool(link and (link[2] in words.NUMBERED or link[2] in CALLING))


def _line(place: Place) -> int:
    return max(place.first, place.text.rfind("\n", place.first, place.start) + 1)


def _is_answer(place: Place) -> bool:
    """After a question, or in a turn after another one."""
    line = _line(place)
    asked = place.text[place.first : place.begin].rstrip(' \n"”“»)–—->')
    return asked.endswith("?") or (line > place.first and bool(compiled(TURN).match(place.text, line, place.start)))


def _signs_of_form(place: Place) -> Iterator[str]:
    text, line = place.text, _line(place)
    turn = compiled(TURN).match(text, line, place.start)
    begin = turn.end() if turn else line
    shown = begin if text[line] == "<" else line  # "<ann> …" is no program
    for name, pattern in LINES.items():
        look = compiled(pattern)
        if look.search(text, shown, place.start) or look.search(text, place.end, place.last):
            yield name
    if compiled(OF_AN_ERROR).search(text, line, place.start):
        yield "line of an error"
    if line > place.first:
        if turn:
            yield "turn"
        if "?" in text[place.first : line]:
            yield "question"
        if compiled(ANSWERS).fullmatch(place.lowered, begin, place.start):
            yield "answer" if turn else "line"
            if not text[place.end : place.last].strip(" .!\"”'"):
                yield "whole answer" if turn else "whole line"
    if _is_after_account(place):
        yield "after account"
    if place.begin > place.first and compiled(PRONOUN).match(place.lowered, max(place.begin, begin), place.start):
        yield "pronoun"


def _is_after_account(place: Place) -> bool:
    """What joins both is looked for first: most values have nothing of the kind right before them."""
    near, far = (max(place.first, place.start - within) for within in (JOINED_WITHIN, ACCOUNT_WITHIN))
    joined = compiled(JOINED_TO).search(place.lowered, near, place.start)
    return bool(joined and compiled(ACCOUNT).search(place.lowered, far, place.start))


def _signs_of_number(place: Place) -> Iterator[str]:
    following = compiled(NEXT_WORD).match(place.lowered, place.end)
    if following:
        yield next((name for name, entries in FOLLOWING.items() if following[1] in entries), "counted")
    if place.text[place.start] == "0":
        yield "zero first"


def _link(place: Place) -> str:
    text, lowered, start = place.text, place.lowered, place.start
    begin = max(place.begin, start - LINK_WITHIN)
    if any(compiled(pattern).search(lowered, begin, start) for pattern in OF_ANOTHER):
        return "link of another"
    if link := compiled(LINK).search(lowered, begin, start):
        return _link_of_words(link[1] or "", link[2])
    if compiled(LINK_SIGN).search(text, begin, start):
        return "link by sign"
    return "link by comma" if compiled(COMMA).search(text, begin, start) else "no link"


def _link_of_words(before: str, last: str) -> str:
    if last in OF and before in NOUNS:
        return "link by noun"
    if last in WITH and before in words.OPENING:
        return "opened with"
    if f"{before} {last}" in words.LINKS:
        return "link"
    if last in words.LINKS:
        return "link of another" if _names(before) else "link"
    if last in words.JOINTS:
        return "joint"
    if last in NOUNS:
        return "link by noun"
    return "link of another" if _names(last) or last in NAMING else "other word"


def _names(word: str) -> bool:
    return word in words.NAMES or word in OTHER_SUBJECTS
