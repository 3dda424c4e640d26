"""Tables: what stands in a column whose head is a word for a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrubjay.text.secret_scan.languages import PASSWORD_NAMES, PASSWORD_WORDS, PHRASE_WORDS, PIN_WORDS, TOKEN_WORDS
from scrubjay.text.secret_scan.patterns import Found, compiled
from scrubjay.text.secret_scan.values import is_hex, is_password_like, is_random

__all__ = ["in_tables"]

ROWS = 100  # below the head
HEADS = frozenset([*PASSWORD_NAMES, *PASSWORD_WORDS, *PHRASE_WORDS, *TOKEN_WORDS, "pass", "mdp", "mot de passe"]) - {
    "key",
    "clave",
}
NUMBER_HEADS = frozenset(PIN_WORDS)
HEAD = r"(?m)^[^\n|,;\t]{0,60}(?:[|,;\t][^\n|,;\t]{0,60}){1,20}$"


def in_tables(text: str, lowered: str) -> Iterator[Found]:
    if "\n" not in text or not any(map(lowered.__contains__, HEADS | NUMBER_HEADS)):
        return
    lines = [(line.start(), line[0]) for line in compiled(r"[^\n]{1,2000}+").finditer(lowered)]
    for place, (_, line) in enumerate(lines):
        sign = next((sign for sign in "|\t;," if sign in line), "")
        heads = [cell.strip(" *`\"'") for cell in line.split(sign)] if sign and len(line) < 300 else []
        for column, head in enumerate(heads if sum(map(bool, heads)) > 1 else ()):
            if head in HEADS or head in NUMBER_HEADS:
                yield from _column(text, lines[place + 1 : place + 1 + ROWS], sign, len(heads), column, head)


def _column(text: str, rows: list[tuple[int, str]], sign: str, columns: int, column: int, head: str) -> Iterator[Found]:
    for start, row in rows:
        cells = row.split(sign)
        if len(cells) != columns:
            return
        begin = start + sum(len(cell) + 1 for cell in cells[:column])
        value = re.search(r"[^\s*`\"'].*[^\s*`\"']", text[begin : begin + len(cells[column])])
        if value and _fits(value[0], head):
            yield "PIN" if head in NUMBER_HEADS else "password", begin + value.start(), begin + value.end()


def _fits(value: str, head: str) -> bool:
    if head in NUMBER_HEADS:
        return value.isdigit() and 3 <= len(value) <= 8
    return is_password_like(value) or is_hex(value) or (len(value) >= 10 and " " not in value and is_random(value))
