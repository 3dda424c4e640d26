"""The same for a TOML file, by tomlkit."""

from __future__ import annotations

from typing import Any

from scrubjay.clients.settings.jsonc import BYTE_ORDER_MARK, BrokenText, Path

__all__ = ["add", "data", "remove", "replace"]


def data(text: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise BrokenText(str(problem)) from None


def add(text: str, path: Path, name: str | None, value: Any) -> str:
    """Add a table or value; lists of tables are not needed here."""
    assert name is not None
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
    document = _parsed(text)
    del _container(document, path[:-1])[path[-1]]
    return _written(text, document)


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
