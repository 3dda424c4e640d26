"""Many memories at once, from JSON Lines: each line has its own outcome."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import click

from scrubjay import Invalid, Scrubjay, ScrubjayError
from scrubjay.interfaces import answer_dicts
from scrubjay.interfaces.cli.shared.progress import progress_bar
from scrubjay.text.plural import counted

__all__ = ["add_lines"]

MAX_BYTES = 256_000_000


def add_lines(jay: Scrubjay, screen: Any, file: str, shared: Mapping[str, Any], redact: bool) -> None:
    """Remember each line; `shared` are fields for lines that do not give them. Exits with 1 if one was refused."""
    numbered = [(number, line) for number, line in enumerate(_lines(file), start=1) if line.strip()]
    items = {number: _item(line, shared) for number, line in numbered}
    read = [item for item in items.values() if not isinstance(item, Invalid)]
    with progress_bar("Remembering", "text", screen.json) as progress:
        outcomes = iter(jay.add_each(read, redact=redact, progress=progress))
    by_line = {number: item if isinstance(item, Invalid) else next(outcomes) for number, item in items.items()}
    data = answer_dicts.outcomes_dict(by_line)
    summary = f"Remembered {data['created']:,}; {data['known']:,} already known, {data['refused']:,} refused."
    screen.show(data, summary)
    refused = {number: one for number, one in by_line.items() if isinstance(one, ScrubjayError)}
    screen.notes(f"Line {number} was refused: {problem}" for number, problem in refused.items())
    if refused:
        click.get_current_context().exit(1)


def _lines(file: str) -> list[bytes]:
    with sys.stdin.buffer if file == "-" else open(file, "rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Invalid(f"This is more than {counted(MAX_BYTES, 'byte')}; split it, e.g. with `split -l 100000`.")
    return data.removeprefix(b"\xef\xbb\xbf").split(b"\n")


def _item(line: bytes, shared: Mapping[str, Any]) -> Any:
    """The object of a line, or why it has none; anything else is given on, and refused as what it is."""
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return Invalid("It is not JSON.")
    return {**shared, **item} if isinstance(item, dict) else item
