"""What is given to a name that says it is secret: in code, settings, forms, tables and short sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.languages import PASSWORD_NAMES
from scrubjay.text.secret_scan.patterns import VALUE_SIGN, Found, compiled
from scrubjay.text.secret_scan.values import FILE_NAME, ORDINARY, TECHNICAL, is_filled_in, is_hex, is_random

__all__ = ["assigned"]

LONG = 15  # characters: what is not firmly given to a name must be as long to be a key
# A password may be any word, so the name alone decides; every other secret must also look random.
SECRET_NAMES = "token secret key credential creds salt".split()
PASS = (
    r"pass(?:w(?:or[dt]|d)|phrase|code|key|e(?= ?[:=]))?|mot de passe|mật khẩu|كلمة المرور|kata sandi|"
    r"(?<![a-z])mdp(?![a-z])"
)
NAME = "|".join([PASS, *PASSWORD_NAMES, *SECRET_NAMES])
SIGNS = ("pass", "mdp", "mot de", "mật", "كلمة", *PASSWORD_NAMES, *SECRET_NAMES)
SHORT_NAME = r"(?<![A-Za-z])p(?:ass|s?w)(?![a-z])|P(?:ass|s?w)(?![a-z])|(?<![A-Z])P(?:ASS|S?W)(?![A-Z])"
KEY_OF = (
    r"(?:api|access|account|app|auth|authentication|client|consumer|crypt|crypto|deploy|encryption|enc|hmac|jwt|license|"
    r"licence|master|private|root|secret|security|service|session|shared|signing|ssh|storage|subscription|write|admin)"
    r"[ _.-]?$"
)
FIRM = ("=", ":", "：", "＝", "是", "\n")
DESCRIBED = (  # password_hash, tokenizer, secretName: the value tells about the secret
    r"(?i)^(?:s|_|-){0,8}(?:id|name|ur[il]|file|path|dir|hash(?:ed)?|digest|len(?:gth)?|min|max|size|count|type|field|policy|"
    r"expir\w{0,20}|ttl|env\w{0,20}|var\w{0,20}|arn|ref|version|limit|hint|format|status|at|iz\w{1,20}|param\w{0,20}|manager|less|reset|alg\w{0,20}|"
    r"mgr|handler|store|error|validator|input|dialog|sha\d{0,3}|md5|fingerprint|label|prefix|pattern|regex|index|prompt|source|provider|usage|budget)s?$"
)
# In a list of settings the value may stand under a name of its own: name: X, value: Y.
PAIR = (
    r"[\"'`]?[ \t,;/{]{0,4}(?:</\w{1,20}>)?\s{0,30}[<\"'`]{0,2}(?:value|val|content|default|defaultvalue|secret)[\"'`]?"
    r"[ ]{0,4}[:=>]"
)
LINK_WORDS = "is|was|has|been|now|set|reset|changed|to|as|es|ist|est|é|è|lautet|:"
VALUE = rf"""(?xi)
    (?P<rest> [\w-]{{0,40}}+ ) \\{{0,3}}["'`]? [\])]? [*]{{0,2}} [ \t]{{0,8}}
    (?P<operator>
        :[ ][&a-z][\w.\[\]|\ ]{{0,24}}[ ]=(?=[ ])             # password: str = "…"
        | :[ ]{{0,4}}[|>][+-]?[ ]{{0,4}}\r?\n[ ]{{0,20}}        # a block of YAML
        | ={{1,3}}>? | :=? | -> | \?= | \|{{1,2}} | > | ： | ＝
        | {PAIR}
        | [-–—](?=[ ]) | \((?=["'])
        | (?<=["'`]),(?=[ ]?\\{{0,3}}["'`])                    # define("password", "…")
        | 是 | は | 는[ ]? | 은[ ]?
        | (?<=[ ])(?: (?:{LINK_WORDS})\b:?[ ]{{1,2}} ){{0,4}}
    )
    [ \t*]{{0,8}}
    (?: (?P<quote> \\{{0,3}}["'`] ) (?P<quoted> (?:(?!(?P=quote))[^\n]){{1,300}} ) (?P=quote)
      | ["'`]? (?P<bare> {VALUE_SIGN}{{1,500}}+
            (?: (?: [,&](?!\s|$|\w{{1,40}}[ ]?[=:]) | \\(?![nrt"'`]) ) {VALUE_SIGN}{{1,500}}+ ){{0,4}} ) )
"""


def assigned(text: str, lowered: str) -> Iterator[Found]:
    if not any(map(lowered.__contains__, SIGNS)):
        return
    done = 0
    for name in compiled(NAME).finditer(lowered):
        given = compiled(VALUE).match(text, name.end()) if name.start() >= done and _is_name(name, text) else None
        if not given or compiled(DESCRIBED).search(given["rest"]):
            continue
        value = given["quoted"] or given["bare"].removesuffix("**").rstrip(".,:)]}")
        start = given.start("quoted" if given["quoted"] else "bare")
        kind = "secret" if name[0] in SECRET_NAMES else "password"
        if _is_secret(value, given) if kind == "secret" else _is_password(value, text, name, given):
            yield kind, start, start + len(value)
        elif len(value) < 100:  # a name inside may have a value too; inside a longer one it is not worth the look
            continue
        done = start + len(value)


def _is_name(name: re.Match[str], text: str) -> bool:
    """Not compass, next_token, or the key of a map."""
    before = name.string[max(0, name.start() - 16) : name.start()]
    match name[0]:
        case "key":
            return bool(compiled(KEY_OF).search(before))
        case "token":
            return not before.rstrip("_-").endswith(("next", "page", "continuation", "csrf", "public", "publickey"))
        case "salt" | "clave" | "parola" | "heslo" | "sandi":
            return not before[-1:].isalpha()
        case "pass" | "pw" | "psw":
            return bool(compiled(SHORT_NAME).match(text, name.start()))
    return True


def _is_secret(value: str, given: re.Match[str]) -> bool:
    enough = 10 if _is_firm(given) else LONG
    if len(value) < enough or not value.isascii() or " " in value or not is_filled_in(value):
        return False
    return (is_random(value) or is_hex(value)) and not compiled(FILE_NAME).match(value)


def _is_firm(given: re.Match[str]) -> bool:
    return given["operator"].rstrip(" ")[-1:] in FIRM or given["operator"] in ("=>", "(")


def _is_password(value: str, text: str, name: re.Match[str], given: re.Match[str]) -> bool:
    """The less the form says that this is a value, the more the value itself must."""
    if name[0] == "pass" and _is_a_result(text, name, value):
        return False
    firm = _is_firm(given)
    if value.isdigit():
        return firm and len(value) >= 6 and len(set(value)) > 2 and name[0] != "pass"
    if len(value) < 4 or not is_filled_in(value) or compiled(FILE_NAME).match(value):
        return False
    if " " in value:
        words = value.split(" ")
        return firm and 3 <= len(words) <= 8 and all(word.islower() and word not in ORDINARY for word in words)
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    strong = (len(value) >= 6 and mixed) or (len(value) >= 10 and is_random(value))
    if not given["quoted"] and compiled(r"[{(\[]|[A-Za-z_][\w.]*[(\[]|--?[a-z]").match(value):
        return False
    if not firm:
        return strong and not compiled(TECHNICAL).search(value)
    if given["quoted"]:
        return strong or not compiled(NAME).search(value)
    return strong or (len(value) >= 6 and _stands_alone(text, name, given, given.start("bare") + len(value)))


def _is_a_result(text: str, name: re.Match[str], value: str) -> bool:
    """`--- PASS: TestName`, `pass: file`: the result of a test, unless a user is named above."""
    before = text[max(0, name.start() - 80) : name.start()]
    if (before.endswith(("_", "-", ".", '"', "'")) and not before.endswith("--")) or text[
        name.end() : name.end() + 1
    ] != ":":
        return False
    return not compiled(r"(?i)user|login|account|host|name|mail").search(before) or value.startswith(("Test", "test"))


def _stands_alone(text: str, name: re.Match[str], given: re.Match[str], end: int) -> bool:
    """NAME=value up to a space, or `name: value` as a whole line; in code the same would name a variable."""
    if text[end : end + 1].strip(";& \t\r\n<"):
        return False
    if not text[given.end("rest") : given.start("bare")].strip("=\"'>"):
        return True
    line = text[max(0, name.start() - 40) : name.start()].rpartition("\n")[2]
    return ":" in given["operator"] and text[end : end + 1] in "\r\n" and " " not in line.strip(" \t-_\"'")
