"""Upper limits for one memory and for one call, so that no write and no answer can grow without bound."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.text.plural import counted

__all__ = [
    "ALIASES",
    "ALIAS_CHARACTERS",
    "ANSWER_CHARACTERS",
    "ANSWER_ITEMS",
    "BACKFILL_BATCH",
    "CITES",
    "CITE_CHARACTERS",
    "CONTEXT_CHARACTERS",
    "EMBEDDED_CHARACTERS",
    "FILTER_CHARACTERS",
    "ITEMS",
    "ITEMS_CHARACTERS",
    "LARGEST_INTEGER",
    "METADATA_CHARACTERS",
    "METADATA_DEPTH",
    "PATHS",
    "PATH_CHARACTERS",
    "QUERIES",
    "QUERIES_CHARACTERS",
    "RECORD_CHARACTERS",
    "SHORT_CHARACTERS",
    "SPACES",
    "TAGS",
    "TAG_CHARACTERS",
    "TEXT_CHARACTERS",
    "characters_in",
    "check_aliases",
    "check_cites",
    "check_items",
    "check_metadata",
    "check_paths",
    "check_queries",
    "check_record",
    "check_tags",
    "is_id",
    "is_nested_deeper",
    "parts_of",
    "parts_of_items",
    "too_long",
]

ID_DIGITS = 18
TEXT_CHARACTERS = 1_000_000
EMBEDDED_CHARACTERS = 32_000  # text after this is found by words only: embedding is by far the slowest step
BACKFILL_BATCH = 50  # memories that are embedded and stored at once
CONTEXT_CHARACTERS = 20_000
SHORT_CHARACTERS = 500  # a title, a subject, a name
FILTER_CHARACTERS = 4_096  # of one name in a filter, which may be the path of a document
TAGS, TAG_CHARACTERS = 100, 100
ALIASES, ALIAS_CHARACTERS = 20, 100
CITES, CITE_CHARACTERS = 20, 1_000
PATHS, PATH_CHARACTERS = 20, 200
METADATA_CHARACTERS = 20_000  # as JSON
METADATA_DEPTH = 20
LARGEST_INTEGER = 2**63 - 2**32  # something may be added to it, and a store has none from 2**63 on
RECORD_CHARACTERS = 100_000  # of one version, as JSON
SPACES = 100  # that are named in one search or list
QUERIES, QUERIES_CHARACTERS = 300, 30_000  # of one request, all together: each is a search of its own, and is embedded
# Of a list in one request, all together. To embed them takes 10 to 30 seconds; meanwhile others wait for their turn.
ITEMS, ITEMS_CHARACTERS = 10_000, 500_000
ANSWER_ITEMS = 10_000  # of one request, all together
ANSWER_CHARACTERS = 50_000_000  # of all texts in it, also names, tags and metadata


def is_id(text: str) -> bool:
    """Whether a word is the id of something: a whole number, and not so long that no id is."""
    return text.isascii() and text.isdigit() and len(text) <= ID_DIGITS


def check_tags(tags: Sequence[str]) -> None:
    if len(tags) > TAGS:
        raise Invalid(f"A memory has at most {TAGS} tags, and this would have {len(tags):,}; leave some out.")


def check_aliases(aliases: Sequence[str]) -> None:
    if len(aliases) > ALIASES:
        raise Invalid(f"A memory has at most {ALIASES} aliases, and this would have {len(aliases):,}; leave some out.")


def check_cites(cites: Sequence[object]) -> None:
    if len(cites) > CITES:
        raise Invalid(f"A memory cites at most {CITES} places, and this would cite {len(cites):,}; leave some out.")


def check_paths(paths: Sequence[str]) -> None:
    if len(paths) > PATHS:
        raise Invalid(f"A memory has at most {PATHS} paths, and this would have {len(paths):,}; leave some out.")


def check_queries(queries: Sequence[str], limit: int | None = None) -> None:
    """Raise Invalid for more than one request takes, or is answered with, if each has so many answers."""
    if limit is not None and limit * len(queries) > ANSWER_ITEMS:
        raise Invalid(
            f"limit is {limit:,} for each query, and the queries are {len(queries):,}; the results of one request are"
            f" {ANSWER_ITEMS:,} at most."
        )
    if len(next(parts_of(queries), ())) < len(queries):
        raise Invalid(
            f"The queries of one request are at most {QUERIES}, with {QUERIES_CHARACTERS:,} characters together, and"
            f" these are {len(queries):,} with {sum(map(len, queries)):,}; ask in several requests."
        )


def check_items(name: str, items: Sequence[Any]) -> None:
    """Raise Invalid for a list of more than one request takes."""
    if len(items) > ITEMS:
        raise Invalid(f"{name} has {counted(len(items), 'item')}; one request takes {ITEMS:,} at most.")
    if len(next(parts_of_items(items), ())) < len(items):
        raise Invalid(
            f"{name} has {characters_in(items):,} characters, and one request takes {ITEMS_CHARACTERS:,} at most; send"
            " it in several requests."
        )


def parts_of_items(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """As many items at once as one request takes; a single one may have any length that a memory has."""
    return _parts(items, ITEMS, ITEMS_CHARACTERS)


def parts_of(queries: Sequence[Any], limit: int | None = None) -> Iterator[Sequence[Any]]:
    """As many queries at once as one request takes; a single one may have any length, as only its beginning counts."""
    return _parts(queries, max(min(QUERIES, ANSWER_ITEMS // max(limit or 1, 1)), 1), QUERIES_CHARACTERS)


def _parts(items: Sequence[Any], most: int, most_characters: int) -> Iterator[Sequence[Any]]:
    part, length = list[Any](), 0
    for item in items:
        own = characters_in(item)
        if part and (len(part) == most or length + own > most_characters):
            yield part
            part, length = [], 0
        part.append(item)
        length += own
    if part:
        yield part


def characters_in(value: Any) -> int:
    """Of all texts in plain JSON values, level by level: they may be nested deeper than Python's recursion limit."""
    characters, level = 0, [value]
    while level:
        characters += sum(len(one) for one in level if isinstance(one, str))
        level = [item for one in level for item in (*(one if isinstance(one, Mapping) else ()), *_items(one))]
    return characters


