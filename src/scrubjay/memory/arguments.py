"""Ids, counts and names as callers give them: right, or one sentence that says what would be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.text.secret_scan import find_secrets

__all__ = ["apart", "count", "memory_id", "named", "space_name", "whole_text"]

NAME = re.compile(r"\w[\w.@:+-]{0,99}")
MOST = 2**31


def memory_id(id: Any) -> int:
    if isinstance(id, bool) or not isinstance(id, int) or not 0 < id < 2**63:
        raise Invalid(f"{_brief(id)} is no memory's id; ids are whole numbers from 1 on.")
    return id


def _brief(value: Any) -> str:
    """A value as a sentence may repeat it; Python refuses to write out a number of thousands of digits."""
    try:
        return repr(value)[:40]
    except ValueError:
        return "This number"


def count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST:
        raise Invalid(f"{name} must be a whole number from 0 to {MOST - 1}, not {_brief(value)}.")
    return value


def whole_text(name: str, value: Any) -> str:
    """Text that can be written down: half a character cannot."""
    if not isinstance(value, str):
        raise Invalid(f"{name} must be text, not {type(value).__name__}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Invalid(f"{name} holds half a character (a lone surrogate); decode it first.") from None
    return value


def space_name(space: Any) -> str:
    if not isinstance(space, str) or not NAME.fullmatch(space):
        raise Invalid(f"{space!r} is no name for a space; use letters, digits and . _ - @ : + (no slash, no blank).")
    if found := find_secrets(space):
        raise Invalid(f"A space cannot be named by what looks like a secret ({found[0].kind}).")
    return space


def apart(item: Any) -> tuple[str, dict[str, Any]]:
    """An item's text, and its other fields."""
    if not isinstance(item, Mapping) or "text" not in item:
        raise Invalid('Each item must be an object with at least a "text".')
    fields = dict(item)
    return fields.pop("text"), fields


def named(fields: Mapping[str, Any]) -> frozenset[str]:
    """The fields that a caller gave."""
    return frozenset(name for name, value in fields.items() if value is not None)
