"""What is given to a name that says it is secret: in code, settings, forms, tables and short sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.languages import NO_PIN, PASSWORD_NAMES, SPACED_NAMES, either
from scrubjay.text.secret_scan.patterns import VALUE_SIGN, Found, Signs, compiled, has_any, shortest
from scrubjay.text.secret_scan.values import (
    FILE_NAME,
    ORDINARY,
    TECHNICAL,
    is_chain_of_names,
    is_filled_in,
    is_hex,
    is_in_hex_parts,
    is_made_up,
    is_of_four_kinds,
    is_place,
    is_random,
)

__all__ = ["CODE_NAME_SIGNS", "NAME_SIGNS", "assigned"]

LONG = 15  # characters: what is not firmly given to a name must be as long to be a key
# A password may be any word, so the name alone decides; every other secret must also look random, or like a password.
SECRET_NAMES = "token secret key credential creds salt pepper".split()
SHARED_NAMES = ["psk", "community", "keymaterial"]  # of networks: as good as passwords
PASS = (
    r"pass(?:w(?:or[dt]|d)|phrase|code|key|e(?= ?[:=]))?|"
    + "|".join(name.replace(" ", "[ _-]") for name in SPACED_NAMES)
    + r"|(?<![a-z])mdp(?![a-z])"
)
NAME = "|".join([PASS, *PASSWORD_NAMES, *SHARED_NAMES, *SECRET_NAMES])
NAME_IN_VALUE = "|".join(["passw", "passphrase", *(name for name in (*PASSWORD_NAMES, *SECRET_NAMES) if len(name) > 4)])
JOINED_NAMES = [name.replace(" ", joint) for name in SPACED_NAMES for joint in " _-"]
CODE_NAME_SIGNS = frozenset({"pin", "puk", "geheimzahl", "cod", "kod"})
NAME_AT_END = rf"{NAME_IN_VALUE}|[_.](?:pass|pwd?|psw|mdp|psk)$"  # SMTP_MDP
NAME_SIGNS = shortest(["pass", "mdp", *JOINED_NAMES, *PASSWORD_NAMES, *SHARED_NAMES, *SECRET_NAMES])
# What a code in settings is for: pin_sblocco, codice_allarme, door_code
OF_CODES = either(
    """
    access acces acceso accesso acesso toegang zugang entry unlock sblocco sbloccare desbloqueo desbloqueio
    déverrouillage deverrouillage entsperr entsperren ontgrendel odblokowania disarm arm sim user utente usuario
    utilisateur benutzer gebruiker admin supervisor master operator host screen phone handy telefono voicemail
    alarm alarma alarme allarme alarmu tür tuer türöffner door porta puerta porte deur drzwi gate portail cancello
    portão portao bramy garage card tarjeta carte karte kaart scheda karty keypad lock slot schloss safe tresor kluis
    coffre caja cofre cassaforte sejfu security seguridad sécurité securite sicurezza segurança sicherheits
    """.split()
)
CODE_WORD = "(?:code|codigo|código|codice|kod)"
# A number that is given to a name, and at the end of what stands before it a name for a code
GIVEN_NUMBER = r"[:=]>?[ \t]{0,8}[\"']?(?P<value>[0-9]{4,10})(?=[\"']?[ \t]{0,8}(?:[,;}\]#\r\n]|$))"
NAME_OF_CODE = (
    rf"(?<![a-z0-9])(?:(?:{OF_CODES}[_-]?){{0,2}}(?:pin(?:[_-]?{CODE_WORD})?|puk|geheimzahl)(?:[_-]?{OF_CODES}){{0,2}}|"
    rf"(?:{OF_CODES}s?[_-]?){{1,2}}{CODE_WORD}|{CODE_WORD}(?:[_-](?:de|di|da|do|del|d|la)){{0,2}}[_-]{OF_CODES})"
    r"[\"'`]?[ \t]{0,8}[:=]?$"
)
NAME_WITHIN = 60  # characters
# What a lock or an alarm of a house is told: service: lock.unlock, data: {code: "…"}
CODE_OF_LOCK = (
    r"(?<![\w.])(?:lock|alarm_control_panel)\.[a-z]\w{0,40}+(?:[^\n]{0,160}\n){0,2}?[^\n]{0,160}?"
    r"(?<![\w-])code[\"']?[ ]?[:=][ ]?[\"'](?P<value>[0-9]{4,10})[\"']"
)
LOCK_SIGNS = ("lock.", "alarm_control_panel.")
# Names of passwords in one word with what they are for: SSHPASS
PASS_OF = tuple(
    "ssh ftp smtp mail ldap vpn wifi wlan db sql pg redis root admin sudo zip rar keystore mqtt rdp vnc".split()
)
SHORT_NAME = r"(?<![A-Za-z])p(?:ass|s?w)(?![a-z])|P(?:ass|s?w)(?![a-z])|(?<![A-Z])P(?:ASS|S?W)(?![A-Z])"
KEY_OF = (
    r"(?:api|access|account|app|auth|authentication|client|consumer|crypt|crypto|deploy|encryption|enc|hmac|jwt|license|"
    r"licence|master|private|root|secret|security|service|session|shared|signing|ssh|storage|subscription|write|admin|"
    r"recovery|unseal|wallet)"
    r"[ _.-]?$"
)
SIGN_AND_HEX = r"[a-z][a-z0-9]{1,9}[_-](?=(?:[a-f]{0,20}[0-9]){4})[0-9a-f]{12,64}$"  # of a service
FIRM = ("=", ":", "：", "＝", "是", "\n")
FIRM_SIGNS = ("=>", "(", "{", "|", ">")
LOOSE_FOR_PASSWORDS = ("(", "{", "|", ">")  # what a function is called with or a table has may be any word
DESCRIBED = (  # password_hash, tokenizer, secretName: the value tells about the secret
    r"(?i)^(?:s|_|-){0,8}(?:id|name|ur[il]|file|path|dir|hash(?:ed)?|digest|len(?:gth)?|min|max|size|count|type|field|policy|"
    r"expir\w{0,20}|ttl|env\w{0,20}|var\w{0,20}|arn|ref|version|limit|hint|format|status|at|iz\w{1,20}|param\w{0,20}|manager|less|reset|alg\w{0,20}|"
    r"mgr|handler|store|error|validator|input|dialog|sha\d{0,3}|md5|fingerprint|label|prefix|pattern|regex|index|prompt|source|provider|usage|budget)s?$"
)
# In a list of settings the value may stand under a name of its own: name: X, value: Y.
PAIR = (
    r"[\"'`]?>?[ \t,;/{]{0,4}(?:</\w{1,20}>)?\s{0,30}[<\"'`]{0,2}"
    r"(?:value|val|content|default|defaultvalue|secret)[\"'`]?[ ]{0,4}[:=>]|"
    r"[\"']?[ ]{0,4}[:=][ ]{0,4}\{\s{0,30}[\"']?(?:value|default)[\"']?[ ]{0,4}[:=]|"  # name: {value: …}
    r"(?<=[\"'][ ])\{\n(?:[ \t]{0,12}\w{1,20}[ ]{0,12}=[^\n{}]{0,60}\n){0,4}[ \t]{0,12}default[ ]{0,12}=|"  # Terraform
    r"</\w{1,20}>\s{0,30}<\w{1,20}(?:[ ][^<>\n]{1,60})?>"  # <key>name</key><string>…
)
# The same as options of a command: --name X --type Y --value Z.
OPTION_PAIR = r"(?:--?[\w-]{1,20}[ =][^\s-]\S{0,40}[ ]){0,3}--?(?:value|body|data|secret-string)[ =]"
# <string name="password" translatable="false">
ATTRIBUTES = r"(?<=[\"'][ ])(?:[\w:-]{1,30}=[\"'][^\"'<>]{0,40}[\"'][ ]?){1,3}>"
TYPE_BEFORE = r"[\"']\w[\w:]{0,60}::\w{0,40}\Z"  # "AWS::ApiGateway::ApiKey" names a type
CODE_NAME = r"[A-Za-z]\w{0,60}[_.]\w{1,60}$"  # SHOP_PASSWORD2, var.shop_password
ENVIRONMENT = r"(?i)env(?:iron|ironment)?(?:\.get|_?var(?:iable)?|\.fetch)?[({]\w{0,12}"  # what it is called there
EXPRESSION = r"&&|[!=]==?|::[A-Z]|=>|^null\b|^![0-9]"
LINK_WORDS = "is|was|has|been|now|set|reset|changed|to|as|es|ist|est|é|è|lautet|:"
VALUE = rf"""(?xi)
    (?P<rest> [\w-]{{0,40}}+ )
    \\{{0,3}}["'`]? [\])}}]? [*]{{0,2}} [ \t]{{0,8}}
    (?P<operator>
        :[ ][&a-z][\w.\[\]|\ ]{{0,24}}[ ]=(?=[ ])             # password: str = "…"
        | :[ ]{{0,4}}[|>][+-]?[ ]{{0,4}}\r?\n[ ]{{0,20}}        # a block of YAML
        | (?P<pair> {PAIR} | {OPTION_PAIR} | {ATTRIBUTES} )
        | ={{1,3}}>? | :{{1,2}}=? | -> | \?{{1,2}}= | //= | \|{{1,2}}=? | > | <(?=\w) | ： | ＝ | →
        | (?<=[\]}}])\{{?(?=\S) | ,(?=[^\s,]{{6,100}}\r?(?:\n|$))
        | [-–—](?=[ ]) | [({{](?=["'])
        | (?<=["'`]),(?=[ ]?\\{{0,3}}["'`])                    # define("password", "…")
        | 是 | は | 는[ ]? | 은[ ]?
        | (?<=[ ])(?: (?:{LINK_WORDS})\b:?[ ]{{1,2}} ){{0,4}}
    )
    [ \t*]{{0,8}} (?: [0-9][ ](?=\w) )?                       # password 0 …, as routers say how it is written
    (?: [&!][\w!]{{1,20}}[ ] | <!\[CDATA\[ )?                # a mark of YAML or XML
    (?P<wrapper> [a-z_][\w.:]{{0,30}}[({{](?:\w{{1,12}}[ ]?=[ ]?)?(?=\\{{0,3}}["'`]) )?     # SecretStr("…")
    (?: ["'](?=\\) )?
    (?: (?:@|\$|[bfrunel]{{1,2}})? (?P<quote> \\{{0,3}}["'`] ) (?P<quoted> (?:(?!(?P=quote))[^\n]){{1,300}} ) (?P=quote)
      | ["'`]? (?P<bare> {VALUE_SIGN}{{1,500}}+
            (?: (?: [,&](?!\s|$|\w{{1,40}}[ ]?[=:]) | \\(?![nrt"'`]) ) {VALUE_SIGN}{{1,500}}+ ){{0,4}} ) )
"""


def assigned(text: str, lowered: str, signs: Signs) -> Iterator[Found]:
    if not signs.isdisjoint(CODE_NAME_SIGNS):
        yield from _codes(lowered)
    if signs.isdisjoint(NAME_SIGNS):
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


def _codes(lowered: str) -> Iterator[Found]:
    """A number that the name of a setting says to be a code, or that a lock is told."""
    codes = [
        number
        for number in compiled(GIVEN_NUMBER).finditer(lowered)
        if compiled(NAME_OF_CODE).search(lowered, max(0, number.start() - NAME_WITHIN), number.start())
    ]
    if has_any(lowered, LOCK_SIGNS):
        codes += compiled(CODE_OF_LOCK).finditer(lowered)
    for code in codes:
        if code["value"] not in NO_PIN and len(set(code["value"])) > 1:
            yield "PIN", *code.span("value")


def _is_name(name: re.Match[str], text: str) -> bool:
    """Not compass, next_token, or the key of a map."""
    before = name.string[max(0, name.start() - 16) : name.start()]
    if compiled(TYPE_BEFORE).search(name.string, max(0, name.start() - 80), name.start()):
        return False
    match name[0]:
        case "key":
            return bool(compiled(KEY_OF).search(before))
        case "token":
            return not before.rstrip("_-").endswith(("next", "page", "continuation", "csrf", "public", "publickey"))
        case "psk":
            return text[name.start()].isupper() or not before[-1:].isalpha()
        case "community":
            return "snmp" in before
        case "salt" | "clave" | "parola" | "heslo" | "sandi":
            return not before[-1:].isalpha()
        case "pass" | "pw" | "psw":
            return bool(compiled(SHORT_NAME).match(text, name.start())) or before.endswith(PASS_OF)
    return True


def _is_secret(value: str, given: re.Match[str]) -> bool:
    firm = _is_firm(given)
    if firm and is_of_four_kinds(value):
        return True
    if len(value) < (10 if firm else LONG) or (not firm and is_chain_of_names(value)):
        return False
    if not value.isascii() or " " in value or not is_filled_in(value):
        return False
    if firm and compiled(SIGN_AND_HEX).match(value):
        return True
    return (is_random(value) or is_hex(value) or is_in_hex_parts(value)) and not compiled(FILE_NAME).match(value)


def _is_firm(given: re.Match[str]) -> bool:
    operator = given["operator"].rstrip(" ")
    return bool(given["pair"]) or operator[-1:] in FIRM or operator in FIRM_SIGNS


def _is_password(value: str, text: str, name: re.Match[str], given: re.Match[str]) -> bool:
    """The less the form says that this is a value, the more the value itself must."""
    if name[0] == "pass" and _is_a_result(text, name, value):
        return False
    if given["operator"] == "," and _is_in_a_list(text, name) and (value.isupper() or not is_made_up(value)):
        return False
    if given["wrapper"] and (compiled(ENVIRONMENT).search(given["wrapper"]) or not is_made_up(value)):
        return False
    if compiled(CODE_NAME).match(value) and compiled(NAME_AT_END).search(value.lower()):
        return False
    if text[given.end() : given.end() + 2] == " {" or (not given["quoted"] and _is_code(value, given)):
        return False
    firm = _is_firm(given) and given["operator"].rstrip(" ") not in LOOSE_FOR_PASSWORDS
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
        return strong and not compiled(TECHNICAL).search(value) and not is_place(value)
    if given["quoted"]:
        return strong or not compiled(NAME_IN_VALUE).search(value.lower())
    return strong or (len(value) >= 6 and _stands_alone(text, name, given, given.start("bare") + len(value)))


def _is_a_result(text: str, name: re.Match[str], value: str) -> bool:
    """`--- PASS: TestName`, `pass: file`: the result of a test, unless a user is named above."""
    before = text[max(0, name.start() - 80) : name.start()]
    if (before.endswith(("_", "-", ".", '"', "'")) and not before.endswith("--")) or text[
        name.end() : name.end() + 1
    ] != ":":
        return False
    if is_made_up(value):
        return False
    return not compiled(r"(?i)user|login|account|host|name|mail").search(before) or value.startswith(("Test", "test"))


def _is_code(value: str, given: re.Match[str]) -> bool:
    """An expression, or a name within another: password::Hasher."""
    return given["operator"] == "::" or bool(compiled(EXPRESSION).search(value))


def _is_in_a_list(text: str, name: re.Match[str]) -> bool:
    """Of strings, not the first argument of a call."""
    return bool(compiled(r",\s{0,20}[\"'`][\w.-]{0,40}$").search(text[max(0, name.start() - 64) : name.start()]))


def _stands_alone(text: str, name: re.Match[str], given: re.Match[str], end: int) -> bool:
    """NAME=value up to a space, or `name: value` as a whole line; in code the same would name a variable."""
    line = text[max(0, name.start() - 40) : name.start()].rpartition("\n")[2]
    if text[end : end + 1] == "}":
        return "${" in line  # ${NAME:=value}
    if text[end : end + 1].strip(";& \t\r\n<"):
        return False
    if not text[given.end("rest") : given.start("bare")].strip("=\"'>"):
        return True
    return ":" in given["operator"] and text[end : end + 1] in "\r\n" and " " not in line.strip(" \t-_\"'")
