"""Sentences that tell a secret: "the password for the staging database is …", "log in with ann / …", "my PIN is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.guard.assignments import PASSWORD_NAMES, VALUE_SIGN
from scrubjay.guard.patterns import Found, compiled
from scrubjay.guard.values import is_filled_in, is_password_like

__all__ = ["told"]

REACH = 120  # characters of a sentence after the word
OVERLAP = 40  # characters: a link and its value may begin before where the last look ended
# Words for what is told, in the languages that people write in.
PASSWORD = (
    r"pass(?:word|wort|phrase|code|wd)s?|(?<![a-z])(?:pw|pwd|mdp|creds?|credentials?|wi-?fi|wlan)(?![a-z])|mots? de passe|"
    r"(?:the|my|our|your|his|her|their) pass(?![a-z])|"
    r"palavra-passe|zugangsdaten|anmeldedaten|logindaten|identifiants|credenciales|credenciais|credenziali|"
    + "|".join(name for name in PASSWORD_NAMES if len(name) > 3)
)
SIGNS = (
    "pass", "pw", "mdp", "cred", "palavra", "zugangsdaten", "anmeldedaten", "logindaten", "identifiant", "wifi", "wi-fi",
    "wlan", *(name for name in PASSWORD_NAMES if len(name) > 3),
)  # fmt: skip
ACCOUNT_SIGNS = (
    "log", "sign", "cred", "ssh", "account", "user", "wifi", "wi-fi", "wlan", "zugangsdaten", "anmelde", "identifiant",
    "usuario", "utilisateur", "benutzer", "acces",
)  # fmt: skip
# A noun after the word that makes it something else: a password manager is no password.
DESCRIBED = (
    r"[ -](?:manager|hash|hashes|polic|length|limit|field|reset|expir|rule|prompt|file|count|budget|usage|window|bucket|"
    r"type|id\b|name|generator|strength|hint|page|form|screen|url|button|less|ring|board|word|point|stroke|value pair)"
)
LINK = (
    r"(?:[：:](?=\s)|[：（—–→]|[ ][=(]|['’]s(?=[ ])|->|=>|[ ]-[ ]|,[ ]?(?:it'?s|namely)?|(?<![a-z])(?:is|are|was|be|being|becomes?|to|as|reads?|says?|stays|remains|"
    r"lautet|lauten|ist|sind|heißt|heisst|bleibt|war|auf|als|es|son|era|será|est|sont|sera|c'est|à|comme|é|è|são|jest|är|er|"
    r"это|是|为|為|は|が|는|은|를|を|to be|with|mit|con|avec|com)(?![a-z]))"
    r"[ \t]{0,3}(?:(?:now|still|currently|just|simply|always|again|jetzt|nun|ahora|maintenant|again)[ ]){0,2}[:]?\s{0,3}"
)
QUOTE = r"[\"'`“”„‚‘’«»*]{0,3}"
SIGN = VALUE_SIGN.replace("&", "")  # in a sentence it parts no values
TOLD = rf"{LINK}{QUOTE}[ ]?(?P<value>{SIGN}{{6,100}}+)"
TOLD_BELOW = rf"(?m)(?:[ ](?:is|ist|es|est))?[ ]?[:：]?[*]{{0,2}}[ ]{{0,3}}\r?\n\s{{0,20}}{QUOTE}(?P<value>{SIGN}{{6,100}}+){QUOTE}[ ]?$"
# The other way round: "… is the password", "use … as the new password".
TOLD_BEFORE = (
    rf"(?P<value>{SIGN}{{6,100}}+){QUOTE},?[ ](?:is|was|as|ist|war|als|es|era|como|est|comme|é|è|come|=)[ ]"
    r"(?:[\w'’-]{1,20}[ ]){0,4}[\w-]{0,12}$"
)
# Two values after words for an account: ann / …, ann:…
ACCOUNT = (
    r"(?i)(?<![a-z])(?:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|login|credentials?|creds?|ssh|account|user(?:name)?|wi-?fi|wlan|"
    r"zugangsdaten|anmelde\w{0,6}|identifiants?|credenciales|usuario|utilisateur|benutzer\w{0,6}|accesso|acceso)"
    rf"(?:[ ][A-Za-z]{{1,12}}){{0,5}}[ ]?[:=]?[ ]{QUOTE}[\w.@+-]{{2,60}}{QUOTE}"
    rf"(?:(?:[ ]/[ ]?|:|\||[ ](?:and|with|und|mit|y|con|et|avec|e)[ ]){QUOTE}|/)(?P<value>{SIGN}{{6,100}}+)"
)
# Digits that open something: kind of word, then the number.
PIN = (
    r"(?<![a-z])(?:pin(?:[ -]?(?:code|number|nummer))?|puk|cvv2?|cvc2?|tan|otp|"
    r"(?:door|gate|alarm|access|entry|lock|unlock|security|safe|garage|pass|verification|confirmation|authentication|auth|"
    r"2fa|mfa|one-time|backup|recovery|sim|keypad|vault|locker|bank|card|phone|voicemail|login)[ -](?:code|pin|combination)|"
    r"(?:tür|zugangs|sicherheits|alarm|haus|entsperr|bestätigungs)-?code|geheimzahl|"
    r"(?:code|numéro) (?:secret|pin|d'accès|de sécurité|de la porte|de l'alarme)|"
    r"(?:código|clave|codigo) (?:pin|secreto|de acceso|de seguridad|de la puerta|de la alarma)|(?:code|pin|combination) (?:for|to|of) (?:the|my|our|her|his) [a-z ]{2,30}|combination (?:is|to|for)|combination(?=:)|暗証番号|密码|пин-?код)"
    r"(?![a-z])[^\n.;]{0,60}?"
    rf"(?:[:=（(]|(?<![a-z])(?:is|are|was|to|ist|lautet|auf|es|est|é|è|是|为|は|never|stays)(?![a-z])|(?<![0-9]),)[ ]?{QUOTE}[ ]?"
    r"#?(?P<value>[0-9](?:[ -]?[0-9]){2,7}[#*]?)(?![\w.,-]?[0-9a-z])"
)
PIN_SHORT = r"(?<![a-z])(?:pin(?:[ -]?code)?|puk|cvv|cvc)[ ](?P<value>[0-9]{4,8})(?![\w.-]?[0-9a-z])"
PIN_SIGNS = (
    "pin",
    "puk",
    "cv",
    "tan",
    "otp",
    "code",
    "código",
    "codigo",
    "clave",
    "combination",
    "zahl",
    "番号",
    "密码",
    "пин",
)
PHRASE = (
    r"(?P<noun>pass(?:phrase|word)s?|passwort|kennwort|contraseña|mot de passe)(?P<about>[^\n.:=\"]{0,60}?)"
    r"(?P<link>[:=]|(?<![a-z])(?:is|are|ist|lautet|es|est)(?![a-z]):?)[ ]?(?P<quote>[\"'`“„«]?)"
    r"(?P<value>[a-zäöüßéèñ]{3,14}(?:[ .-][a-zäöüßéèñ]{3,14}){2,9})(?=[\"'`”“»]|[.!]?\s{0,2}$|[.!]?\n|[,.;] )"
)
# "You need the password. It is …" goes on.
END = (
    r"[.!?](?:\s|$)(?!(?i:it is|it's|that is|that's|this is|es ist|es lautet|es es|c'est)\b)|\n\n|(?<![:=\s])[ ]{0,3}\n"
)
NO_PIN = ("1234", "0000", "12345", "123456")


def told(text: str, lowered: str) -> Iterator[Found]:
    if any(map(lowered.__contains__, SIGNS)):
        yield from _after_the_word(text, lowered)
        yield from _phrases(text, lowered)
    if any(map(lowered.__contains__, ACCOUNT_SIGNS)):
        yield from _accounts(text)
    if any(map(lowered.__contains__, PIN_SIGNS)):
        yield from _pins(lowered)


def _after_the_word(text: str, lowered: str) -> Iterator[Found]:
    seen = 0  # up to here the links were looked at for an earlier word
    for word in compiled(PASSWORD).finditer(lowered):
        if compiled(DESCRIBED).match(lowered, word.end()):
            continue
        end = _end_of_sentence(text, word.end())
        start = max(word.end(), seen - OVERLAP)
        seen = max(seen, end)
        links = [*compiled(TOLD).finditer(lowered, start, end), compiled(TOLD_BELOW).match(lowered, word.end())]
        for link in filter(None, links):
            start, value = link.start("value"), _bare(text[slice(*link.span("value"))])
            if is_password_like(value) and _is_apart(text, start, start + len(value)):
                yield "password", start, start + len(value)
        before = compiled(TOLD_BEFORE).search(text, max(0, word.start() - 110), word.start())
        if before and is_password_like(before["value"]) and _is_apart(text, *before.span("value")):
            yield "password", *before.span("value")


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


def _pins(lowered: str) -> Iterator[Found]:
    for pattern in (PIN, PIN_SHORT):
        for pin in compiled(pattern).finditer(lowered):
            if pin["value"] not in NO_PIN and len(set(pin["value"])) > 1:
                yield "PIN", *pin.span("value")


# Words that make a phrase a sentence about passwords.
COMMON = frozenset(
    """
    about add after all also and arg because call necessary any are asked based been before being between both but can case cannot changed checked
    different does encrypted entered etc expired for from given had has have hashed her his how into its kept longer may
    more must never not now off one only optional other our out over per protected read required same saved secret sent
    set should shown shared since stored such than that the their them then there they this time too too under use used
    user using very via was were what when where which while who why will with without would you your
    der die das den dem ein eine und oder ist nicht mit für von auf wird wurde werden muss sich los las una del con por
    para que sin les des une est pas pour avec dans sur
    """.split()
)
