"""Sentences that hand on a secret in ways that neither of the first lists has, in seven languages."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from bench.secret_families.prose import VALUES
from bench.secret_families.values import Made

__all__ = ["SENTENCES", "VALUES", "sentence"]

# {what} is the word for the secret, {where} what it opens, {value} the secret. The name of a shape begins with its
# language.
SENTENCES: Mapping[str, str] = {
    "en forwarded": "Fwd: Re: access\n> Here you go, {where} {what} below\n> {value}\n> Cheers",
    "en reply": "Sure thing! For {where} I always use {value} as my {what}.",
    "en numbered": "1) open {where}\n2) when prompted for the {what}, enter {value}\n3) done",
    "en postscript": "See you on Monday.\n\nPS: {where} wants a {what} now, it's {value}",
    "en status": "Rotated the {what} on {where} this morning; new value: {value}",
    "en told on the phone": "Support told me on the phone that the {what} for {where} had been set to {value}.",
    "en do not forget": "don't forget!! {where} -> {what} -> {value}",
    "en user line": "user: mira\n{what}: {value}\nhost: {where}",
    "en stays": "The {what} on {where} stays {value} until the end of the quarter.",
    "en with a note": "{where}: {what} {value} (capital letters matter)",
    "en agent memory": "User's {what} for {where} is {value}; use it when asked to sign in.",
    "en both names": "Login mira, {what} {value}, that gets you into {where}.",
    "en expires": "{value} is the {what} for {where} and expires in 30 days.",
    "de forwarded": "Zur Info: {where} hat ein neues {what_de} bekommen, und zwar {value}",
    "de note": "Zettel am Monitor: {where} / {what_de} / {value}",
    "es note": "Nota: la {what_es} que usamos en {where} sigue siendo {value}",
    "fr note": "Pour mémoire, {where} : {what_fr} {value}",
    "it statement": "La {what_it} di {where} è {value}, non dirla a nessuno.",
    "it use": "Usa {value} come {what_it} per {where}",
    "pt statement": "A {what_pt} de {where} é {value}, não passe adiante.",
    "nl statement": "Het {what_nl} van {where} is {value}",
}
_PLACES = (
    "the payroll app",
    "Vaultwarden",
    "the lab switch",
    "db-eu-3",
    "our Sentry",
    "the alarm panel",
    "Home Assistant",
)
# Words for each kind of secret in Italian, Portuguese and Dutch.
_MORE_WORDS: Mapping[str, tuple[str, str, str]] = {
    "password from a safe": ("password", "senha", "wachtwoord"),
    "password of a person": ("password", "senha", "wachtwoord"),
    "PIN": ("PIN", "PIN", "pincode"),
    "passphrase of words": ("passphrase", "frase secreta", "wachtwoord"),
    "token of letters and digits": ("chiave API", "chave de API", "token"),
    "token in hex": ("chiave API", "chave de API", "token"),
}


def sentence(shape: str, kind: str, random: Random) -> Made:
    (english, german, spanish, french), make = VALUES[kind]
    italian, portuguese, dutch = _MORE_WORDS[kind]
    value = make(random)
    text = SENTENCES[shape].format(
        what=random.choice(english),
        what_de=german,
        what_es=spanish,
        what_fr=french,
        what_it=italian,
        what_pt=portuguese,
        what_nl=dutch,
        where=random.choice(_PLACES),
        value=value if " " not in value else f'"{value}"',
    )
    return Made(shape, kind, text, value)
