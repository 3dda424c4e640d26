"""What an export holds, each table and column declared once; and what it leaves out, with the reason.

A column of `memories` is declared in stores/columns.py and comes along by itself. A test fails for a table or column of
the schema that is neither here nor left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType, NoneType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from scrubjay.stores.columns import MEMORIES
from scrubjay.types import Memory, Trust

__all__ = ["BEFORE_MEMORIES", "EDIT", "LEFT_OUT", "MEMORY", "STEP", "TABLES", "TASK", "Field", "FieldType", "Table"]

FieldType = Literal[
    "text", "integer", "number", "time", "strings", "object", "flag", "bytes", "uid", "memory", "source"
]


class Field(NamedTuple):
    """A column as it stands in a file. Of type `memory` it is a uid, of type `source` the name of a source."""

    type: FieldType
    optional: bool = False  # null, and then left out of the line
    choices: tuple[str, ...] = ()


TEXT, OPTIONAL_TEXT, INTEGER, FLAG = Field("text"), Field("text", True), Field("integer"), Field("flag")
TIME, OPTIONAL_TIME, OBJECT = Field("time"), Field("time", True), Field("object")
OF_MEMORY, OPTIONAL_MEMORY = Field("memory"), Field("memory", True)
OPTIONAL_INTEGER = Field("integer", True)


class Table(NamedTuple):
    """A table whose rows are lines of a file, or parts of a memory's line."""

    name: str
    line: str  # the type of its lines
    fields: Mapping[str, Field]
    key: tuple[str, ...] = ()  # a row with the same values is the same row
    where: str = "t.space in (:spaces)"  # or which memories its rows must belong to
    order: str = ""  # a column that orders its rows; else its key does
    least: frozenset[str] = frozenset()  # of two rows, these columns take the lesser value; the others the greater
    fixed: frozenset[str] = frozenset()  # columns of a row that is there which stay as they are
    is_kept: bool = False  # all of them do
    by_user: bool = False  # only from a file that the user vouches for
    is_history: bool = False  # of memories: it leaves with them also where a filter selects some
    at_first: Mapping[str, Any] = MappingProxyType({})  # what stands in columns that no line has
    left_out: Mapping[str, str] = MappingProxyType({})  # columns, and why


def _of_type(hint: Any) -> Field:
    """How a field of a memory is written, by its type in Python."""
    types = [one for one in get_args(hint) if one is not NoneType] if NoneType in get_args(hint) else [hint]
    optional = types != [hint]
    if types[0] == Trust:
        return Field("text", optional, get_args(Trust))
    plain: dict[Any, FieldType] = {str: "text", int: "integer", float: "number", datetime: "time", bool: "flag"}
    if types[0] in plain:
        return Field(plain[types[0]], optional)
    return Field("strings" if get_origin(types[0]) is tuple else "object", optional)


def _memory_fields() -> dict[str, Field]:
    hints = get_type_hints(Memory)
    lines = dict.fromkeys(("first_line", "last_line"), OPTIONAL_INTEGER)  # the field `lines`
    own = {column.name: _of_type(hints[column.name]) for column in MEMORIES if column.name in hints}
    own |= {"uid": Field("uid"), "title": OPTIONAL_TEXT, "superseded_by": OPTIONAL_MEMORY}
    names = [column.name for column in MEMORIES if not column.derived and column.name != "id"]
    return {name: {**own, **lines}[name] for name in names}


DERIVED = "made from the other columns"
MEMORY = Table(
    "memories",
    "memory",
    _memory_fields(),
    key=("uid",),
    left_out={"id": "only unique in its store"} | {column.name: DERIVED for column in MEMORIES if column.derived},
)
TASK = Table(
    "tasks",
    "task",
    {
        "scope": TEXT, "status": Field("text", choices=("pending", "in_progress", "completed", "cancelled")),
        "priority": Field("text", choices=("high", "normal", "low")), "due": OPTIONAL_TIME, "note": OPTIONAL_TEXT,
        "changed_at": OPTIONAL_TIME,  # no column: from its updates
    },
    left_out={"memory": "it stands in the memory's line"},
)  # fmt: skip
UNDONE = {"undone_at": OPTIONAL_TIME, "undone_by": OPTIONAL_TEXT, "undone_reason": OPTIONAL_TEXT}
STEP = Table(
    "steps",
    "step",
    {
        "old": OF_MEMORY, "new": OPTIONAL_MEMORY, "at": TIME, "effective_at": TIME, "created": FLAG,
        "actor": OPTIONAL_TEXT, "reason": OPTIONAL_TEXT, **UNDONE, "change": INTEGER, "undoes": OPTIONAL_INTEGER,
        "same": FLAG,
    },
    left_out={"id": "only unique in its store; the order of the lines is kept"},
)  # fmt: skip
EDIT = Table(
    "edits",
    "edit",
    {"memory": OF_MEMORY, "at": TIME, "actor": OPTIONAL_TEXT, "before": OBJECT, **UNDONE},
    left_out={
        "id": "only unique in its store; the order of the lines is kept",
        "after_step": "follows from the order of the lines",
    },
)  # fmt: skip
SELECTED = "(select m.id from memories m where {memories})"
SESSION = {"space": TEXT, "session": TEXT}

