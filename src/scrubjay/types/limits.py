"""Upper limits for one memory, so that no write and no answer can grow without bound."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from scrubjay.errors import Invalid

__all__ = [
    "CONTEXT_CHARACTERS",
    "EMBEDDED_CHARACTERS",
    "METADATA_CHARACTERS",
    "METADATA_DEPTH",
    "SHORT_CHARACTERS",
    "TAGS",
    "TAG_CHARACTERS",
    "TEXT_CHARACTERS",
    "check_metadata",
    "check_tags",
    "too_long",
]

TEXT_CHARACTERS = 1_000_000
EMBEDDED_CHARACTERS = 32_000  # text after this is found by words only: embedding is by far the slowest step
CONTEXT_CHARACTERS = 20_000
SHORT_CHARACTERS = 500  # a title, a subject, a name
TAGS, TAG_CHARACTERS = 100, 100
METADATA_CHARACTERS = 20_000  # as JSON
METADATA_DEPTH = 20


def check_tags(tags: Sequence[str]) -> None:
    if len(tags) > TAGS:
        raise Invalid(f"A memory has at most {TAGS} tags, and this would have {len(tags):,}; leave some out.")


def check_metadata(metadata: Mapping[str, Any]) -> None:
    """Raise Invalid if metadata are too large or nested too deeply. Expects plain JSON values."""
    if _depth_is_over(metadata, METADATA_DEPTH):
        raise Invalid(f"metadata are nested more than {METADATA_DEPTH} deep; make them flatter.")
    size = len(json.dumps(dict(metadata), ensure_ascii=False))
    if size > METADATA_CHARACTERS:
        raise Invalid(
            f"metadata would have {size:,} characters, and at most {METADATA_CHARACTERS:,} fit in one memory;"
            " keep what is large in a file."
        )


def too_long(name: str, length: int, most: int) -> Invalid:
    """The error for a text that is too long."""
    instead = "; save it as a file and `scrubjay sync` that, which cuts it into passages" if name == "text" else ""
    return Invalid(f"{name} is {length:,} characters long, and at most {most:,} fit in one memory{instead}.")


def _depth_is_over(value: Any, most: int) -> bool:
    """Checked level by level: a value may be nested deeper than Python's recursion limit."""
    level = [value]
    for _ in range(most + 1):
        level = [item for one in level for item in _items(one)]
        if not level:
            return False
    return True


def _items(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []
