"""Tables: what stands in a column whose head is a word for a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

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
    tables: dict[str, Table] = {}  # that the line before belongs to, by the sign between their columns
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


@dataclass(slots=True)
class Table:
    """The rows of one length, one below the other, and which of their columns hold secrets."""

    sign: str
    columns: int
    heads: dict[int, str] = field(default_factory=dict)
    left: dict[int, int] = field(default_factory=dict)  # rows to look at in each column

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
