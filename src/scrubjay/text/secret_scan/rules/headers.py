"""Credentials in the places that a protocol or the settings of a program have for them."""

from __future__ import annotations

from collections.abc import Iterator

from scrubjay.text.secret_scan.patterns import Found, Signs, compiled
from scrubjay.text.secret_scan.rules.shapes import decoded
from scrubjay.text.secret_scan.values import is_filled_in, is_hex, is_random

__all__ = ["HEADER_SIGNS", "in_headers"]

VALUE = r"[\"']?([^\s\"']{3,100})"
QUOTE = r"\\{0,3}[\"'`]?"
SCHEMES = r"(?!basic|digest|negotiate|ntlm|aws4)[a-z][a-z0-9-]{1,20}"
AUTHORIZED = (
    rf"\b(?:bearer |authorization{QUOTE} ?[:=,][ ]{{0,4}}{QUOTE}(?:(?:{SCHEMES}) )?)"
    r"([\w.~+/=-]{12,}+)"
)
BASIC = rf"(?:\bbasic |auth{QUOTE} ?[:=] ?{QUOTE})([a-z0-9+/]{{8,400}}={{0,2}})"
KEY_LABEL = r"[a-z0-9 ]{0,30}(?:private|secret|static) key[a-z0-9 ]{0,12}"
KEY_LINE = r"(?:\\{1,4}[nr]|\s){1,8}[>|#*+]{0,2}[ ]{0,8}[\w+/=]{20,2000}+"
BLOCK = (  # closed, or cut off
    rf"(----[- ]begin {KEY_LABEL}[- ]----(?:[^-]{{0,20000}}+(?:-(?!---)[^-]{{0,20000}}+){{0,100}}+"
    rf"----[- ]end {KEY_LABEL}[- ]----|(?:{KEY_LINE}){{1,400}}+))"
)
PUTTY = r"private-lines: ?[0-9]{1,3}\s{1,4}((?:[a-z0-9+/=]{4,80}\s{0,2}){1,100})"
SEED_NAME = (
    r"(?:mnemonic|(?:12|24|twelve|twenty-four|zwölf|vierundzwanzig|doce|douze) (?:words|wörter|palabras|mots)|"
    r"(?:seed|recovery|backup|wallet|secret)[ _-]?(?:phrase|words|wörter|phrase)|wiederherstellungs(?:phrase|wörter)|"
    r"wallet[ _-]seed|"
    r"(?:bitcoin|ethereum|metamask|ledger|trezor|crypto)[ _-](?:phrase|words|seed)(?:[^\n:]{0,60}(?=:))?|"
    r"(?:frase|palabras) (?:semilla|de recuperación)|(?:phrase|mots) de récupération|frase de recuperação|"
    r"(?:frase|parole) (?:di recupero|seed|del seed)|herstel(?:zin|woorden)|(?:fraza|słowa) (?:odzyskiwania|seed))"
)
# Twelve words or more, in a row, in lines or in a numbered list.
SEED = (
    rf"{SEED_NAME}{QUOTE}(?:(?:[ ][\w ]{{1,30}}?)??(?:[ ]?\([^()\n]{{1,30}}\))?[ ]?(?:is|[:=]|ist|es|est)?|"
    rf"[^\n:=]{{1,80}}+[:=])\s{{0,8}}{QUOTE}"
    r"((?:(?:[0-9]{1,2}[.):]?[ ]{0,3})?[a-z]{3,8}\b[ ,]{0,3}\n?){12,24})"
)
COOKIE = r"\b(?:set-)?cookie2?[\"']?[ ]?[:=,][ ]?[\"']?((?:[\w.%-]{1,60}=[^;\s\"']{1,500}(?:;[ ]?)?){1,20})"
SESSION = (
    r"\b(?:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|\.aspxauth|laravel_session|_gitlab_session|"
    r"[\w-]{0,20}session(?:id|_token|key|cookie)?|sid|sess)=([\w%.:+/-]{16,500}={0,2})"
)
PGPASS = r"(?m)^[\w.*-]{1,100}:(?:[0-9]{2,5}|\*):[\w.*-]{1,60}:[\w.*@-]{1,60}:(\S{4,100})$"
# Postfix: a server in brackets or not, its port, a user and a password.
RELAY = r"(?m)^\[?[\w.-]{1,100}\]?:(?:25|465|587|2525|smtps?|submissions?)[ \t]{1,4}[\w.@+-]{1,80}:(\S{4,100})$"
SEED_SIGNS = tuple("phrase mnemonic frase fraza words wörter palabras mots parole słowa wallet herstel".split())
# Kind, words of which one must be there, pattern in lower case; its group is the secret.
RULES = (
    ("private key", ("begin ",), BLOCK),
    ("private key", ("private-lines",), PUTTY),
    ("bearer token", ("bearer", "auth"), AUTHORIZED),
    ("basic auth", ("basic", "auth"), BASIC),
    ("seed phrase", SEED_SIGNS, SEED),
    ("session cookie", ("sess", "sid=", "aspxauth"), SESSION),
    ("password", (":5432:", ":*:", ":6432:", ":5433:"), PGPASS),
    (
        "password",
        ("enable ",),
        r"\benable (?:secret|password) [0579] (?=\S{0,60}[0-9!#$%^&*~])(\S{4,100})",
    ),  # of a router
    ("password", (":25", ":465", ":587", ":smtp", ":submission"), RELAY),
    ("password in URL", ("://",), r"(?<=://)[^\s/:@\"'<>]{0,100}:([^\s/\"'<>]{4,200})@(?=[\w\[.$-])"),
    ("password in URL", ("://",), r"(?<=://)([0-9a-f]{8,64}:[0-9a-f]{8,64})@(?=\w)"),
    (  # the address of an Oracle database: user/password@host
        "password in URL",
        ("oracle:",),
        r"\boracle:(?:thin|oci[0-9]?):\"?[\w$#.-]{1,60}\"?/([^\s@\"'<>]{3,100})@(?=[\w/(\[.$-])",
    ),
    ("password", ("wifi:",), r"wifi:[^\n]{0,100}?;p:([^;\n]{4,64});"),
    # settings of programs
    ("password", ("requirepass", "masterauth"), rf"\b(?:requirepass|masterauth) {VALUE}"),
    ("password", ("psk", "wpa", "wep_key"), r"\b(?:psk|wpa_passphrase|wep_key0)=[\"']?([^\s\"']{8,64})"),
    (  # several words, up to the end of the line
        "password",
        ("psk", "wpa"),
        r"(?m)^[ \t]{0,8}(?:psk|wpa_passphrase)=[\"']?([^\s\"'#][^\n\"'#]{6,61}[^\s\"'#])[\"']?[ \t]{0,8}$",
    ),
    ("password", ("auth-user-pass",), r"<auth-user-pass>\s{1,4}[^\n]{1,100}\n\s{0,4}([^\s<]{4,100})"),
    ("password", ("snmp", "community"), rf"\b(?:rocommunity|rwcommunity|snmp-server community|-v ?2c -c) {VALUE}"),
    (  # Bundler has a user and a password under the name of a host
        "password",
        ("bundle",),
        r"bundle[\w .-]{3,60}?(?:com|org|net|io)\b[\s\S]{0,40}?(?<![\w:])([0-9a-z]{6,64}:[0-9a-z]{6,64})(?![\w:])",
    ),
)

