"""The same for a TOML file.

A table is put at the end of the text and cut out there, because tomlkit moves other tables together where they stand
apart. What cannot be done so, such as a table written in one line, is done by tomlkit.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from scrubjay.clients.settings.jsonc import BYTE_ORDER_MARK, BrokenText, Path
from scrubjay.files.toml import read_toml

__all__ = ["add", "data", "remove", "replace"]

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
REST_OF_TABLE = re.compile(r"(?:[^\r\n\[#][^\r\n]*\r?(?:\n|\Z))*")


def data(text: str) -> Any:
    try:
        return read_toml(text.removeprefix(BYTE_ORDER_MARK))
    except ValueError as problem:
        raise BrokenText(str(problem)) from None


def add(text: str, path: Path, name: str | None, value: Any) -> str:
    """Add a table; lists of tables are not needed here."""
    assert name is not None
    if (appended := _appended(text, (*map(str, path), name), value)) is not None:
        return appended
    from tomlkit.items import InlineTable

    document = _parsed(text)
    container = _container(document, path)
    container[name] = _inline(value) if isinstance(container, InlineTable) else _item(value)
    return _written(text, document)


def replace(text: str, path: Path, value: Any) -> str:
    """Change the table in place, so that its comments stay."""
    document = _parsed(text)
    table = _container(document, path)
    for name in [name for name in table if name not in value]:
        del table[name]
    for name, each in value.items():
        if table.get(name) != each:
            table[name] = each
    return _written(text, document)


def remove(text: str, path: Path) -> str:
    if (cut := _cut(text, path)) is not None:
        return cut
    document = _parsed(text)
    del _container(document, path[:-1])[path[-1]]
    return _written(text, document)


def _appended(text: str, names: tuple[str, ...], value: Any) -> str | None:
    """The text with one more table at its end; None where TOML does not allow that."""
    while isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), dict):
        names, value = (*names, next(iter(value))), inner
    if not isinstance(value, dict) or not all(map(BARE_KEY.fullmatch, names)):
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(names)}]", *(f"{name} = {_one_line(each)}" for name, each in value.items())]
    before = text if not text or text.endswith("\n") else text + newline
    candidate = before + (newline if before.strip() else "") + newline.join(lines) + newline
    try:
        data(candidate)
    except BrokenText:
        return None
    return candidate


def _cut(text: str, path: Path) -> str | None:
    """The text without the lines of this table; None if it is not written as one, or another value would change."""
    names = r"[ \t]*\.[ \t]*".join(re.escape(str(name)) for name in path)
    header = re.search(rf"(?:^\r?\n)?^[ \t]*\[[ \t]*{names}[ \t]*\][^\r\n]*\r?\n", text, re.MULTILINE)
    if header is None:
        return None
    rest = REST_OF_TABLE.match(text, header.end())
    candidate = text[: header.start()] + text[rest.end() if rest else header.end() :]
    expected = deepcopy(data(text))
    del _container(expected, path[:-1])[path[-1]]
    try:
        return candidate if data(candidate) in (expected, _without_empty(expected, path[:-1])) else None
    except BrokenText:
        return None


def _without_empty(tree: Any, path: Path) -> Any:
    """A table that is only named by another one's header is not there without it."""
    left = deepcopy(tree)
    for length in range(len(path), 0, -1):
        parent = _container(left, path[: length - 1])
        if parent[path[length - 1]] == {}:
            del parent[path[length - 1]]
    return left


def _one_line(value: Any) -> str:
    import tomlkit

    return str((_inline(value) if isinstance(value, dict) else tomlkit.item(value)).as_string())


def _parsed(text: str) -> Any:
    import tomlkit

    return tomlkit.parse(text.removeprefix(BYTE_ORDER_MARK))


def _container(document: Any, path: Path) -> Any:
    for name in path:
        document = document[name]
    return document


def _item(value: Any) -> Any:
    """A dictionary of dictionaries needs no line of its own: `[a.b]` alone, without `[a]`."""
    import tomlkit

    if not isinstance(value, dict):
        return tomlkit.item(value)
    table = tomlkit.table(is_super_table=all(isinstance(each, dict) for each in value.values()))
    for name, each in value.items():
        table[name] = _item(each)
    return table


def _inline(value: Any) -> Any:
    import tomlkit

    table = tomlkit.inline_table()
    table.update(value)
    return table


def _written(before: str, document: Any) -> str:
    import tomlkit

    text = tomlkit.dumps(document)
    if "\r\n" in before and "\n" not in before.replace("\r\n", ""):  # every line ended so
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return (BYTE_ORDER_MARK if before.startswith(BYTE_ORDER_MARK) else "") + text
