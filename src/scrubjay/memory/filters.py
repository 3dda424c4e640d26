"""What a search or a list may be narrowed by. A filter that makes no sense is an error, never ignored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from scrubjay.dates.phrases import first_moment, last_moment
from scrubjay.dates.timestamps import Moment
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import whole_text
from scrubjay.types import Filter, Fusion, Mode

__all__ = ["Asked", "Filters", "make_filter"]

KEY = re.compile(r"[\w.-]{1,100}")
MOST_WORDS = 100  # in one filter
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")


class Filters(TypedDict, total=False):
    """The narrowing words of `search` and `list`."""

    kinds: Sequence[str]
    subject: str | None
    project: str | None
    session: str | None
    speaker: str | None
    tags: Sequence[str]
    metadata: Mapping[str, Any]
    since: Moment | None
    until: Moment | None
    sources: Sequence[str]
    min_importance: int | None
    min_confidence: float | None
    include_superseded: bool
    as_of: Moment | None


class Asked(Filters, total=False):
    """What may be said of a question besides its text."""

    limit: int | None
    mode: Mode | None
    fusion: Fusion | None
    weights: Mapping[str, float] | None
    min_score: float | None
    spaces: Sequence[str] | None


def make_filter(spaces: Sequence[str], now: datetime, given: Mapping[str, Any]) -> Filter:
    if unknown := sorted(set(given) - set(Filters.__annotations__)):
        raise Invalid(f"There is no filter {unknown[0]!r}; there are {', '.join(Filters.__annotations__)}.")
    kept = {name: value for name, value in given.items() if value is not None}
    for name in ("kinds", "tags", "sources"):
        if name in kept:
            kept[name] = _words(name, kept[name])
    for name in ("subject", "project", "session", "speaker"):
        if name in kept:
            kept[name] = whole_text(name, kept[name])
    for name, most in (("min_importance", 10), ("min_confidence", 1)):
        if name in kept and (isinstance(kept[name], bool) or not isinstance(kept[name], int | float)):
            raise Invalid(f"{name} must be a number, not {kept[name]!r}.")
        if name in kept and not 0 <= kept[name] <= most:
            raise Invalid(f"{name} must lie between 0 and {most}, not {kept[name]!r}.")
    if "since" in kept:
        kept["since"] = first_moment(kept["since"], "since", now)
    if "until" in kept:
        kept["until"] = last_moment(kept["until"], "until", now)
    if "as_of" in kept:
        kept["as_of"] = last_moment(kept["as_of"], "as_of", now)
    if "metadata" in kept:
        kept["metadata"] = tuple(_comparisons(kept["metadata"]))
    return Filter(spaces=tuple(dict.fromkeys(spaces)), now=now, **kept)


def _words(name: str, given: Any) -> tuple[str, ...]:
    words = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(word, str) for word in words):
        raise Invalid(f"{name} must be a list of words.")
    words = tuple(dict.fromkeys(words))
    if len(words) > MOST_WORDS:
        raise Invalid(f"{name} may name at most {MOST_WORDS}, not {len(words):,}.")
    return tuple(whole_text(name, word.lower() if name == "kinds" else word) for word in words)


def _comparisons(given: Any) -> Iterable[tuple[str, str, Any]]:
    """{"size": {">=": 10}} compares; {"size": 10} means that it equals."""
    if not isinstance(given, Mapping):
        raise Invalid('A metadata filter is an object, e.g. {"ticket": 7} or {"size": {">=": 10}}.')
    for key, wanted in given.items():
        if not isinstance(key, str) or not KEY.fullmatch(key):
            raise Invalid(f"{key!r} cannot be a metadata key in a filter; use letters, digits and . _ -")
        for operator, value in (wanted if isinstance(wanted, Mapping) else {"=": wanted}).items():
            yield key, _operator(operator, value), whole_text(key, value) if isinstance(value, str) else value


def _operator(operator: Any, value: Any) -> str:
    if operator not in OPERATORS:
        raise Invalid(f"{operator!r} is no comparison; use one of {' '.join(OPERATORS)}.")
    if value is not None and type(value) not in (bool, int, float, str):
        raise Invalid(f"A metadata filter compares with a number, text, true, false or null, not {value!r}.")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Invalid(f"{value!r} is too large a number to compare with.")
    if (value is None or isinstance(value, bool)) and operator not in ("=", "!="):
        raise Invalid(f"{value!r} can only be compared with = and !=.")
    return str(operator)
