"""Reading an export: nothing of it is used before all of it was read once, checked, and its digest found right."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from scrubjay.errors import Invalid
from scrubjay.memory.arguments import space_name
from scrubjay.portable.export import FORMAT, VERSION
from scrubjay.portable.lines.checks import HEX, check_line, loaded, vectors_of
from scrubjay.portable.lines.signature import is_own
from scrubjay.stores.transfer.tables import BEFORE_MEMORIES, EDIT, MEMORY, STEP, TABLES
from scrubjay.types import Model

__all__ = ["FIRST_BYTES", "MOST_LINE_BYTES", "Checked", "checked", "is_export", "read_lines"]

MOST_LINE_BYTES = 32_000_000  # a text of a million characters, with its vectors
FIRST_BYTES = 2_000_000  # the longest header
MOST_SPACES = 10_000
MOST_DIMENSIONS = 65_536
CUT_OFF = "This export is cut off: its last line is missing; nothing was imported. Export it again."
CHANGED = "This export is damaged: its digest is another; nothing was imported. Export it again."
NEWER = "This export was written by a newer Scrubjay; upgrade with `pip install -U scrubjay`."
OUT_OF_ORDER = (
    "Line {} stands behind lines that need it: sources come first, then documents, then memories, then what belongs to"
    " memories; nothing was imported."
)
MEMORY_BEGINS, SETTINGS_BEGIN = b'{"type":"memory"', b'{"type":"settings"'  # as Scrubjay writes them
# What a line names stands above it, or it would be left out at the first import and stored at the second.
PARTS = {
    "source": 0,
    "document": 1,
    MEMORY.line: 2,
    **{table.line: 3 for table in (STEP, EDIT, *TABLES[BEFORE_MEMORIES:])},
}
MODEL = {"spec": str, "name": str, "dimensions": int, "recipe": str}


Header = tuple[tuple[str, ...], Model | None, tuple[bytes, ...]]


@dataclass(frozen=True, slots=True)
class Checked:
    """An export that was read once: what its header and its last line say."""

    spaces: tuple[str, ...]
    model: Model | None
    keys: tuple[bytes, ...]
    settings: tuple[Mapping[str, Any], ...]
    memories: int
    lines: int
    is_own: bool  # written by the user who reads it


def is_export(first_line: bytes) -> bool:
    """Whether a file that begins with this line is one of ours."""
    try:
        line = json.loads(first_line)
    except (ValueError, RecursionError):
        return False
    return isinstance(line, dict) and line.get("type") == "header" and line.get("format") == FORMAT


def checked(file: BinaryIO) -> Checked:
    """Read a whole export. Raises Invalid with one sentence for what is wrong with it."""
    header = _header(loaded(_line(file, 1), 1))
    return _own(file, header) or _anybodys(file, header)


def read_lines(file: BinaryIO) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines between header, settings and end, with their numbers; each is checked, as others may write the file."""
    file.seek(0)
    for number, data in _raw_lines(file):
        line = loaded(data, number)
        if line["type"] not in ("header", "settings", "end"):
            check_line(line, number)
            yield number, line


def _own(file: BinaryIO, header: Header) -> Checked | None:
    """An export that the user's own key has signed: its lines are as Scrubjay writes them. None for any other."""
    digest, memories, settings, data = hashlib.sha256(), 0, [], b""
    file.seek(0)
    for number, following in _raw_lines(file):
        digest.update(data)
        memories += data.startswith(MEMORY_BEGINS)
        if data.startswith(SETTINGS_BEGIN):
            settings.append(loaded(data, number - 1))
        data = following
    try:
        end = loaded(data, number)
    except Invalid:
        return None
    if end["type"] != "end" or end.get("lines") != number - 1 or end.get("sha256") != digest.hexdigest():
        return None
    if not is_own(digest.hexdigest(), str(end.get("signature", ""))):
        return None
    return Checked(*header, tuple(settings), memories, number - 1, True)


def _anybodys(file: BinaryIO, header: Header) -> Checked:
    digest, memories, settings, end, part = hashlib.sha256(), 0, [], None, 0
    file.seek(0)
    for number, data in _raw_lines(file):
        if end is not None:
            raise Invalid(f"There is more behind the end of the export, in line {number}; nothing was imported.")
        line = _checked_line(data, number, header)
        if PARTS.get(line["type"], part) < part:
            raise Invalid(OUT_OF_ORDER.format(number))
        part = PARTS.get(line["type"], part)
        if line["type"] == "end":
            end = _checked_end(line, number, digest.hexdigest())
            continue
        digest.update(data)
        memories += line["type"] == "memory"
        if line["type"] == "settings":
            settings.append(line)
    if end is None:
        raise Invalid(CUT_OFF)
    return Checked(*header, tuple(settings), memories, end["lines"], False)


def _checked_line(data: bytes, number: int, header: Header) -> dict[str, Any]:
    try:
        line = loaded(data, number)
        if number > 1 and line["type"] not in ("settings", "end"):
            _check(line, number, header)
    except Invalid as problem:
        raise Invalid(f"{problem} Nothing was imported.") from None
    return line


def _check(line: Mapping[str, Any], number: int, header: Header) -> None:
    spaces, model, _ = header
    check_line(line, number)
    if "space" in line and line["space"] not in spaces:
        raise Invalid(f"Line {number}: its space is not named in the header.")
    if line["type"] == "memory" and line.get("vectors"):
        vectors_of(line, model.dimensions if model else 0, number)


def _checked_end(line: Mapping[str, Any], number: int, digest: str) -> dict[str, Any]:
    if line.get("lines") != number - 1 or line.get("sha256") != digest:
        raise Invalid(CHANGED)
    return dict(line)


def _header(line: Mapping[str, Any]) -> Header:
    if line["type"] != "header" or line.get("format") != FORMAT or not isinstance(line.get("version"), int):
        raise Invalid("This file is no export of Scrubjay.")
    if line["version"] > VERSION:
        raise Invalid(NEWER)
    spaces, keys = line.get("spaces"), line.get("keys", [])
    if not isinstance(spaces, list) or not isinstance(keys, list) or max(len(spaces), len(keys)) > MOST_SPACES:
        raise Invalid("The header of this export cannot be read.")
    if not all(isinstance(key, str) and len(key) == 64 and HEX.fullmatch(key) for key in keys):
        raise Invalid("The header of this export cannot be read.")
    return tuple(map(space_name, spaces)), _model(line.get("vectors")), tuple(map(bytes.fromhex, keys))


def _model(given: Any) -> Model | None:
    if given is None:
        return None
    if not isinstance(given, dict) or set(given) != set(MODEL):
        raise Invalid("The model in the header of this export cannot be read.")
    if not all(type(given[name]) is kind for name, kind in MODEL.items()):
        raise Invalid("The model in the header of this export cannot be read.")
    if not 0 < given["dimensions"] <= MOST_DIMENSIONS:
        raise Invalid("The model in the header of this export cannot be read.")
    return Model(**given)


def _raw_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 1
    while data := _line(file, number):
        yield number, data
        number += 1


def _line(file: BinaryIO, number: int) -> bytes:
    data = file.readline(MOST_LINE_BYTES)
    if len(data) == MOST_LINE_BYTES:
        raise Invalid(f"Line {number} is longer than any that an export has; nothing was imported.")
    if data and not data.endswith(b"\n"):
        raise Invalid(CUT_OFF)
    return data
