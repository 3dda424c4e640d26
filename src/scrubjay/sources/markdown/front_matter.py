"""Front matter: metadata at the start of a document, as YAML between --- lines or TOML between +++ lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date as Date
from datetime import datetime, time
from functools import cache
from math import isfinite
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.files.toml import read_toml
from scrubjay.types import limits

__all__ = ["FrontMatter", "date", "split", "tags", "title"]

LONGEST = 20_000  # characters; a longer block is not read as front matter
MAX_NUMBER = 2.0**63  # larger numbers are kept as text: not every JSON reader takes them
YAML, TOML = "---", "+++"
ENDS = {YAML: ("---", "..."), TOML: ("+++",)}
TAG_KEYS = ("tags", "tag", "keywords")
DATE_KEYS = ("date", "created", "created_at")
LONGEST_DATE = 100  # characters
SPACE_BEFORE_ZONE = re.compile(r"\s+(?=[+-]\d|Z$)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A document in two parts: its metadata, as plain JSON, and its body."""

    values: dict[str, Any]
    body_first_line: int  # 1-based, in the whole document
    body: str


def split(text: str) -> FrontMatter:
    """Separate front matter and body; without readable front matter, all of the text is body."""
    nothing = FrontMatter({}, 1, text)
    mark = text.removeprefix("\ufeff")[:3]
    if mark not in ENDS:
        return nothing
    opening, *lines = text[:LONGEST].split("\n")
    if len(text) > LONGEST:
        lines = lines[:-1]  # may be incomplete
    if opening.removeprefix("\ufeff").rstrip() != mark:
        return nothing
    last = next((number for number, line in enumerate(lines) if line.rstrip() in ENDS[mark]), None)
    if last is None:
        return nothing
    values = _read(mark, "\n".join(lines[:last]))
    if values is None:
        return nothing
    start = len(opening) + sum(len(line) + 1 for line in lines[: last + 1]) + 1
    return FrontMatter(values, last + 3, text[start:])


def tags(values: Mapping[str, Any]) -> list[str]:
    """Each tag once, from a list, or from text separated by commas or spaces."""
    given = _lower(values)
    found = (tag for key in TAG_KEYS for tag in _separate(given.get(key)))
    bare = (" ".join(tag.split()).lstrip("#").strip()[: limits.TAG_CHARACTERS].strip() for tag in found)
    return list(dict.fromkeys(tag for tag in bare if tag))[: limits.TAGS]


def title(values: Mapping[str, Any]) -> str | None:
    given = _lower(values).get("title")
    if given is None or isinstance(given, dict | list):
        return None
    return " ".join(str(given).split()) or None


def date(values: Mapping[str, Any]) -> datetime | Date | None:
    """A date, or a time with its time zone (the local one if none is given)."""
    given = _lower(values)
    moments = (_moment(given[key]) for key in DATE_KEYS if isinstance(given.get(key), str))
    return next((moment for moment in moments if moment is not None), None)


def _read(mark: str, block: str) -> dict[str, Any] | None:
    """The values as plain JSON; None if they cannot be read or are not a mapping."""
    try:
        values = _read_yaml(block) if mark == YAML else read_toml(block)
        plain = _plain(values) if isinstance(values, dict) else None
        if plain is not None:
            limits.check_metadata(plain)
        return plain
    except (ValueError, TypeError, OverflowError, AttributeError, RecursionError, Invalid):
        return None


def _read_yaml(block: str) -> Any:
    import yaml

    loader, depth = _yaml_loader(), 0
    try:
        for event in yaml.parse(block, loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            # Aliases of aliases can fill the memory, and deep nesting the stack.
            if isinstance(event, yaml.AliasEvent) or depth > limits.METADATA_DEPTH:
                return None
        values = yaml.load(block, loader)
    except yaml.YAMLError as problem:
        raise ValueError(str(problem)) from problem
    return {} if values is None else values


@cache
def _yaml_loader() -> Any:
    import yaml  # takes 20 ms, and few documents need it

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        """Reads an impossible date, such as 2026-02-30, as text."""

        def construct_yaml_timestamp(self, node: Any) -> Any:
            try:
                return super().construct_yaml_timestamp(node)
            except ValueError:
                return node.value

    Loader.add_constructor("tag:yaml.org,2002:timestamp", Loader.construct_yaml_timestamp)
    return Loader


def _plain(value: Any) -> Any:
    """The same value in JSON types: dates in ISO 8601, unknown types as text."""
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set):
        return sorted(str(_plain(item)) for item in value)
    if isinstance(value, Date | time):  # a datetime is a date
        return value.isoformat()
    if isinstance(value, int | float) and not (isfinite(value) and abs(value) < MAX_NUMBER):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _lower(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key.lower(): value for key, value in values.items()}


def _separate(given: Any) -> list[str]:
    if isinstance(given, str):
        return given.split("," if "," in given else None)
    items = given if isinstance(given, list) else [given]
    return [str(item) for item in items if item is not None and not isinstance(item, dict | list)]


def _moment(text: str) -> datetime | Date | None:
    if len(text) > LONGEST_DATE:
        return None
    text = SPACE_BEFORE_ZONE.sub("", text.strip())
    try:
        return Date.fromisoformat(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError, OSError):
        return None
