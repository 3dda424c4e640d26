"""SQLite files of other programs: claude-mem, mcp-memory-service, LangGraph's store, and those of the seeds."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scrubjay.portable.formats.items import Item, moment, strings, without
from scrubjay.portable.formats.json_files import read_json
from scrubjay.stores.sqlite.foreign import read_table, tables

__all__ = ["read_sqlite", "recognised"]

Row = dict[str, Any]
SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")


class Layout(NamedTuple):
    """One table of a program: the columns by which it is known, and how a row becomes an item (or None)."""

    program: str
    table: str
    columns: frozenset[str]
    read: Callable[[Row], Item | None]


def recognised(path: Path) -> str | None:
    return next((layout.program for layout in _layouts(tables(path))), None)


def read_sqlite(path: Path, program: str) -> Iterator[Item]:
    found = tables(path)
    layouts = [layout for layout in _layouts(found) if layout.program == program]
    for layout in layouts:  # nothing is taken of a file that cannot be read whole
        deque(read_table(path, layout.table, found[layout.table]), maxlen=0)
    for layout in layouts:
        for row in read_table(path, layout.table, found[layout.table]):
            item = layout.read({name: _readable(value) for name, value in row.items()})
            if item is not None and item.text.strip():
                yield item


def _layouts(found: Mapping[str, list[str]]) -> list[Layout]:
    return [layout for layout in LAYOUTS if layout.columns <= set(found.get(layout.table, ()))]


def _readable(value: Any) -> Any:
    """Without bytes: what a program keeps in them is an index of its own."""
    return None if isinstance(value, bytes) else value


def _object(value: Any) -> dict[str, Any]:
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _memory_service(row: Row) -> Item | None:
    if row.get("deleted_at"):
        return None
    used = ("id", "content", "content_hash", "tags", "memory_type", "metadata", "confidence", "superseded_by")
    times = ("created_at", "updated_at", "created_at_iso", "updated_at_iso", "deleted_at")
    fields = {
        "kind": row.get("memory_type"), "tags": strings(row.get("tags")), "confidence": row.get("confidence"),
        "metadata": {**_object(row.get("metadata")), **without(row, *used, *times)},
    }  # fmt: skip
    at, changed = moment(row.get("created_at")), moment(row.get("updated_at"))
    text, new = str(row["content"]), row.get("superseded_by") or None
    return Item(
        key=str(row["content_hash"]), text=text, fields=fields, at=at, changed_at=changed,
        replaced_by=None if new is None else str(new), replaced_at=changed if new else None,
    )  # fmt: skip


def _claude_mem(row: Row) -> Item | None:
    told = [row.get("narrative") or row.get("text"), *strings(row.get("facts"))]
    used = ("id", "type", "title", "subtitle", "narrative", "text", "facts", "concepts", "project")
    fields = {
        "kind": row.get("type"), "title": row.get("title") or None, "context": row.get("subtitle") or None,
        "tags": strings(row.get("concepts")), "project": row.get("project") or None,
        "metadata": without(row, *used, "created_at", "created_at_epoch"),
    }  # fmt: skip
    text = "\n".join(str(one) for one in told if one) or str(row.get("title") or "")
    at = moment(row.get("created_at_epoch")) or moment(row.get("created_at"))
    return Item(key=f"observation {row['id']}", text=text, fields=fields, at=at)


def _claude_mem_summary(row: Row) -> Item | None:
    parts = [(name, row.get(name)) for name in SUMMARY]
    text = "\n".join(f"{name.replace('_', ' ').capitalize()}: {value}" for name, value in parts if value)
    used = ("id", "project", "created_at", "created_at_epoch", *(name for name, _ in parts))
    fields = {"kind": "summary", "project": row.get("project") or None, "metadata": without(row, *used)}
    at = moment(row.get("created_at_epoch")) or moment(row.get("created_at"))
    return Item(key=f"summary {row['id']}", text=text, fields=fields, at=at)


def _langgraph(row: Row) -> Item | None:
    value = _object(row.get("value")) or row.get("value")
    return next(read_json([{**row, "namespace": row["prefix"], "value": value}], "langgraph"))


def _matrioshka(row: Row) -> Item | None:
    used = ("id", "content", "content_hash", "entry_type", "source", "context", "confidence", "importance", "tags")
    times = ("created_at", "updated_at", "expires_at", "last_accessed_at")
    fields = {
        "kind": row.get("entry_type"), "context": row.get("context") or None, "confidence": row.get("confidence"),
        "importance": row.get("importance"), "tags": strings(row.get("tags")),
        "expires_at": moment(row.get("expires_at")),
        "metadata": {"source": row.get("source"), **without(row, *used, *times)},
    }  # fmt: skip
    at, changed = moment(row.get("created_at")), moment(row.get("updated_at"))
    return Item(key=str(row["content_hash"]), text=str(row["content"]), fields=fields, at=at, changed_at=changed)


def _conversation(row: Row) -> Item | None:
    text = f"User: {row.get('user_message')}\n\nAgent: {row.get('agent_response')}"
    used = ("id", "user_message", "agent_response", "tags", "created_at")
    fields = {"kind": "note", "tags": strings(row.get("tags")), "metadata": without(row, *used)}
    return Item(key=f"conversation {row['id']}", text=text, fields=fields, at=moment(row.get("created_at")))


def _chunk(row: Row) -> Item | None:
    place = {"path": row.get("path"), "first_line": row.get("start_line"), "last_line": row.get("end_line")}
    fields = {"kind": "note", "metadata": {**place, "source": row.get("source")}}
    return Item(key=str(row["id"]), text=str(row["text"]), fields=fields, at=moment(row.get("updated_at")))


def _of_json(name: str) -> Callable[[Row], Item | None]:
    """A row that has the same columns as an object in the program's export."""
    if name == "memstore":
        return lambda row: next(read_json({"facts": [{**row, "metadata": _object(row.get("metadata"))}]}, name))
    return lambda row: next(read_json([row], name))


def _layout(program: str, table: str, columns: str, read: Callable[[Row], Item | None]) -> Layout:
    return Layout(program, table, frozenset(columns.split()), read)


LAYOUTS = (
    _layout("mcp-memory-service", "memories", "content_hash content tags memory_type", _memory_service),
    _layout("claude-mem", "observations", "id type title", _claude_mem),
    _layout("claude-mem", "session_summaries", "id request learned", _claude_mem_summary),
    _layout("langgraph", "store", "prefix key value", _langgraph),
    _layout("matrioshka-brain", "memory_entries", "content_hash content entry_type", _matrioshka),
    _layout("memorizer", "facts", "id agent_id fact category", _of_json("memorizer")),
    _layout("memorizer", "conversations", "id agent_id user_message agent_response", _conversation),
    _layout("openclaw", "chunks", "id path text start_line end_line", _chunk),
    _layout("memstore", "memstore_facts", "id namespace content subject", _of_json("memstore")),
    _layout("rulebook", "memories", "id type title content created_at", _of_json("rulebook")),
)
