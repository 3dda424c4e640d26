"""Files whose form says what is secret: columns of tables, Secrets of Kubernetes, keys in JSON, lists of users."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.languages import PASSWORD_NAMES, PASSWORD_WORDS, PHRASE_WORDS, PIN_WORDS, TOKEN_WORDS
from scrubjay.text.secret_scan.patterns import Found, Signs, compiled, has_any, shortest
from scrubjay.text.secret_scan.values import is_filled_in, is_hex, is_password_like, is_random

__all__ = ["HEAD_SIGNS", "in_files"]

ROWS = 100  # below the head
HEADS = frozenset([*PASSWORD_NAMES, *PASSWORD_WORDS, *PHRASE_WORDS, *TOKEN_WORDS, "pass", "mdp", "mot de passe"]) - {
    "key",
    "clave",
}
NUMBER_HEADS = frozenset(PIN_WORDS)
HEAD_SIGNS = shortest(HEADS | NUMBER_HEADS)
HEAD = r"(?m)^[^\n|,;\t]{0,60}(?:[|,;\t][^\n|,;\t]{0,60}){1,20}$"
SECRET = r"[\"']?kind[\"']?[ ]{0,4}:[ ]{0,4}[\"']?(?:sealed)?secret(?:list)?[\"']?[ ]{0,4}(?:[\r\n,}#]|$|\\n)"
YAML_BLOCK = (
    r"(?m)^(?P<indent>[ ]{0,20})(?:string)?data:[ ]{0,4}\n(?P<body>(?:(?P=indent)[ ]{1,8}[^\n]{0,20000}\n?){1,200})"
)
JSON_BLOCK = r"\"(?:string)?data\"[ ]{0,4}:\s{0,20}\{(?P<body>[^{}]{1,50000})\}"
ENTRY = r"(?m)^[ ]{0,24}[\"']?[\w.-]{1,80}[\"']?:[ ]{1,4}[\"']?([^\s\"'|>][^\n\"']{3,20000}?)[\"']?[ ]{0,4}$"
BLOCK_ENTRY = r"(?m)^([ ]{1,24})[\w.-]{1,80}:[ ]{1,4}[|>][+-]?[ ]{0,4}\n((?:\1[ ]{1,8}[^\n]{1,4000}\n?){1,100})"
JSON_ENTRY = r"\"[\w.-]{1,80}\"\s{0,8}:\s{0,8}\"((?:[^\"\\]|\\.){4,20000})\""
# The private members of a key: RSA and elliptic curves have d, RSA also its factors, a shared key k.
JWK_PRIVATE = r"[\"'](?:d|p|q|dp|dq|qi|k)[\"']\s{0,4}:\s{0,4}[\"']([\w-]{20,2000})[\"']"
# A wallet's key as a list of its bytes, after a word that says so.
BYTES = (
    r"(?i)(?:key|secret|wallet|solana|seed)[^\n\[]{0,60}\n?[^\n\[]{0,20}"
    r"(\[(?:[ \n]{0,4}[0-9]{1,3}[ \n]{0,4},){31,63}[ \n]{0,4}[0-9]{1,3}[ \n]{0,4}\])"
)
BYTES_OF_KEYS = (32, 64)
# name:$6$salt$digest:… of /etc/shadow, or to the end of the line.
USER_AND_HASH = r"(?m)^[\w.@-]{1,60}:(\$[0-9A-Za-z]{1,9}\$[^\s:]{12,200})(?=:|$)"
# client * secret *
CLIENT_AND_SECRET = r"(?m)^[\"']?[\w.@-]{1,60}[\"']?\s{1,8}\*\s{1,8}[\"']?([^\s\"'*]{4,100})[\"']?\s{1,8}\*"

# ann:…, or "ann" "…", alone on a line: a list of users. The value must be as only a password is.
USER_AND_PASSWORD = (
    r"(?m)^[\"']?[\w.@-]{1,60}[\"']?(?::|[ \t]{1,4}(?=[\"']))"
    r"[\"']?([^\s\"':/\\(){}\[\]<>=,;|]{10,64})[\"']?[ \t\r]{0,4}$"
)
SIGNS_IN_PASSWORDS = "!#$%^*+?~@"
STRONG = r"(?=.{0,64}[a-z])(?=.{0,64}[A-Z])(?=.{0,64}[0-9]).{0,64}[A-Za-z0-9][!#$%^*+?~@][A-Za-z0-9]"


def in_files(text: str, lowered: str, signs: Signs) -> Iterator[Found]:
    for pair in compiled(USER_AND_PASSWORD).finditer(text) if has_any(text, SIGNS_IN_PASSWORDS) else ():
        if compiled(STRONG).match(pair[1]) and is_filled_in(pair[1]) and is_random(pair[1]):
            yield "password", *pair.span(1)
    yield from _manifests(text, lowered)
    yield from _tables(text, lowered, signs)
    if ":$" in text:
        yield from (("password hash", *match.span(1)) for match in compiled(USER_AND_HASH).finditer(text))
    if "*" in text and has_any(lowered, ("secret", "chap", "pap")):
        for match in compiled(CLIENT_AND_SECRET).finditer(text):
            if is_filled_in(match[1]):
                yield "password", *match.span(1)
    if text.count(",") >= min(BYTES_OF_KEYS) - 1:
        yield from _bytes(text)


def _bytes(text: str) -> Iterator[Found]:
    for match in compiled(BYTES).finditer(text):
        numbers = re.findall("[0-9]+", match[1])
        if len(numbers) in BYTES_OF_KEYS and all(int(number) < 256 for number in numbers) and len(set(numbers)) > 16:
            yield "private key", match.start(1), match.end(1)


def _manifests(text: str, lowered: str) -> Iterator[Found]:
    if "secret" in lowered and "data" in lowered and compiled(SECRET).search(lowered):
        yield from _kubernetes(text, lowered)
    if "kty" in lowered:
        for match in compiled(JWK_PRIVATE).finditer(text):
            yield "private key", *match.span(1)


def _kubernetes(text: str, lowered: str) -> Iterator[Found]:
    blocks = [(YAML_BLOCK, (ENTRY, BLOCK_ENTRY)), (JSON_BLOCK, (JSON_ENTRY,))]
    for pattern, entries in blocks:
        for block in compiled(pattern).finditer(lowered):
            for entry in entries:
                for value in compiled(entry).finditer(text, *block.span("body")):
                    if is_filled_in(value[value.re.groups]):
                        yield "secret", *value.span(value.re.groups)


def _tables(text: str, lowered: str, signs: Signs) -> Iterator[Found]:
    if signs.isdisjoint(HEAD_SIGNS) or "\n" not in text:
        return
    tables: dict[str, Table] = {}  # those that the line before belongs to, by the separator of their columns
    for line in compiled(r"[^\n]{1,2000}+").finditer(lowered):
        for sign, table in list(tables.items()):
            if table.has_row(line[0]):
                yield from table.found(text, line)
            else:
                del tables[sign]
        sign = next((sign for sign in "|\t;," if sign in line[0]), "")
        if sign and len(line[0]) < 300:
            heads = [cell.strip(" *`\"'") for cell in line[0].split(sign)]
            tables.setdefault(sign, Table(sign, len(heads))).look_for_heads(heads)


class Table:
    """The rows of one length, one below the other, and which of their columns hold secrets."""

    def __init__(self, sign: str, columns: int) -> None:
        self.sign, self.columns = sign, columns
        self.heads: dict[int, str] = {}
        self.left: dict[int, int] = {}  # rows to look at in each column

    def has_row(self, row: str) -> bool:
        return row.count(self.sign) + 1 == self.columns

    def look_for_heads(self, heads: list[str]) -> None:
        for column, head in enumerate(heads if sum(map(bool, heads)) > 1 else ()):
            if head in HEADS or head in NUMBER_HEADS:
                self.heads[column], self.left[column] = head, ROWS

    def found(self, text: str, row: re.Match[str]) -> Iterator[Found]:
        begin = row.start()
        for column, cell in enumerate(row[0].split(self.sign)):
            if self.left.get(column):
                self.left[column] -= 1
                yield from _found_in(text[begin : begin + len(cell)], begin, self.heads[column])
            begin += len(cell) + 1


def _found_in(cell: str, begin: int, head: str) -> Iterator[Found]:
    value = re.search(r"[^\s*`\"'].*[^\s*`\"']", cell)
    if value and _fits(value[0], head):
        yield "PIN" if head in NUMBER_HEADS else "password", begin + value.start(), begin + value.end()


def _fits(value: str, head: str) -> bool:
    if head in NUMBER_HEADS:
        return value.isdigit() and 3 <= len(value) <= 8
    return is_password_like(value) or is_hex(value) or (len(value) >= 10 and " " not in value and is_random(value))
