"""TOML as anybody may write it: whatever is wrong with it is a ValueError, and no text takes long to read."""

from __future__ import annotations

from typing import Any

from scrubjay.text.plural import counted

__all__ = ["read_toml"]

MOST_DOTS = 1_000  # between the names of nested tables: the time to read them grows with the square of their number


def read_toml(text: str) -> dict[str, Any]:
    import tomllib

    if text.count(".") > MOST_DOTS:
        raise ValueError(f"it has more than {counted(MOST_DOTS, 'dot')}")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
