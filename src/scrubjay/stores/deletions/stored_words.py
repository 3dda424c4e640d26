"""Where words stand, as they are written, in anything that is stored: with a memory, in the trash, or in a name."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from scrubjay.errors import Damaged
from scrubjay.stores.columns import object_from
from scrubjay.stores.contract import Rows
from scrubjay.stores.deletions.kept_rows import kept_from

__all__ = ["in_memories", "in_names", "in_trash", "shortened"]

AT_ONCE = 2_000
MOST_TOLD = 20
IDS = "select m.id from memories m where {where} and m.id > :after order by m.id limit :limit"
# Of each table: which column names the memory, and which tell what somebody wrote.
TEXTS = (
    ("memories", "id", ("subject", "title", "text", "context", "tags", "aliases", "metadata", "cites", "paths")),
    ("tasks", "memory", ("note",)),
    ("edits", "memory", ("before", "undone_reason")),
    ("steps", "old", ("reason", "undone_reason")),
    ("secrets", "memory", ("text",)),
    ("records", "memory", ("key", "data", "state", "reason")),
    ("links", "source", ("word",)),
)
JSON = ("tags", "aliases", "metadata", "cites", "paths", "before", "data", "state")
IN_HISTORY = ("kind", "project", "expires_at", "task.scope", "task.status", "task.priority")  # no words of anybody
TRASH = "select id, kept from trash where space = :space"
STEPS_IN_TRASH = "select old, new, kept from trash_steps"
# Names are not erased with what they are in: whose name says the words is told instead.
NAMES = (
    (
        "memory {}: the name of its project, source, session, speaker or document says it",
        "select id, '', project, source, client, actor, session, speaker, document from memories where space = :space",
    ),
    (
        "memory {}: a former name of it says it",
        "select m.id, e.before from edits e join memories m on m.id = e.memory where m.space = :space",
    ),
    ("session {}", "select name, '', name, title, project, client from sessions where space = :space"),
    ("session {}", "select session, '', session, name from session_notes where space = :space"),
    (
        "document {}, which is not Scrubjay's to change",
        "select name, state, name, path from documents where space = :space",
    ),
    ("source {}", "select name, '', name, root from sources where space = :space"),
)


def in_memories(rows: Rows, where: str, values: dict[str, Any], words: str) -> list[int]:
    """The ids of the memories that pass, and with which the words are stored."""
    found: list[int] = []
    after = 0
    while ids := [id for (id,) in rows.all(IDS.format(where=where), **values, after=after, limit=AT_ONCE)]:
        texts = defaultdict[int, list[str]](list)
        for table, owner, columns in TEXTS:
            sql = f"select {owner}, {', '.join(columns)} from {table} where {owner} in (:ids)"
            for id, *row in rows.all(sql, ids=ids):
                texts[id] += _texts(zip(columns, row, strict=True))
        found += [id for id in ids if _says(texts[id], words)]
        after = ids[-1]
    return found


def in_trash(rows: Rows, space: str, words: str) -> set[int]:
    """The ids of the deleted memories with which the words are kept."""
    found, there = set[int](), set[int]()
    for id, text in rows.all(TRASH, space=space):
        there.add(id)
        with suppress(Damaged, TypeError, AttributeError):  # a repair says so
            kept = kept_from(text)
            told = (row for table, _, columns in TEXTS for row in _only(kept.get(table, []), columns))
            if any(_says(_texts(row), words) for row in told):
                found.add(id)
    for old, new, text in rows.all(STEPS_IN_TRASH):
        with suppress(Damaged):
            if _says(_texts(_only([object_from(text)], ("reason", "undone_reason"))[0]), words):
                found |= {old, new}
    return found & there


def in_names(rows: Rows, space: str, words: str) -> list[str]:
    """What has a name that says the words, as sentences for the user."""
    found: list[str] = []
    for sentence, sql in NAMES:
        named = [
            sentence.format(id)
            for id, state, *names in rows.all(sql, space=space)
            if _says([*filter(None, names), *_texts([("state", state)])], words)
        ]
        found += shortened(list(dict.fromkeys(named)))
    return list(dict.fromkeys(found))


def shortened(sentences: Sequence[str]) -> list[str]:
    """The first of them, and how many more there are."""
    more = len(sentences) - MOST_TOLD
    return [*sentences[:MOST_TOLD], *([f"{more:,} more like the last one"] if more > 0 else [])]


def _only(found: Iterable[dict[str, Any]], columns: Sequence[str]) -> list[list[tuple[str, Any]]]:
    return [[(name, row.get(name)) for name in columns] for row in found]


def _says(texts: Iterable[str], words: str) -> bool:
    return any(words.casefold() in text.casefold() for text in texts)


def _texts(row: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """The texts in a row, also those in its JSON."""
    for name, value in row:
        yield from _strings(_decoded(value) if name in JSON else value, name)


def _strings(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _strings(item, name)
    elif isinstance(value, dict) and name == "before":  # each as it stood in its column
        yield from _texts((key, item) for key, item in value.items() if key not in IN_HISTORY)
    elif isinstance(value, dict):
        yield from value if name == "metadata" else ()  # the keys of others are names of fields
        for item in value.values():
            yield from _strings(item, name)
    elif value is not None:
        yield str(value)


def _decoded(value: Any) -> Any:
    with suppress(TypeError, ValueError, RecursionError):
        return json.loads(value)
    return value