HEADER_SIGNS: Signs = frozenset(["cookie", *(sign for _, signs, _ in RULES for sign in signs)])


def in_headers(text: str, lowered: str, signs: Signs) -> Iterator[Found]:
    if signs.isdisjoint(HEADER_SIGNS):
        return
    for kind, signs_of_rule, pattern in RULES:
        if not signs.isdisjoint(signs_of_rule):
            for match in compiled(pattern).finditer(lowered):
                if _is_credential(kind, text[slice(*match.span(1))]):
                    yield kind, *match.span(1)
    if "cookie" in signs:
        yield from _cookies(text, lowered)


def _is_credential(kind: str, value: str) -> bool:
    match kind:
        case "private key":
            parts = compiled(r"[A-Za-z0-9+/]{10,}+").findall(value)
            return not all(part.isalpha() and part.islower() for part in parts)
        case "bearer token":
            return is_filled_in(value) and (is_random(value) or is_hex(value))
        case "session cookie":
            return is_random(value) or (is_hex(value) and len(value) >= 24)
        case "basic auth":
            user, _, password = decoded(value).partition(":")
            return bool(password) and (user + password).isprintable()
    return is_filled_in(value)


def _cookies(text: str, lowered: str) -> Iterator[Found]:
    """Every random value of a cookie header."""
    for header in compiled(COOKIE).finditer(lowered):
        for cookie in compiled(r"=([^;\s]{16,500})").finditer(text, *header.span(1)):
            if is_random(cookie[1]) or is_hex(cookie[1]):
                yield "session cookie", *cookie.span(1)
