"""TOML as anybody may write it: whatever is wrong with it is a ValueError, and no text takes long to read."""

from __future__ import annotations

from typing import Any

__all__ = ["read_toml"]

MOST_CHARACTERS = 1_000_000
# A key takes as many steps as it and the header of its table have names, for each of its own names.
MOST_STEPS = 5_000_000


def read_toml(text: str) -> dict[str, Any]:
    import tomllib

    if len(text) > MOST_CHARACTERS or _steps(text) > MOST_STEPS:
        raise ValueError("it is too large, or its names have too many dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _steps(text: str) -> int:
    """How many steps it takes at most; dots in a value are counted, too."""
    steps = header = 0
    for line in text.splitlines():
        names = line.count(".") + 1
        header = names if line.lstrip().startswith("[") else header
        steps += names * (header + names)
    return steps
