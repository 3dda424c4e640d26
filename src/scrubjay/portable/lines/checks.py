"""Checks of the lines of an export, by the declarations of its tables. The file may be anybody's."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, NamedTuple

from scrubjay.errors import Invalid
from scrubjay.memory import arguments
from scrubjay.stores import records
from scrubjay.stores.revisions import edits
from scrubjay.stores.transfer.tables import EDIT, MEMORY, STEP, TABLES, TASK, FieldType, Table
from scrubjay.types import limits

__all__ = ["TIME", "UID", "check_line", "loaded", "vectors_of"]

UID = re.compile(r"[0-9a-f]{32}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
HEX = re.compile(r"[0-9a-f]{2,256}")
OTHER_CHARACTERS = 10_000  # of a name, a path or a reason
COUNTS = ("confirmed_count", "used_count", "shown_count", "helpful_count", "unhelpful_count")
OBJECT_CHARACTERS = 1_000_000  # of what a reader keeps of a document, or what an update changed
MOST_VECTORS = 10_000  # of one memory
MOST_POSITION = 2 * arguments.LARGEST_COUNT  # the turns of a conversation go on from the largest that may be given


class Expected(NamedTuple):
    """What the value of a field must be."""

    fits: Callable[[Any], bool]
    choices: tuple[str, ...] = ()
    most: int = OTHER_CHARACTERS  # of a text


def loaded(line: bytes, number: int) -> dict[str, Any]:
    """The object in a line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise Invalid(f"Line {number} is no JSON.") from None
    if not isinstance(found, dict) or not isinstance(found.get("type"), str):
        raise Invalid(f"Line {number} is no line of an export.")
    return found


def check_line(line: Mapping[str, Any], number: int) -> None:
    """Raise Invalid, with the number of the line and the field, for what an export cannot hold."""
    expected = EXPECTED.get(line["type"])
    if expected is None:
        raise _wrong(number, "type", "is not known")
    _check_values(expected, line, number)
    if missing := REQUIRED[line["type"]] - line.keys():
        raise _wrong(number, min(missing), "is missing")
    if line["type"] == MEMORY.line:
        _check_memory(line, number)
    elif line["type"] == EDIT.line and not all(edits.fits(*edited) for edited in line.get("before", {}).items()):
        raise _wrong(number, "before", "has what an update cannot change")
    elif line["type"] == "record" and not records.fits(line["noun"], line.get("data", {}), line.get("state", {})):
        raise _wrong(number, "data", f"are those of no {line['noun']}")


def vectors_of(line: Mapping[str, Any], dimensions: int, number: int) -> bytes:
    """The vectors in a memory's line, one after the other."""
    given = line.get("vectors", [])
    try:
        pieces = [base64.b64decode(piece, validate=True) for piece in given]
    except (binascii.Error, TypeError, ValueError):
        raise _wrong(number, "vectors", "are no vectors") from None
    if len(pieces) > MOST_VECTORS or any(len(piece) != 4 * dimensions for piece in pieces):
        raise _wrong(number, "vectors", f"do not have {dimensions} dimensions")
    return b"".join(pieces)


def _check_memory(line: Mapping[str, Any], number: int) -> None:
    if not isinstance(line.get("vectors", []), list):
        raise _wrong(number, "vectors", "must be a list")
    task = line.get("task", {})
    if not isinstance(task, dict):
        raise _wrong(number, "task", "must be an object")
    _check_values(OF_TASK, task, number)
    try:
        for name, check in OF_MEMORY.items():
            if name in line:
                check(line[name])
        if line.get("position") is not None:
            arguments.count("position", line["position"], MOST_POSITION)
    except Invalid as problem:
        raise Invalid(f"Line {number}: {problem}") from None


def _check_values(expected: Mapping[str, Expected], given: Mapping[str, Any], number: int) -> None:
    for name, value in given.items():
        if name not in expected:
            raise _wrong(number, name, "is not known; a newer Scrubjay may have written it")
        fits, choices, most = expected[name]
        if not fits(value) or (choices and value not in choices):
            raise _wrong(number, name, "has a value that it cannot have")
        if isinstance(value, str) and len(value) > most:
            raise _wrong(number, name, "is too long")


def _wrong(number: int, name: str, what: str) -> Invalid:
    return Invalid(f"Line {number}: {name[:50]} {what}.")


def _is_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return value.isascii() or bool(value.encode())
    except UnicodeEncodeError:  # half of a surrogate pair
        return False


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and _is_moment(value)


@lru_cache(maxsize=8)  # most memories have the same time in three fields
def _is_moment(text: str) -> bool:
    try:
        return bool(TIME.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:
        return False


def _is_integer(value: Any) -> bool:
    return type(value) is int and abs(value) <= limits.LARGEST_INTEGER


def _is_number(value: Any) -> bool:
    return _is_integer(value) or (isinstance(value, float) and math.isfinite(value))


def _is_object(value: Any) -> bool:
    if not isinstance(value, dict) or limits.is_nested_deeper(value, limits.METADATA_DEPTH):
        return False
    return len(written := json.dumps(value, ensure_ascii=False)) <= OBJECT_CHARACTERS and _is_text(written)


def _is_uid(value: Any) -> bool:
    return isinstance(value, str) and UID.fullmatch(value) is not None


CHECKS: dict[FieldType, Callable[[Any], bool]] = {
    "text": _is_text,
    "source": _is_text,
    "time": _is_time,
    "integer": _is_integer,
    "number": _is_number,
    "strings": lambda value: isinstance(value, list) and len(value) <= limits.TAGS * 10 and all(map(_is_text, value)),
    "object": _is_object,
    "flag": lambda value: isinstance(value, bool),
    "bytes": lambda value: isinstance(value, str) and HEX.fullmatch(value) is not None and len(value) % 2 == 0,
    "uid": _is_uid,
    "memory": _is_uid,
}


def _expected(table: Table) -> dict[str, Expected]:
    most = {"text": limits.TEXT_CHARACTERS, "context": limits.CONTEXT_CHARACTERS}
    return {
        name: Expected(CHECKS[field.type], field.choices, most.get(name, OTHER_CHARACTERS))
        for name, field in table.fields.items()
    }


def _required(table: Table) -> frozenset[str]:
    """A list or an object that is empty is left out."""
    may_be_left_out = ("strings", "object")
    return frozenset(
        name for name, field in table.fields.items() if not field.optional and field.type not in may_be_left_out
    )


LINES = (MEMORY, STEP, EDIT, *TABLES)
EXPECTED = {table.line: {"type": Expected(_is_text), **_expected(table)} for table in LINES}
EXPECTED["document"] |= {"hash": Expected(_is_text)}  # of an older version; not read
EXPECTED[MEMORY.line] |= dict.fromkeys(("task", "vectors"), Expected(lambda value: True))  # see _check_memory
OF_TASK = _expected(TASK)
OF_MEMORY: dict[str, Callable[[Any], object]] = {
    "kind": arguments.kind,
    "confidence": arguments.confidence,
    "importance": arguments.importance,
    "text": arguments.memory_text,
    "tags": arguments.tags,
    "aliases": arguments.aliases,
    "cites": limits.check_cites,
    "paths": arguments.paths,
    "metadata": limits.check_metadata,
    **{name: partial(arguments.count, name) for name in COUNTS},
}
REQUIRED = {table.line: _required(table) for table in LINES}
