"""Sentences that tell a password: "the password for the staging database is …", "log in with ann / …"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.guard.assignments import VALUE_SIGN
from scrubjay.guard.languages import LINKING, PASSWORD_NAMES, either
from scrubjay.guard.patterns import Found, compiled
from scrubjay.guard.values import is_filled_in, is_password_like

__all__ = ["told"]

REACH = 120  # characters of a sentence after the word
OVERLAP = 40  # characters: a link and its value may begin before where the last look ended
BACK = 110  # characters before the word

ANYWHERE = (
    [name for name in PASSWORD_NAMES if len(name) > 3]
    + """
    password passwords passcode passphrase zugangsdaten anmeldedaten logindaten identifiants credenciales credenciais
    credenziali
""".split()
)
AS_A_WORD = ["pw", "pwd", "mdp", "cred", "creds", "credential", "credentials", "wifi", "wi-fi", "wlan"]
SIGNS = ("pass", "mot de", "mots de", *ANYWHERE, *AS_A_WORD)
PASSWORD = (
    rf"{either(ANYWHERE)}|(?<!\w){either(AS_A_WORD)}(?!\w)|mots? de passe|"
    r"(?:the|my|our|your|his|her|their) pass(?![a-z])"
)
# A noun after the word that makes it something else: a password manager is no password.
DESCRIBED = r"[ -]" + either(
    """
    manager hash hashes polic length limit field reset expir rule prompt file count budget usage window bucket type
    id name generator strength hint page form screen url button less ring board word point stroke
    """.split()
)
JUST_NOW = "now still currently just simply always again jetzt nun ahora maintenant".split()
LINK = (
    r"(?:[：:](?=\s)|[：（—–→]|[ ][=(]|['’]s(?=[ ])|[-=]>|[ ]-[ ]|,[ ](?:it'?s|namely|which is)|"
    rf"(?<![a-z]){either(LINKING)}(?![a-z]))[ \t]{{0,3}}(?:{either(JUST_NOW)}[ ]){{0,2}}:?\s{{0,3}}"
)
QUOTE = r"[\"'`“”„‚‘’«»*]{0,3}"
SIGN = VALUE_SIGN.replace("&", "")  # in a sentence it parts no values
VALUE = rf"(?P<value>{SIGN}{{6,100}}+)"
TOLD = rf"{LINK}{QUOTE}[ ]?{VALUE}"
TOLD_BESIDE = rf",[ ]{QUOTE}{VALUE}"
# On a line of its own below the word.
TOLD_BELOW = rf"(?m)(?:[ ](?:is|ist|es|est))?[ ]?[:：]?[*]{{0,2}}[ ]{{0,3}}\r?\n\s{{0,20}}{QUOTE}{VALUE}{QUOTE}[ ]?$"
# The other way round: "… is the password", "use … as the new password".
TOLD_BEFORE = (
    rf"{VALUE}{QUOTE},?[ ]{either('is was as ist war als es era como est comme é è come ='.split())}[ ]"
    r"(?:[\w'’-]{1,20}[ ]){0,4}[\w-]{0,12}$"
)
# "You need the password. It is …" goes on.
END = (
    r"[.!?](?:\s|$)(?!(?i:it is|it's|that is|that's|this is|es ist|es lautet|es es|c'est)\b)|\n\n|(?<![:=\s])[ ]{0,3}\n"
)

ACCOUNT_WORDS = """
    login log-in logged-in sign-in signed-in credential credentials cred creds ssh account user username wifi wi-fi wlan
    zugangsdaten anmeldung anmelden anmeldedaten identifiant identifiants credenciales usuario utilisateur benutzer
    benutzername accesso acceso
