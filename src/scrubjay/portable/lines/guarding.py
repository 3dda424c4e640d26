"""The lines of an export as they may be stored: the guard reads every text that their tables declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.memory.view import View
from scrubjay.portable.lines.checks import check_line
from scrubjay.stores.transfer.tables import EDIT, MEMORY, STEP, TABLES, Table
from scrubjay.text.secret_scan import find_secrets
from scrubjay.text.secret_scan.private_tags import has_tag
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE

__all__ = ["NothingLeft", "guarded"]

FREE_TYPES = ("text", "strings", "object", "source")  # what a field may hold that somebody wrote
# A path or a pattern that is masked leads nowhere: these are taken whole or not at all.
NEVER_MASKED = ("source", "document")
SESSION_LINE = "session"
OF_SESSIONS = {table.line for table in TABLES if "session" in table.fields} | {SESSION_LINE}


class NothingLeft(Invalid):
    """A text that a line must have is private as a whole."""


def guarded(view: View, line: dict[str, Any], number: int, redact: bool) -> dict[str, Any]:
    """A checked line without secrets and private parts. Raises Invalid for a secret that is refused."""
    given = {name: value for name in TEXTS[line["type"]] if (value := line.get(name))}
    kept, masks = given, _masks(line, redact)
    if _may_hold_any(given):
        kept = {name: _kept(view, line["type"], name, value, masks) for name, value in given.items()}
    if line["type"] == MEMORY.line:
        kept = view.allowed_together(kept, masks)
    if kept == given:
        return line
    line |= kept
    if any(kept[name] == "" for name in kept.keys() & REQUIRED[line["type"]]):
        raise NothingLeft("A text that it must have is private.")
    found = {name: value for name, value in line.items() if name not in kept or value not in ("", None)}
    check_line(found, number)
    return found


def _masks(line: Mapping[str, Any], redact: bool) -> bool:
    """Conversations and passages are masked, as they are where they are read."""
    if line["type"] in NEVER_MASKED:
        return False
    return redact or line["type"] in OF_SESSIONS or line.get("kind") in KINDS_CUT_FROM_A_SOURCE


def _kept(view: View, line_type: str, name: str, value: Any, masks: bool) -> Any:
    if name == "session" or (line_type, name) == (SESSION_LINE, "name"):
        return view.stored_session(value, masks)
    return view.allowed(value, masks)


def _may_hold_any(given: Mapping[str, Any]) -> bool:
    """Whether the guard must read each field: it is asked once about all plain texts, and always about objects."""
    if any(isinstance(value, dict) for value in given.values()):
        return True
    said = "\n".join(_plain_texts(given))
    return has_tag(said) or bool(find_secrets(said))


def _plain_texts(given: Mapping[str, Any]) -> Iterator[str]:
    for value in given.values():
        yield from [value] if isinstance(value, str) else value


def _texts(table: Table) -> frozenset[str]:
    """The fields of a table that somebody wrote; its space was checked with the header."""
    return frozenset(name for name, field in table.fields.items() if field.type in FREE_TYPES and not field.choices) - {
        "space"
    }


def _required(table: Table) -> frozenset[str]:
    return frozenset(name for name in _texts(table) if not table.fields[name].optional)


LINES = (MEMORY, STEP, EDIT, *TABLES)
TEXTS = {table.line: _texts(table) for table in LINES}
TEXTS[MEMORY.line] |= {"task"}  # an object with a note in it
REQUIRED = {table.line: _required(table) for table in LINES}
