"""What the columns of a store may hold. Any other value was written by somebody else, or is damage."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from scrubjay.errors import Damaged
from scrubjay.stores import records
from scrubjay.stores.columns import loaded, moment, moment_or_none, object_from, path_from, strings_from
from scrubjay.stores.revisions.edits import before_from
from scrubjay.types import TRUST

__all__ = ["FITS", "READ", "RIGHT", "TIMES"]


def _is_list_of_texts(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(item, str) for item in found)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value < MOST  # `in range(MOST)` would try each number for what is no number


def _is_time(value: Any) -> bool:
    try:
        return bool(TIME.fullmatch(str(value))) and moment(value) is not None
    except Damaged:
        return False


TIMES, LISTS = ("happened_at", "created_at", "updated_at"), ("tags", "aliases", "cites", "paths")
LATER_TIMES = ("expires_at", "superseded_at", "confirmed_at", "used_at")
LATER_COUNTS, MOST = ("shown_count", "helpful_count", "unhelpful_count"), 2**31  # all together fit in 64 bits
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
# Of memories.
RIGHT: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(LISTS, lambda value: value is None or _is_list_of_texts(loaded(value))),
    "position": lambda value: (
        value is None or (isinstance(value, int) and 0 <= value < 2 * MOST)
    ),  # given, and after it
    "metadata": lambda value: isinstance(loaded(value), dict),
    "source": lambda value: isinstance(value, str),
    "trust": TRUST.__contains__,
    "confidence": lambda value: isinstance(value, int | float) and 0 <= value <= 1,
    "importance": lambda value: value in range(1, 11),
    **dict.fromkeys(("confirmed_count", "used_count"), _is_count),
    **dict.fromkeys(LATER_COUNTS, lambda value: value is None or _is_count(value)),
    **dict.fromkeys(TIMES, _is_time),
    **dict.fromkeys(LATER_TIMES, lambda value: not value or _is_time(value)),
}
# How columns of other tables are read.
READ: dict[str, dict[str, Callable[[Any], object]]] = {
    "sources": {"root": path_from, "include": strings_from, "exclude": strings_from, "synced_at": moment_or_none},
    "documents": {"name": path_from, "path": path_from, "state": object_from},
    "tasks": {"due": moment_or_none},
    "sessions": {"started_at": moment, "ended_at": moment_or_none},
    "steps": {"at": moment, "effective_at": moment, "undone_at": moment_or_none},
    "edits": {"at": moment, "before": before_from, "undone_at": moment_or_none},
    "links": {"at": moment, "undone_at": moment_or_none},
    "ratings": {"at": moment},
    "accesses": {"at": moment},
    "conflicts": {"found_at": moment, "dismissed_at": moment_or_none},
    "records": {"data": object_from, "state": object_from, "at": moment},
    "trash": {"deleted_at": moment, "kept": lambda kept: object_from(kept)["memories"][0]},
    "trash_steps": {"kept": object_from},
    "trust_before": {"trust": dict.fromkeys(TRUST).__getitem__},
    "tokens": {
        "spaces": strings_from,
        "scopes": strings_from,
        "created_at": moment,
        **dict.fromkeys(("expires_at", "last_used_at", "revoked_at"), moment_or_none),
    },
}
# What the values of a row must be together.
FITS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "records": lambda row: records.fits(row["noun"], loaded(row["data"]), loaded(row["state"])),
}
