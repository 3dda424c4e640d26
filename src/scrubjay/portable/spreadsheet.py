"""Memories as comma-separated values (CSV), for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from scrubjay.errors import Invalid
from scrubjay.files import private_files
from scrubjay.memory.arguments import file_path
from scrubjay.memory.view import View
from scrubjay.portable.export import draft_noted, note_file
from scrubjay.types import Memory

__all__ = ["COLUMNS", "export_csv"]

COLUMNS = tuple(field.name for field in fields(Memory))
BYTE_ORDER_MARK = "\ufeff"  # without it, Excel does not read a file as UTF-8
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # Excel takes wide signs as well


def export_csv(view: View, file: str | Path | TextIO, filters: Mapping[str, Any]) -> int:
    """Write the memories that match, the oldest first, with a column for each field; returns how many."""
    memories = view.newest(filters, None, None, 0)[::-1]
    if hasattr(file, "write") and not isinstance(file, str | Path):
        _write(memories, file)
        return len(memories)
    path = file_path("file", file)
    text = io.StringIO()
    text.write(BYTE_ORDER_MARK)
    _write(memories, text)
    if path.is_symlink():
        raise Invalid(f"{file} is a symbolic link, which is not written through; name another file.")
    try:
        with draft_noted(view, path, "export", (view.space,)):
            private_files.write(path, text.getvalue().encode())
    except OSError as problem:
        raise Invalid(f"{file} cannot be written: {problem.strerror}.") from None
    note_file(view, file)
    return len(memories)


def _write(memories: list[Memory], file: TextIO) -> None:
    table = csv.writer(file)
    table.writerow(COLUMNS)
    table.writerows([_cell(getattr(memory, name)) for name in COLUMNS] for memory in memories)


def _cell(value: Any) -> str | int | float | None:
    """A value as a spreadsheet shows it."""
    match value:
        case datetime():
            return value.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
        case tuple():
            return _text_cell(", ".join(map(str, value)))
        case Mapping():
            return json.dumps(dict(value), ensure_ascii=False) if value else ""
        case str():
            return _text_cell(value)
    return value  # type: ignore[no-any-return]


def _text_cell(text: str) -> str:
    """A text that would be run as a formula begins with an apostrophe."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
