"""Aligned columns on a terminal, with the width that each character takes there; and values as they stand in them."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from scrubjay.text.safe_text import one_line, visible

__all__ = ["GAP", "name_value_lines", "short", "table", "terminal_width"]

GAP = "  "
MAX_WIDTH = 120


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as wide as the terminal; only the last column is shortened."""
    if not rows:
        return ""
    widths = [max(_width(_cell(text)) for text in column) for column in zip(heads, *rows, strict=True)]
    widths[-1] = max(20, terminal_width() - sum(widths[:-1]) - len(GAP) * (len(widths) - 1))
    return "\n".join(_line(cells, widths) for cells in (heads, *rows))


def name_value_lines(values: Mapping[str, Any]) -> str:
    names = {one_line(name.replace("_", " ")): value for name, value in values.items()}
    width = max(map(len, names), default=0)
    return "\n".join(f"{name:<{width}}{GAP}{short(value)}" for name, value in names.items())


def short(value: Any) -> str:
    """Any value of an answer, on one line."""
    return one_line(_short(value))


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == []:
        return "none"
    return ", ".join(map(_short, value)) if isinstance(value, list) else str(value)


def terminal_width() -> int:
    return min(shutil.get_terminal_size((MAX_WIDTH, 24)).columns, MAX_WIDTH)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (_fit(cell, width) for cell, width in zip(cells, widths, strict=True))
    return GAP.join(padded).rstrip()


def _fit(text: str, width: int) -> str:
    clean = _cell(text)
    if _width(clean) > width:
        ends = enumerate(accumulate(map(_character_width, clean)))
        clean = clean[: next(index for index, end in ends if end > width - 1)] + "…"
    return clean + " " * (width - _width(clean))


def _cell(text: str) -> str:
    """Text on one line; double spaces are kept, because they separate the parts of a cell."""
    return visible(text).replace("\n", " ").replace("\t", " ")


def _width(text: str) -> int:
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    """The columns of a character on a terminal: two for wide East Asian ones, none for combining marks."""
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
