"""What differs between two versions of a record, path by path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from scrubjay.records.nested.paths import Step, written

__all__ = ["Difference", "differences", "same"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value that was added, removed or changed."""

    path: str
    what: Literal["added", "removed", "changed"]
    before: Any = None
    after: Any = None


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: for Python, 1 and true are equal."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def differences(before: Any, after: Any) -> list[Difference]:
    """In the order of the paths in the older version, then what is new."""
    return list(_differences(before, after, ()))


def _differences(before: Any, after: Any, place: tuple[Step, ...]) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_items(before, after, place)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_items(dict(enumerate(before)), dict(enumerate(after)), place)
    elif not same(before, after):
        yield Difference(path=written(place), what="changed", before=before, after=after)


def _of_items(before: dict[Any, Any], after: dict[Any, Any], place: tuple[Step, ...]) -> Iterator[Difference]:
    for step, value in before.items():
        if step in after:
            yield from _differences(value, after[step], (*place, step))
        else:
            yield Difference(path=written((*place, step)), what="removed", before=value)
    for step, value in after.items():
        if step not in before:
            yield Difference(path=written((*place, step)), what="added", after=value)
