"""Whether an answer in JSON has the shape that docs/reference/json.md shows for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from scrubjay.interfaces.shapes import ANSWERS, MADE, NOUNS, Shape, shape_of

__all__ = ["BASIC", "answer_of", "check", "empty_lists"]

BASIC: dict[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "id": lambda value: isinstance(value, int),
    "time": lambda value: bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", str(value))),
    "day": lambda value: bool(re.fullmatch(r"\d{4}-\d\d-\d\d", str(value))),
    "trust": lambda value: value in ("user", "agent", "external"),
    "object": lambda value: isinstance(value, dict),
    "any": lambda value: True,
    "null": lambda value: value is None,
    "true": lambda value: value is True,
    "false": lambda value: value is False,
    "[first, last]": lambda value: isinstance(value, list) and list(map(type, value)) == [int, int],
}


def answer_of(command: str) -> Shape:
    """The shape of what a command prints with --json."""
    answer = ANSWERS[command]
    return shape_of(answer) if isinstance(answer, str) else answer


def check(shape: Shape, data: Any) -> None:
    assert isinstance(data, dict) and list(data) == list(shape)
    for key, what in shape.items():
        assert fits(what, data[key]), (key, what, data[key])


def empty_lists(shape: Shape, data: Any) -> set[str]:
    """The keys at which nouns should stand, and none does: an empty list shows no shape."""
    lists = {key for key, what in shape.items() if what.strip("[]").split(" or ")[0] in {*NOUNS, *MADE}}
    return {key for key in lists if not data[key]}


def fits(what: str, value: Any) -> bool:
    """Whether a value is what stands there: `[…]` is a list, "or" stands between alternatives."""
    if what in BASIC:
        return BASIC[what](value)
    if listed := re.fullmatch(r"\[(.+)\]", what):
        return isinstance(value, list) and all(fits(listed[1], one) for one in value)
    if " or " in what:
        return any(fits(one, value) for one in what.split(" or "))
    shape = shape_of(what)
    return isinstance(value, dict) and list(value) == list(shape) and all(fits(shape[key], value[key]) for key in shape)
