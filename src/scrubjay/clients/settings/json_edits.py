"""Adds, replaces and removes one value in the text of a JSON file; comments, order and spacing of the rest stay."""

from __future__ import annotations

import json
import re
from typing import Any

from scrubjay.clients.settings.jsonc import BYTE_ORDER_MARK, Child, Node, Path, parse

__all__ = ["add", "data", "remove", "replace"]

REST_OF_LINE = re.compile(r"(?:[ \t]+|/\*[^\r\n]*?\*/)*(?://[^\r\n]*)?")
INDENT = re.compile(r"\n([ \t]+)\S")
DEFAULT_INDENT = "  "


def data(text: str) -> Any:
    """The value of the text; shared, so it must not be changed."""
    return parse(text).value


def add(text: str, path: Path, name: str | None, value: Any) -> str:
    """Add a named member to the object at `path`, or an item without a name at the end of the array there."""
    root = parse(text)
    if root.start == root.end:
        text = f"{text[: root.start]}{{}}{_newline(text)}"
    parent = _found(text, path)
    key = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
    return _append(text, parent, key, value) if parent.children else _fill(text, parent, key, value)


def replace(text: str, path: Path, value: Any) -> str:
    """Put another value in the place of the one at `path`."""
    node = _found(text, path)
    is_on_one_line = "\n" not in text
    written = json.dumps(value, ensure_ascii=False) if is_on_one_line else _dumped(text, value, node.start)
    return text[: node.start] + written + text[node.end :]


def remove(text: str, path: Path) -> str:
    """Remove the member or item at `path`, with its comma and its line; comments stay."""
    parent = _found(text, path[:-1])
    child = parent.child(path[-1])
    assert child is not None
    for start, end in sorted(_cuts(text, parent, child), reverse=True):
        text = text[:start] + text[end:]
    return _closed_up(text, path[:-1])


def _cuts(text: str, parent: Node, child: Child) -> list[tuple[int, int]]:
    """What a child takes with it: the blanks before it, and its comma; the last one takes the comma before."""
    has_own_lines = _ends_line(text, child.end)
    start = _before_blanks(text, child.start, has_own_lines)
    index = parent.children.index(child)
    if child.comma is not None:
        stays_on_line = index == 0 and "\n" not in text[start : child.start]
        comma_end = _after_blanks(text, child.comma + 1) if stays_on_line else child.comma + 1
        return [(start, child.node.end), (child.comma, comma_end)]
    before = parent.children[index - 1].comma if index else None
    return [(start, child.node.end), *([] if before is None else [(before, before + 1)])]


def _closed_up(text: str, path: Path) -> str:
    """An object or array that is empty now has no line break inside, unless a comment is there."""
    node = _found(text, path)
    if node.children or text[node.start + 1 : node.end - 1].strip():
        return text
    return text[: node.start + 1] + text[node.end - 1 :]


def _fill(text: str, parent: Node, key: str, value: Any) -> str:
    """Put the first child into an empty object or array, after the comments in it."""
    newline, outer = _newline(text), _indent_at(text, parent.start)
    line = newline + outer + _indent(text)
    inside = text[parent.start + 1 : parent.end - 1].rstrip(" \t\r\n")
    new = f"{line}{key}{_lines(text, value, line)}{newline}{outer}"
    return text[: parent.start + 1] + inside + new + text[parent.end - 1 :]


def _append(text: str, parent: Node, key: str, value: Any) -> str:
    """Add after the last child and the comment on its line; a trailing comma stays the last thing."""
    last = parent.children[-1]
    value_end, comma = last.node.end, "," if last.comma is None else ""
    after = last.end
    trailing = "" if last.comma is None else ","
    if "\n" not in text[parent.start : parent.children[0].start]:  # written in one line, and it stays so
        return f"{text[:after]}{comma} {key}{json.dumps(value, ensure_ascii=False)}{trailing}{text[after:]}"
    line = _newline(text) + _indent_at(text, last.start)
    at = _end_of_line(text, after)
    written = f"{line}{key}{_lines(text, value, line)}{trailing}"
    return text[:value_end] + comma + text[value_end:at] + written + text[at:]


def _end_of_line(text: str, at: int) -> int:
    """After the comments that follow on this line; `at` itself if something else follows."""
    found = REST_OF_LINE.match(text, at)
    assert found is not None
    return found.end() if _ends_line(text, at) else at


def _ends_line(text: str, at: int) -> bool:
    """Whether only blanks and comments follow on this line."""
    found = REST_OF_LINE.match(text, at)
    return found is not None and text[found.end() : found.end() + 1] in ("\r", "\n", "")


def _found(text: str, path: Path) -> Node:
    node = parse(text).at(path)
    assert node is not None, path
    return node


def _dumped(text: str, value: Any, at: int) -> str:
    return _lines(text, value, _newline(text) + _indent_at(text, at))


def _lines(text: str, value: Any, line: str) -> str:
    """A value over several lines; `line` is the line break and indentation that each begins with."""
    return json.dumps(value, indent=_indent(text), ensure_ascii=False).replace("\n", line)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str) -> str:
    """One step of indentation, as in the first line that has some."""
    found = INDENT.search(text)
    return found[1] if found else DEFAULT_INDENT


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix(BYTE_ORDER_MARK)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _before_blanks(text: str, at: int, and_line_break: bool) -> int:
    """Back over the blanks before `at`, and the line break before them: what follows a comment must not join it."""
    while text[at - 1] in " \t":
        at -= 1
    if and_line_break and text[at - 1] == "\n":
        at -= 1
        at -= text[at - 1] == "\r"
    return at


def _after_blanks(text: str, at: int) -> int:
    return at + len(text[at:]) - len(text[at:].lstrip(" \t"))
