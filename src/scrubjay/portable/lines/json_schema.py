"""The JSON Schema of an export's lines, made from the declarations of its tables."""

from __future__ import annotations

from typing import Any

from scrubjay.portable.export import FORMAT, VERSION
from scrubjay.portable.lines.checks import HEX, TIME, UID
from scrubjay.stores.transfer.tables import EDIT, MEMORY, STEP, TABLES, TASK, Field, Table

__all__ = ["json_schema"]

Schema = dict[str, Any]
TYPES: dict[str, Schema] = {
    "text": {"type": "string"},
    "source": {"type": "string", "description": "the name of a source"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "time": {"type": "string", "pattern": f"^{TIME.pattern}$", "description": "UTC, to the microsecond"},
    "strings": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object"},
    "flag": {"type": "boolean"},
    "bytes": {"type": "string", "pattern": f"^{HEX.pattern}$"},
    "uid": {"type": "string", "pattern": f"^{UID.pattern}$"},
    "memory": {"type": "string", "pattern": f"^{UID.pattern}$", "description": "the uid of a memory"},
}
MODEL = {"spec": "text", "name": "text", "dimensions": "integer", "recipe": "text"}
SPACES: Schema = {"type": "array", "items": {"type": "string"}}


def json_schema() -> Schema:
    """One line of an export: an object whose `type` says which of these it is."""
    lines = [_header(), _settings(), *map(_of_table, (MEMORY, STEP, EDIT, *TABLES)), _end()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of {FORMAT}, version {VERSION}",
        "oneOf": lines,
    }


def _of_table(table: Table) -> Schema:
    schema = _object(table.line, {name: _value(field) for name, field in table.fields.items()}, _required(table))
    if table is MEMORY:
        task = {name: _value(field) for name, field in TASK.fields.items()}
        schema["properties"] |= {
            "task": {"type": "object", "properties": task, "required": _required(TASK), "additionalProperties": False},
            "vectors": {"type": "array", "items": {"type": "string", "contentEncoding": "base64"}},
        }
    return schema


def _required(table: Table) -> list[str]:
    """A list or an object that is empty is left out."""
    may_be_empty = ("strings", "object")
    return [name for name, field in table.fields.items() if not field.optional and field.type not in may_be_empty]


def _value(field: Field) -> Schema:
    return {**TYPES[field.type], "enum": list(field.choices)} if field.choices else dict(TYPES[field.type])


def _header() -> Schema:
    model = {name: dict(TYPES[kind]) for name, kind in MODEL.items()}
    return _object(
        "header",
        {
            "format": {"const": FORMAT},
            "version": {"const": VERSION},
            "spaces": SPACES,
            "part": {"const": True, "description": "made with a filter: memories and their history only"},
            "keys": {"type": "array", "items": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
            "vectors": {"type": "object", "properties": model, "required": list(model), "additionalProperties": False},
        },
        ["format", "version", "spaces"],
    )


def _settings() -> Schema:
    return _object("settings", {"space": {"type": "string"}, "values": {"type": "object"}}, ["space", "values"])


def _end() -> Schema:
    digest = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    fields = {"lines": {"type": "integer"}, "sha256": digest, "signature": dict(digest)}
    return _object("end", fields, list(fields))


def _object(line: str, properties: Schema, required: list[str]) -> Schema:
    return {
        "type": "object",
        "properties": {"type": {"const": line}, **properties},
        "required": ["type", *required],
        "additionalProperties": False,
    }
