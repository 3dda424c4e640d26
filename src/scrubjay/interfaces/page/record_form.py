"""The form of a contact, a project or a skill, made from the declarations of its fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from scrubjay.dates.timestamps import in_local_time
from scrubjay.errors import Invalid
from scrubjay.interfaces.records import LONG
from scrubjay.memory.fields import Field, Values
from scrubjay.text.secret_scan.quoting import quoted

__all__ = ["Input", "changes", "inputs", "text_of"]

YES, NO = "yes", "no"
FOR_THE_COMMAND_LINE = re.compile(r"(;|, in local time|  \[).*")  # what a help says of other options
ROWS = (*LONG, "plan")  # that are typed in several rows


class Input(NamedTuple):
    """One field of the form."""

    name: str
    label: str
    help: str
    text: str  # that it holds now
    choices: tuple[str, ...]
    is_number: bool
    is_long: bool
    is_required: bool


def inputs(fields: Mapping[str, Field], record: Any, needed: Callable[[str], bool]) -> list[Input]:
    """An input for each field, with what the record holds."""
    return [_input(name, field, text_of(getattr(record, name, None)), needed(name)) for name, field in fields.items()]


def _input(name: str, field: Field, text: str, is_required: bool) -> Input:
    values, about = _values(field), field.option.help if field.option else None
    help = FOR_THE_COMMAND_LINE.sub("", about or "") + (", separated by commas" if values == "texts" else "")
    choices = values if isinstance(values, tuple) else (YES, NO) if values == "either" else ()
    return Input(
        name, name.replace("_", " ").capitalize(), help, text, choices,
        values == "integer", name in ROWS, is_required,
    )  # fmt: skip


def changes(fields: Mapping[str, Field], record: Any, typed: Callable[[str], str]) -> dict[str, Any]:
    """The fields whose text was changed, with what was typed; what was emptied is None."""
    texts = {name: typed(name).replace("\r\n", "\n") for name in fields}
    changed = {name: text for name, text in texts.items() if text != text_of(getattr(record, name, None))}
    return {name: _given(name, _values(fields[name]), text) for name, text in changed.items()}


def text_of(value: Any) -> str:
    """A value as it is shown and typed."""
    if value is None or value == () or value == []:
        return ""
    if isinstance(value, bool):
        return YES if value else NO
    if isinstance(value, datetime):
        return in_local_time(value).isoformat(timespec="minutes")
    if isinstance(value, list | tuple) and all(isinstance(one, str | int) for one in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _values(field: Field) -> Values | tuple[str, ...]:
    return field.option.values if field.option else "text"


def _given(name: str, values: Values | tuple[str, ...], text: str) -> Any:
    if values == "texts":
        return [part.strip() for part in text.split(",") if part.strip()]
    if not text:
        return None
    if values == "either":
        return text == YES
    try:
        return json.loads(text) if values in ("list", "integer") else text
    except (ValueError, RecursionError):
        what = "a number" if values == "integer" else "a list in JSON"
        raise Invalid(f"{name.replace('_', ' ').capitalize()} must be {what}, not {quoted(text)}.") from None
