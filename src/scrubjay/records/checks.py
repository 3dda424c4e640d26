"""Checks of what callers give for records, besides those of memories (memory/arguments.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from scrubjay.errors import Invalid
from scrubjay.memory.arguments import count, long_text, short_text, whole_text
from scrubjay.memory.fields import Check, Field
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types import limits

__all__ = [
    "any_long",
    "chosen",
    "contact",
    "contacts",
    "email",
    "flag",
    "given_fields",
    "number",
    "plain_json",
    "texts",
    "timezone",
]

EMAIL = re.compile(r"[^@\s<>,;]{1,64}@[^@\s<>,;]{1,190}")
MOST_TEXTS = MOST_CONTACTS = 100


def plain_json(name: str, value: Any) -> Any:
    """A value as plain JSON, copied."""
    try:
        return json.loads(whole_text(name, json.dumps(value, ensure_ascii=False, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(f"{name} must be plain JSON: {str(problem)[:100]}.") from None


def chosen(choices: Any) -> Check:
    """One of the words of a Literal."""
    allowed = get_args(choices)

    def check(name: str, value: Any, now: datetime) -> str:
        if value not in allowed:
            raise Invalid(f"{name} must be one of {', '.join(allowed)}, not {quoted(value)}.")
        return str(value)

    return check


def email(name: str, value: Any, now: datetime) -> str:
    text = short_text(name, value)
    if not EMAIL.fullmatch(text):
        raise Invalid(f"{quoted(text)} is no email address; write e.g. ann@example.org.")
    return text


def any_long(name: str, value: Any, now: datetime) -> str:
    """A text of several lines."""
    text = long_text(name, value, limits.CONTEXT_CHARACTERS).strip()
    if not text:
        raise Invalid(f"{name} is empty; leave it out, or say something.")
    return text


def flag(name: str, value: Any, now: datetime) -> bool:
    if not isinstance(value, bool):
        raise Invalid(f"{name} must be true or false.")
    return value


def number(least: int, most: int) -> Check:
    def check(name: str, value: Any, now: datetime) -> int:
        if not least <= count(name, value) <= most:
            raise Invalid(f"{name} must be a whole number from {least} to {most:,}.")
        return int(value)

    return check


def contact(name: str, value: Any, now: datetime) -> int | str:
    """The id or the email of a contact, which is looked up later."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Invalid("A contact is named by its id, or its email.")
    return long_text(name, value, limits.SHORT_CHARACTERS) if isinstance(value, str) else value


def contacts(name: str, value: Any, now: datetime) -> list[int | str]:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) > MOST_CONTACTS:
        raise Invalid(f"{name} is a list of at most {MOST_CONTACTS} contacts.")
    return [contact(name, one, now) for one in value]


def texts(name: str, value: Any, now: datetime) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) > MOST_TEXTS:
        raise Invalid(f"{name} must be a list of at most {MOST_TEXTS} names.")
    return list(dict.fromkeys(short_text(f"Each of {name}", one) for one in value))


def timezone(name: str, value: Any, now: datetime) -> str:
    from zoneinfo import ZoneInfo

    text = short_text(name, value)
    try:
        return ZoneInfo(text).key
    except (ValueError, OSError, KeyError):
        raise Invalid(f"{quoted(text)} is no time zone known here; write e.g. Europe/Berlin.") from None


def given_fields(
    noun: str, fields: Mapping[str, Field], given: Mapping[str, Any], now: datetime, allowed: Callable[[Any], Any]
) -> dict[str, Any]:
    """The fields that a caller gave, as they are stored; None where one is to be empty."""
    if unknown := sorted(set(given) - set(fields)):
        raise Invalid(f"A {noun} has no field {quoted(unknown[0])}; it has {', '.join(fields)}.")
    if empty := [name for name, value in given.items() if value is None and not fields[name].may_be_empty]:
        raise Invalid(f"The {empty[0]} of a {noun} cannot be empty.")
    checked = {name: None if value is None else fields[name].check(name, value, now) for name, value in given.items()}
    kept: dict[str, Any] = allowed(checked)
    if lost := [name for name, value in kept.items() if value == "" and not fields[name].may_be_empty]:
        raise Invalid(f"The {lost[0]} of a {noun} cannot be empty.")
    return {name: None if value == "" else value for name, value in kept.items()}
