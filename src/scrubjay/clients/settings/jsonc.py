"""Reads JSON with comments, and remembers where in the text each value stands.

Settings may have megabytes, of which a change concerns a few lines. So a value is read by the standard library as far
as it can, and its parts are placed only when they are asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NoReturn, TypeAlias

__all__ = ["BYTE_ORDER_MARK", "BrokenText", "Child", "Node", "Path", "parse"]

# Names of members and positions in arrays, from the root.
Path: TypeAlias = tuple[str | int, ...]

BYTE_ORDER_MARK = "\ufeff"
SPACE_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
SCALAR = re.compile(r"(?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|true|false|null", re.ASCII)
STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"')
CONSTANTS = {"true": True, "false": False, "null": None}
MAX_NUMBER_CHARACTERS = 1_000  # Python refuses to read longer whole numbers


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


PLAIN = json.JSONDecoder(parse_constant=_refuse_constant)


class BrokenText(ValueError):
    """The text is not JSON; the message says where."""


@dataclass(frozen=True, eq=False)
class Node:
    """A value: its text is from `start` to `end`. An object or array has children."""

    text: str = field(repr=False)
    start: int
    end: int
    value: Any

    @cached_property
    def children(self) -> tuple[Child, ...]:
        if not isinstance(self.value, dict | list) or self.start == self.end:
            return ()
        return tuple(_members(self.text, self.start) if isinstance(self.value, dict) else _items(self.text, self.start))

    def child(self, name: str | int) -> Child | None:
        """A member, or an item by position; if a name is written twice the last one counts, as for most parsers."""
        return next((child for child in reversed(self.children) if child.name == name), None)

    def at(self, path: Sequence[str | int]) -> Node | None:
        node: Node | None = self
        for name in path:
            found = node.child(name) if node else None
            node = found.node if found else None
        return node


@dataclass(frozen=True, eq=False)
class Child:
    """A member or an item: where its name or value begins, its value, and where its comma stands, if it has one."""

    name: str | int
    start: int
    node: Node
    comma: int | None

    @property
    def end(self) -> int:
        return self.node.end if self.comma is None else self.comma + 1


@lru_cache(maxsize=4)  # a change is planned, made and checked on the same texts
def parse(text: str) -> Node:
    """The value of the text; raises BrokenText. A text without a value is an empty object of no length."""
    start = _skip(text, len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0)
    if start == len(text):
        return Node(text, start, start, {})
    try:
        root = _value(text, start)
    except RecursionError:
        raise BrokenText("it is nested too deeply") from None
    end = _skip(text, root.end)
    if end < len(text):
        raise _broken(text, end)
    return root


def _value(text: str, start: int) -> Node:
    first = text[start : start + 1]
    if first == "{" or first == "[":
        return _plain(text, start) or (_object(text, start) if first == "{" else _array(text, start))
    if first == '"':
        value, end = _string(text, start)
        return Node(text, start, end, value)
    found = SCALAR.match(text, start)
    if found is None or found.end() - start > MAX_NUMBER_CHARACTERS:
        raise _broken(text, start)
    return Node(text, start, found.end(), _number(found[0]) if found["number"] else CONSTANTS[found[0]])


def _plain(text: str, start: int) -> Node | None:
    """An object or array without comments and trailing commas."""
    try:
        value, end = PLAIN.raw_decode(text, start)
    except ValueError:
        return None
    return Node(text, start, end, value)


def _object(text: str, start: int) -> Node:
    at, value = _skip(text, start + 1), {}
    for child in _members(text, start):
        value[child.name] = child.node.value
        at = _skip(text, child.end)
    return Node(text, start, at + 1, value)


def _array(text: str, start: int) -> Node:
    at, value = _skip(text, start + 1), []
    for child in _items(text, start):
        value.append(child.node.value)
        at = _skip(text, child.end)
    return Node(text, start, at + 1, value)


def _members(text: str, start: int) -> Iterator[Child]:
    """The members of the object at `start`."""
    at, before = _skip(text, start + 1), None
    while text[at : at + 1] != "}":
        _refuse_no_comma(text, at, before)
        name, end = _string(text, at)
        colon = _skip(text, end)
        if text[colon : colon + 1] != ":":
            raise _broken(text, colon)
        node = _value(text, _skip(text, colon + 1))
        before = Child(name, at, node, _comma(text, node.end))
        yield before
        at = _skip(text, before.end)


def _items(text: str, start: int) -> Iterator[Child]:
    """The items of the array at `start`."""
    at, index, before = _skip(text, start + 1), 0, None
    while text[at : at + 1] != "]":
        _refuse_no_comma(text, at, before)
        node = _value(text, at)
        before = Child(index, at, node, _comma(text, node.end))
        yield before
        at, index = _skip(text, before.end), index + 1


def _refuse_no_comma(text: str, at: int, before: Child | None) -> None:
    if before and before.comma is None:
        raise _broken(text, at)


def _comma(text: str, at: int) -> int | None:
    at = _skip(text, at)
    return at if text[at : at + 1] == "," else None


def _string(text: str, start: int) -> tuple[str, int]:
    found = STRING.match(text, start)
    if found is None:
        raise _broken(text, start)
    try:
        return str(json.loads(found[0])), found.end()
    except ValueError:  # an escape that does not exist
        raise _broken(text, start) from None


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _skip(text: str, at: int) -> int:
    found = SPACE_AND_COMMENTS.match(text, at)
    return found.end() if found else at


def _broken(text: str, at: int) -> BrokenText:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    found = f"{text[at]!r}" if at < len(text) else "the end of the file"
    return BrokenText(f"line {line}, column {column}: {found} is not expected there")
