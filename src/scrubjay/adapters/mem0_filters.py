"""mem0's filters: whether the metadata of a memory are what a filter asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["check", "fits", "plain_part"]

ANYTHING = "*"  # the key must be there
MISSING = object()
Metadata = Mapping[str, Any]


def check(filters: Metadata) -> None:
    """Raise ValueError, in mem0's words, for what is no filter."""
    for key, wanted in filters.items():
        if key in LOGIC:
            for condition in _conditions(key, wanted):
                check(condition)
        elif isinstance(wanted, Mapping) and (unknown := [name for name in wanted if name not in COMPARE]):
            raise ValueError(f"Unsupported metadata filter operator: {unknown[0]}")


def fits(about: Metadata, filters: Metadata) -> bool:
    """Whether every condition of checked filters holds; AND, OR and NOT take a list of conditions."""
    return all(_holds(about, key, wanted) for key, wanted in filters.items())


def plain_part(filters: Metadata) -> dict[str, Any]:
    """The conditions that want one value; a store finds these by itself."""
    return {key: value for key, value in filters.items() if key not in LOGIC and _is_plain(value)}


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | bool) and value != ANYTHING


def _holds(about: Metadata, key: str, wanted: Any) -> bool:
    if key in LOGIC:
        return LOGIC[key](fits(about, one) for one in wanted)
    value = about.get(key, MISSING)
    if isinstance(wanted, Mapping):
        return all(_compares(value, operator, other) for operator, other in wanted.items())
    return value is not MISSING if wanted == ANYTHING else bool(value == wanted)


def _conditions(key: str, wanted: Any) -> Sequence[Metadata]:
    if not isinstance(wanted, list):
        raise ValueError(f"{key} operator requires a list of conditions")
    if not wanted and key != "AND":
        raise ValueError(f"{key} operator requires a non-empty list of conditions")
    return wanted


def _compares(value: Any, operator: str, other: Any) -> bool:
    if value is MISSING:
        return operator in ("ne", "nin")
    try:
        return bool(COMPARE[operator](value, other))
    except TypeError:  # of different types: neither more nor less, and not in it
        return False


def _none(conditions: Any) -> bool:
    return not any(conditions)


def _folded(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else [_folded(one) for one in value]


LOGIC: dict[str, Callable[[Any], bool]] = {"AND": all, "OR": any, "NOT": _none}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda value, other: value == other,
    "ne": lambda value, other: value != other,
    "gt": lambda value, other: value > other,
    "gte": lambda value, other: value >= other,
    "lt": lambda value, other: value < other,
    "lte": lambda value, other: value <= other,
    "in": lambda value, other: value in other,
    "nin": lambda value, other: value not in other,
    "contains": lambda value, other: other in value,
    "icontains": lambda value, other: _folded(other) in _folded(value),
}