""".split()
ACCOUNT_WORDS += ["log in", "sign in", "logged in", "signed in"]
# Two values after a word for an account: ann / …, ann:…, ann with …
ACCOUNT = (
    rf"(?i)(?<![a-z]){either(ACCOUNT_WORDS)}(?:[ ][A-Za-z]{{1,12}}){{0,5}}[ ]?[:=]?[ ]{QUOTE}[\w.@+-]{{2,60}}{QUOTE}"
    rf"(?:(?:[ ]/[ ]?|:|\||[ ](?:and|with|und|mit|y|con|et|avec|e)[ ]){QUOTE}|/){VALUE}"
)

PHRASE = (
    r"(?P<noun>pass(?:phrase|word)s?|passwort|kennwort|contraseña|mot de passe)[^\n.:=\"]{0,60}?"
    r"(?P<link>[:=]|(?<![a-z])(?:is|are|ist|lautet|es|est)(?![a-z]):?)[ ]?(?P<quote>[\"'`“„«]?)"
    r"(?P<value>[a-zäöüßéèñ]{3,14}(?:[ .-][a-zäöüßéèñ]{3,14}){2,9})(?=[\"'`”“»]|[.!]?\s{0,2}$|[.!]?\n|[,.;] )"
)
# Words that make a phrase a sentence about passwords.
COMMON = frozenset(
    """
    about add after all also and any are arg asked based because been before being between both but call can case cannot
    changed checked different does encrypted entered etc expired for from given had has have hashed her his how into its
    kept longer may more must necessary never not now off one only optional other our out over per protected read
    required same saved secret sent set should shown shared since stored such than that the their them then there they
    this time too under use used user using very via was were what when where which while who why will with without
    would you your
    der die das den dem ein eine und oder ist nicht mit für von auf wird wurde werden muss sich los las una del con por
    para que sin les des une est pas pour avec dans sur
    """.split()
)


def told(text: str, lowered: str) -> Iterator[Found]:
    if any(map(lowered.__contains__, SIGNS)):
        yield from _passwords(text, lowered)
        yield from _phrases(text, lowered)
    if any(map(lowered.__contains__, ACCOUNT_WORDS)):
        yield from _accounts(text)


def _passwords(text: str, lowered: str) -> Iterator[Found]:
    seen = 0  # up to here the links were looked at for an earlier word
    for word in compiled(PASSWORD).finditer(lowered):
        if compiled(DESCRIBED).match(lowered, word.end()):
            continue
        start, end = max(word.end(), seen - OVERLAP), _end_of_sentence(text, word.end())
        seen = max(seen, end)
        beside = compiled(TOLD_BESIDE).match(lowered, word.end())
        below = compiled(TOLD_BELOW).match(lowered, word.end())
        before = compiled(TOLD_BEFORE).search(lowered, max(0, word.start() - BACK), word.start())
        for match in filter(None, [*compiled(TOLD).finditer(lowered, start, end), beside, below, before]):
            value = _bare(text[slice(*match.span("value"))])
            if is_password_like(value) and _is_apart(text, match.start("value"), match.start("value") + len(value)):
                yield "password", match.start("value"), match.start("value") + len(value)


def _end_of_sentence(text: str, start: int) -> int:
    stop = compiled(END).search(text, start, start + REACH)
    return stop.start() + 1 if stop else min(len(text), start + REACH)


def _bare(value: str) -> str:
    return value.removesuffix("**").rstrip(".,:;)]}”“’»")


def _is_apart(text: str, start: int, end: int) -> bool:
    """Not a piece of an address, a path or code."""
    return text[start - 1 : start] not in ("/", ".", "@", "\\") and text[end : end + 1] not in (
        "/",
        "@",
        "\\",
        "=",
        "<",
    )


def _accounts(text: str) -> Iterator[Found]:
    for pair in compiled(ACCOUNT).finditer(text):
        start, value = pair.start("value"), _bare(pair["value"])
        if is_password_like(value) and text[start + len(value) : start + len(value) + 1] not in ("/", "@", "\\", "("):
            yield "password", start, start + len(value)


def _phrases(text: str, lowered: str) -> Iterator[Found]:
    """Three words or more that are no sentence; without a quote or a colon they must be joined or called a phrase."""
    for phrase in compiled(PHRASE).finditer(lowered):
        words = re.split("[ _.-]", phrase["value"])
        marked = phrase["quote"] or ":" in phrase["link"] or "phrase" in phrase["noun"] or "-" in phrase["value"]
        plain = text[slice(*phrase.span("value"))]
        if marked and COMMON.isdisjoint(words) and (plain.islower() or plain.istitle()) and is_filled_in(plain):
            yield "passphrase", *phrase.span("value")
