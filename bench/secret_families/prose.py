"""Sentences in which people hand on passwords, PINs, passphrases and tokens, in four languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from bench.secret_families.values import Made, expand, password

__all__ = ["SENTENCES", "VALUES", "sentence"]

# {what} is the word for the secret, {where} what it opens, {value} the secret. The name of a shape begins with its
# language.
SENTENCES: Mapping[str, str] = {
    "en plain statement": "The {what} for {where} is {value}.",
    "en hand-over": "Use this {what} for {where}: {value}",
    "en note to self": "Note to self: {where} {what} = {value}, rotate it before the audit.",
    "en chat": "hey, {what} for {where} is {value} btw, pls dont share",
    "en chat answer": "Ann: what's the {what} for {where} again?\nBob: {value}",
    "en meeting notes": "## Minutes\n- Ben moved {where} to the new host\n- {what}: {value}\n- next call on Friday",
    "en instruction to an agent": "When you deploy to {where}, log in with the {what} {value} and then run the checks.",
    "en remember": "Remember that my {what} on {where} is {value}.",
    "en changed": "I changed the {what} of {where} to {value} yesterday, the old one no longer works.",
    "en reset": "Your {what} for {where} was reset. The new one is: {value}",
    "en temporary": "Temporary {what} for {where}: {value} (valid until Monday)",
    "en quoted": 'The {what} we use on {where} is "{value}", nobody has changed it since spring.',
    "en code marks": "To reach {where} you need the {what} `{value}` and the VPN.",
    "en commit message": "fix: no more prompts\n\nHard-code the {what} {value} for {where} until the vault is back.",
    "en user and": "You can log in to {where} as deploy with the {what} {value}.",
    "en slash pair": "Credentials for {where}: admin / {value}",
    "en in brackets": "Connect to {where} ({what}: {value}) and restart the worker.",
    "en set to": "We set the {what} to {value} on {where} for the demo.",
    "en possessive": "{Where}'s {what} is still {value}, even after the migration.",
    "en question": "Can you check whether {value} is still the {what} for {where}?",
    "en should be": "The {what} should be {value} if nobody touched {where}.",
    "en two sentences": "Here is the {what} for {where}. It is {value} and it must not leave this room.",
    "en try": "If {where} asks for a {what}, try {value} first.",
    "en ticket": "Summary: cannot log in to {where}\nSteps: 1. open the page 2. enter {what} {value} 3. see error 403",
    "en mail": "Hi Tom,\n\nas promised, the {what} for {where}:\n\n{value}\n\nBest,\nEva",
    "en arrow": "{where} {what} -> {value}",
    "en dash": "{Where}, {what} — {value}",
    "en unlock": "{where} unlocks with {what} {value}",
    "en voice note": "okay so the {what} for {where} would be {value} and that should be it",
    "en environment in words": "Set the variable for the {what} of {where} to {value} before starting.",
    "de statement": "Das {what_de} für {where} lautet {value}.",
    "de hand-over": "Nimm für {where} bitte folgendes {what_de}: {value}",
    "de changed": "Ich habe das {what_de} von {where} auf {value} geändert.",
    "de is": "{what_de} für {where} ist {value}, bitte nicht weitergeben",
    "de log in": "Melde dich bei {where} mit dem {what_de} {value} an.",
    "de colon": "Zugang {where}: Benutzer admin, {what_de}: {value}",
    "de remember": 'Merk dir: mein {what_de} bei {where} ist "{value}".',
    "es statement": "La {what_es} de {where} es {value}.",
    "es hand-over": "Usa esta {what_es} para {where}: {value}",
    "es changed": "Cambié la {what_es} de {where} a {value} ayer por la tarde.",
    "es log in": "Para entrar en {where} hay que poner la {what_es} {value} dos veces.",
    "es colon": "{where} - usuario: admin, {what_es}: {value}",
    "es remember": "Recuerda que mi {what_es} en {where} es «{value}».",
    "fr statement": "Le {what_fr} de {where} est {value}.",
    "fr hand-over": "Utilise ce {what_fr} pour {where} : {value}",
    "fr changed": "J'ai remplacé le {what_fr} de {where} par {value} hier soir.",
    "fr log in": "Connecte-toi à {where} avec le {what_fr} {value} puis relance le service.",
    "fr colon": "{where}, identifiant admin, {what_fr} : {value}",
    "fr remember": "N'oublie pas : mon {what_fr} sur {where} est « {value} ».",
}

_PLACES = (
    "the staging database",
    "the wiki",
    "Grafana",
    "the build server",
    "prod-db-2",
    "the CI",
    "our Jenkins",
    "the office router",
    "the admin panel",
    "Ann's laptop",
    "the guest Wi-Fi",
    "the VPN",
    "the customer portal",
    "mail.example.org",
)
_WORDS = (
    "maple tractor ocean violet cabin rocket pepper window garden silver marble copper lantern harbor meadow falcon "
    "ribbon saddle thunder velvet walnut zephyr anchor basket candle dragon ember fabric glacier hammer island jungle"
).split()

_What = tuple[tuple[str, ...], str, str, str]  # words in English, German, Spanish, French
_PASSWORD: _What = (
    ("password", "password", "passwd", "login password", "pw"),
    "Passwort",
    "contraseña",
    "mot de passe",
)
_PIN: _What = (("PIN", "pin code", "PIN"), "PIN", "clave PIN", "code PIN")
_PHRASE: _What = (("passphrase", "pass phrase", "passphrase"), "Kennwort", "frase de contraseña", "mot de passe")
_TOKEN: _What = (("token", "API key", "access token", "secret key"), "Token", "clave de API", "jeton d'accès")


def _human(random: Random) -> str:
    """As people choose them: a word, a number, perhaps a mark."""
    word = random.choice(_WORDS)
    return (
        word.capitalize()
        + str(random.choice((random.randint(10, 99), random.randint(1960, 2025))))
        + random.choice(("!", "?", "#", "", "$"))
    )


def _phrase(random: Random) -> str:
    return random.choice(("-", " ", "_", "-")).join(random.sample(_WORDS, 4))


VALUES: Mapping[str, tuple[_What, Callable[[Random], str]]] = {
    "password from a safe": (_PASSWORD, password),
    "password of a person": (_PASSWORD, _human),
    "PIN": (_PIN, lambda random: expand("{d:4-6}", random)),
    "passphrase of words": (_PHRASE, _phrase),
    "token of letters and digits": (_TOKEN, lambda random: expand("{a:24-40}", random)),
    "token in hex": (_TOKEN, lambda random: expand("{x:32-40}", random)),
}


def sentence(shape: str, kind: str, random: Random) -> Made:
    (english, german, spanish, french), make = VALUES[kind]
    value, where = make(random), random.choice(_PLACES)
    text = SENTENCES[shape].format(
        what=random.choice(english),
        what_de=german,
        what_es=spanish,
        what_fr=french,
        where=where,
        Where=where[0].upper() + where[1:],
        value=value if _has_marks(shape) or " " not in value else f'"{value}"',
    )
    return Made(shape, kind, text, value)


def _has_marks(shape: str) -> bool:
    return any(mark in SENTENCES[shape] for mark in ('"{value', "`{value", "«"))