# In the order of the file: the first three come before the memories, the others after their steps and edits.
BEFORE_MEMORIES = 3
TABLES = (
    Table(
        "sources",
        "source",
        {
            "space": TEXT, "kind": Field("text", choices=("files", "transcripts", "git")), "name": TEXT, "root": TEXT,
            "include": Field("strings"),
            "exclude": Field("strings"), "ignored": FLAG, "client": OPTIONAL_TEXT, "synced_at": OPTIONAL_TIME,
        },
        key=("space", "name"),
        is_kept=True,
        by_user=True,
        left_out={"id": "only unique in its store"},
    ),
    Table(
        "documents",
        "document",
        {
            "source": Field("source"), "space": TEXT, "name": TEXT, "path": TEXT, "mtime": INTEGER,
            "size": INTEGER, "offset": INTEGER, "chunking": TEXT, "state": OBJECT,
        },
        key=("space", "name"),
        is_kept=True,
        by_user=True,
        at_first={"hash": ""},
        left_out={"id": "only unique in its store", "hash": "keyed with this store's key; the next reading makes it"},
    ),
    Table(
        "deletions", "deletion", {"uid": Field("uid"), "space": TEXT, "at": TIME}, key=("uid",),
    ),
    Table(
        "conflicts",
        "conflict",
        {
            "older": OF_MEMORY, "newer": OF_MEMORY, "score": Field("number"), "found_at": TIME,
            "dismissed_at": OPTIONAL_TIME,
        },
        key=("older", "newer"),
        where=f"t.older in {SELECTED} and t.newer in {SELECTED}",
        least=frozenset({"found_at"}),
    ),
    Table(
        "links",
        "link",
        {
            "source": OF_MEMORY, "target": OF_MEMORY, "word": TEXT, "at": TIME, "actor": OPTIONAL_TEXT,
            "undone_at": OPTIONAL_TIME, "undone_by": OPTIONAL_TEXT,
        },
        key=("source", "target", "word", "at"),
        where=f"t.source in {SELECTED} and t.target in {SELECTED}",
        least=frozenset({"undone_at"}),
        by_user=True,
        is_history=True,
    ),
    Table(
        "sessions",
        "session",
        {
            "space": TEXT, "name": TEXT, "project": OPTIONAL_TEXT, "client": OPTIONAL_TEXT, "started_at": TIME,
            "ended_at": OPTIONAL_TIME, "summary": OPTIONAL_MEMORY, "tool_calls": INTEGER, "title": OPTIONAL_TEXT,
        },
        key=("space", "name"),
        least=frozenset({"started_at"}),
    ),
    Table(
        "session_notes", "session_note", {**SESSION, "kind": Field("text", choices=("file", "link")), "name": TEXT},
        key=("space", "session", "kind", "name"),
    ),
    Table("told", "told", {**SESSION, "memory": OF_MEMORY, "at": TIME}, key=("space", "session", "memory")),
    Table(
        "extractions",
        "extraction",
        {**SESSION, "position": INTEGER, "extractor": TEXT, "at": TIME},
        key=("space", "session"),
    ),
    Table(
        "private_parts",
        "private_part",
        {**SESSION, "depth": INTEGER, "position": OPTIONAL_INTEGER},
        key=("space", "session"),
    ),
    Table(
        "records",
        "record",
        {
            "uid": Field("uid"), "record": Field("uid"),
            "noun": Field("text", choices=("profile", "contact", "project", "skill")), "version": INTEGER,
            "memory": OF_MEMORY, "key": OPTIONAL_TEXT, "data": OBJECT, "state": OBJECT, "at": TIME,
            "actor": OPTIONAL_TEXT, "reason": OPTIONAL_TEXT,
        },
        key=("uid",),
        where=f"t.memory in {SELECTED}",
        order="id",
        least=frozenset({"record"}),
        fixed=frozenset({"noun", "memory", "key", "data", "at", "actor", "reason"}),
        by_user=True,
        left_out={"id": "only unique in its store; the order of the lines is kept"},
    ),
    Table(
        "tombstones",
        "tombstone",
        {"space": TEXT, "document": TEXT, "mark": Field("bytes")},
        key=("space", "document", "mark"),
        by_user=True,
        at_first={"memory": 0},
        left_out={"memory": "the id of a memory that is no more"},
    ),
    Table(
        "forgotten_names",
        "forgotten_name",
        {"space": TEXT, "mark": Field("bytes"), "at": TIME},
        key=("space", "mark"),
        by_user=True,
    ),
)  # fmt: skip

CACHE = "made anew where it is needed"
LEFT_OUT = {
    "pieces": "vectors stand in the lines of memories, when they are asked for",
    "models": "the model of the vectors stands in the header",
    "mark_key": "stands in the header, if there are marks, or memories from files of other programs",
    "names": DERIVED,
    "ratings": "of this store's sessions; the counts stand in the memories",
    "changes": CACHE,
    "events": "of this store",
    "attempts": "of this store",
    "cached_models": CACHE,
    "cached": CACHE,
    "cache_use": CACHE,
    "quarantine": "the model that refused a text may be another",
    "accesses": "a log of what was asked in this store; the counts stand in the memories",
    "jobs": "a provider's, for this store",
    "spending": "of this store",
    "requests": "of this store",
    "logins": "who may come in is decided for each store",
    "tokens": "who may come in is decided for each store",
    "secrets": "texts with secrets are in no export; the memory stands there redacted",
    "trash": "what was deleted is in no export; a line of type `deletion` tells its uid",
    "trash_steps": "see trash",
    "erasure": "of this file",
    "project_mark": "of this file",
    "trust_before": "a store that somebody else made is external, and so is its export",
    "copies": "of this store",
}
