"""Sentences in which people hand on secrets, none of them on the first list: chats, dictation, minutes, corrections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from bench.secret_families.values import Made, expand

__all__ = ["SENTENCES", "VALUES", "person_password", "sentence"]

# {what} is the word for the secret, {where} what it opens, {value} the secret. The name of a shape begins with its
# language, which decides the words.
SENTENCES: Mapping[str, str] = {
    "en by the way": "btw the {what} is {value}",
    "en correction": "Correction: the {what} for {where} is not what I sent this morning, it's {value}.",
    "en correction in chat": "sorry typo, {what} for {where} should read {value}",
    "en dictation": "new {what} for {where} colon {value} and then please send the invite to Martha",
    "en value first": "{value} is the {what} for {where}",
    "en value first, tested": "{value} works as the {what} on {where}, just tested it",
    "en arrow back": "@tom {value} <- {what} for {where}",
    "en chat log": "[10:42] ann: {where} wants a {what} from me\n[10:43] bob: it's {value}",
    "en chat with names": "ann  9:14 AM\nanyone got the {what} for {where}?\nbob  9:15 AM\nyep: {value}",
    "en old one": "rotated the {what} on {where} today, the previous one was {value} in case something still uses it",
    "en sticky note": "{Where}\nuser: admin\n{what}: {value}\ndon't lose!!",
    "en mail with a block": "Welcome!\n\nYour {what} is below.\n\n    {value}\n\nPlease change it at the first login.",
    "en support": "The customer types {value} as her {what} and {where} rejects it.",
    "en imperative": "type {value} when {where} asks for the {what}",
    "en contraction": "the {what}'s {value} on {where}, same as always",
    "en that is": "same {what} as last year for {where}, i.e. {value}",
    "en I think": "the {what} for {where}... {value} I think? try it",
    "en capitals": "{WHAT} FOR {WHERE}: {value} - DO NOT POST THIS ANYWHERE",
    "en nested list": "* {where}\n    * owner: Ann\n    * {what}: {value}\n* the old host\n    * gone",
    "en steps": "1. Open {where}\n2. Enter {value} as the {what}\n3. Press save",
    "en to do": "TODO(ann): drop the hardcoded {what} {value} before the release",
    "en code comment": "# {what} of {where} is {value}, ask Ann before changing it\nconnect()",
    "en speech": "So, um, for {where} we, uh, just use {value} as the {what}, right?",
    "en for next time": "For next time: {where}, {what} {value}.",
    "en far apart": "For {where} there is a {what} which Ann made last week and which everybody here uses: {value}.",
    "en both": "username deploy and {what} {value} will get you into {where}",
    "en key sign": "🔑 {where} {what} {value}",
    "en question and answer": "Q: Which {what} does {where} expect?\nA: {value}",
    "en went from": "They gave me a {what} for {where} at the desk, it reads {value}",
    "en protected with": "The archive for {where} is protected with the {what} {value}",
    "en in a table": "| system | user | {what} |\n|---|---|---|\n| {where} | deploy | {value} |",
    "de by the way": "übrigens, {what} für {where} ist jetzt {value}",
    "de with": "mit {value} als {what} kommst du bei {where} rein",
    "de minutes": "TOP 3: Umzug von {where}\n- neues {what}: {value}\n- Tom informiert die Kunden",
    "de was set": "{what} von {where} wurde auf {value} gesetzt, bitte notieren",
    "de chat": "Anna: weißt du noch das {what} für {where}?\nBen: ja, {value}",
    "es by the way": "por cierto, {what} de {where}: {value}",
    "es as": "oye, para entrar en {where} pon {value} como {what}",
    "es now": "a partir de hoy {what} para {where} es {value}, no se lo digas a nadie",
    "fr by the way": "au fait, {what} pour {where} c'est {value}",
    "fr as": "pour {where} il faut taper {value} comme {what}",
    "fr new": "Nouveau {what} de {where} -> {value} (ne pas diffuser)",
}
_PLACES = (
    "the tax portal",
    "Nextcloud",
    "the NAS",
    "db-replica-7",
    "our GitLab",
    "the warehouse scanner",
    "the booking system",
    "Martha's phone",
    "the printer in room 4",
    "the test tenant",
    "webmail",
    "the firewall",
    "the CRM",
    "Kibana",
)
_WORDS = (
    "autumn biscuit cobalt dolphin eagle fiddle granite hazel igloo juniper kitten lemon mango nutmeg olive panther "
    "quartz raven sunset tulip umbrella violin willow yellow zebra bamboo cactus donkey engine feather"
).split()
_Words = Mapping[str, tuple[str, ...]]  # by language
_PASSWORD: _Words = {
    "en": ("password", "pw", "pwd", "admin password", "root password", "login", "pass"),
    "de": ("Passwort", "Kennwort", "Zugangspasswort"),
    "es": ("la contraseña", "la clave", "la contraseña de admin"),
    "fr": ("mot de passe", "mdp", "mot de passe admin"),
}
_CODE: _Words = {
    "en": ("PIN", "passcode", "door code", "unlock code", "alarm code"),
    "de": ("PIN", "Zugangscode", "Türcode"),
    "es": ("el PIN", "el código de acceso"),
    "fr": ("code PIN", "code d'accès"),
}
_PHRASE: _Words = {
    "en": ("passphrase", "master password", "encryption passphrase"),
    "de": ("Passphrase", "Masterpasswort"),
    "es": ("la frase de paso", "la contraseña maestra"),
    "fr": ("phrase secrète", "mot de passe maître"),
}
_TOKEN: _Words = {
    "en": ("token", "api token", "API key", "access key", "client secret", "bearer token"),
    "de": ("Token", "API-Schlüssel", "Zugriffstoken"),
    "es": ("el token", "la clave de API", "el token de acceso"),
    "fr": ("jeton", "clé d'API", "token d'accès"),
}
_RECOVERY: _Words = {
    "en": ("recovery code", "backup code", "recovery key"),
    "de": ("Wiederherstellungscode", "Notfallcode"),
    "es": ("el código de recuperación", "el código de respaldo"),
    "fr": ("code de récupération", "code de secours"),
}


def person_password(random: Random) -> str:
    """As people choose them: words with a year, letters replaced by digits, a name and a mark."""
    word, other = random.sample(_WORDS, 2)
    number = random.randint(1, 9999)
    return random.choice(
        (
            f"{word.capitalize()}{random.randint(1950, 2026)}",
            f"{word}{other.capitalize()}{number}",
            word.replace("o", "0").replace("i", "1").replace("e", "3").capitalize() + f"_{number}",
            f"{word.capitalize()}&{other.capitalize()}{random.randint(1, 99)}",
            f"{random.randint(10, 99)}{word.upper()}{random.choice('!#$?')}{other}7",
        )
    )


def _phrase(random: Random) -> str:
    words = random.sample(_WORDS, random.randint(3, 6))
    style = random.choice((".", "-", " ", "+", ""))
    return style.join(words) if style else "".join(word.capitalize() for word in words)


def _token(random: Random) -> str:
    template = random.choice(("{n:4}_{a:32}", "{n:5}-live-{x:32}", "{uuid}", "{w:40}", "{l:28}", "{a:20}.{a:24}"))
    return expand(template, random)


VALUES: Mapping[str, tuple[_Words, Callable[[Random], str]]] = {
    "password from a safe": (_PASSWORD, lambda random: expand("{p:14-20}{d:1}{a:1}", random)),
    "password of a person": (_PASSWORD, person_password),
    "code in digits": (_CODE, lambda random: expand("{d:4-8}", random)),
    "passphrase of words": (_PHRASE, _phrase),
    "token": (_TOKEN, _token),
    "recovery code": (_RECOVERY, lambda random: expand("{u:4}-{u:4}-{u:4}{|-}{u:4}", random)),
}


def sentence(shape: str, kind: str, random: Random) -> Made:
    words, make = VALUES[kind]
    value, where, what = make(random), random.choice(_PLACES), random.choice(words[shape[:2]])
    text = SENTENCES[shape].format(
        what=what,
        WHAT=what.upper(),
        where=where,
        Where=where[0].upper() + where[1:],
        WHERE=where.upper(),
        value=f'"{value}"' if " " in value else value,
    )
    return Made(shape, kind, text, value)