def check_metadata(metadata: Mapping[str, Any]) -> None:
    """Raise Invalid if metadata are too large or nested too deeply. Expects plain JSON values."""
    if not metadata:
        return
    if is_nested_deeper(metadata, METADATA_DEPTH):
        raise Invalid(f"metadata are nested more than {METADATA_DEPTH} deep; make them flatter.")
    size = len(json.dumps(dict(metadata), ensure_ascii=False))
    if size > METADATA_CHARACTERS:
        raise Invalid(
            f"metadata would have {size:,} characters, and at most {METADATA_CHARACTERS:,} fit in one memory;"
            " keep what is large in a file."
        )


def check_record(noun: str, data: Mapping[str, Any]) -> None:
    """Raise Invalid if a version of a record is too large or nested too deeply. Expects plain JSON values."""
    if is_nested_deeper(data, METADATA_DEPTH):
        raise Invalid(f"A {noun} is nested at most {METADATA_DEPTH} deep; make it flatter.")
    size = len(json.dumps(dict(data), ensure_ascii=False))
    if size > RECORD_CHARACTERS:
        raise Invalid(f"This {noun} would have {size:,} characters, and at most {RECORD_CHARACTERS:,} fit in one.")


def too_long(name: str, length: int, most: int) -> Invalid:
    """The error for a text that is too long."""
    instead = "; save it as a file and `scrubjay sync` that, which cuts it into passages" if name == "text" else ""
    return Invalid(f"{name} is {length:,} characters long, and at most {most:,} fit in one memory{instead}.")


def is_nested_deeper(value: Any, most: int) -> bool:
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
