"""What FTS5 is asked, in its own syntax: words, spaces, and what it can tell of a filter."""

from __future__ import annotations

import json
from collections.abc import Sequence

from scrubjay.text.tokenizer import Term, stems_of
from scrubjay.types import Filter

__all__ = ["filter_match", "match_of", "space_match", "space_word"]


def filter_match(filter: Filter, by_space: bool) -> str:
    """What FTS5 itself can tell of a filter: every memory that passes holds this, and some others may."""
    parts = [space_match(filter.spaces)] if by_space else []
    if filter.subject is not None and stems_of(filter.subject):
        parts.append(f"subject : {_quoted(filter.subject)}")
    tags = [json.dumps(tag, ensure_ascii=False)[1:-1] for tag in filter.tags]  # as they are stored
    if tags and all(map(stems_of, tags)):
        parts.append(f"tags : ({' OR '.join(map(_quoted, tags))})")
    return " AND ".join(parts)


def space_match(spaces: Sequence[str]) -> str:
    return f"space : ({' OR '.join(_quoted(space_word(space)) for space in spaces)})" if spaces else ""


def match_of(terms: Sequence[Term], within: str, join: str = " OR ") -> str:
    """Every word quoted, so that user text is never FTS5 syntax."""
    words = f"- space : ({join.join(_quoted(term.match) for term in terms)})"
    return f"{within} AND ({words})" if within else words


def space_word(space: str) -> str:
    """A space's name as one word of the index."""
    return space.encode().hex()


def _quoted(word: str) -> str:
    return '"' + word.replace("\0", " ").replace('"', '""') + '"'
