"""The shape of every noun in JSON, and which nouns each command answers with. The reference page is made from this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from scrubjay.memory.trash import Trashed
from scrubjay.types import Check, Conflict, Edit, Event, Filled, Memory, Reverted, Session, Stats, Step, Task
from scrubjay.types.documents import Excerpt, Source, Status, Synced
from scrubjay.types.tokens import Token

__all__ = ["ANSWERS", "MADE", "NOUNS", "keys_of"]

# Nouns that are data types of Python: a key for each field, with the same name. More keys stand behind the type.
NOUNS: dict[str, tuple[type, tuple[str, ...]]] = {
    "memory": (Memory, ()),
    "step": (Step, ()),
    "edit": (Edit, ()),
    "reverted": (Reverted, ()),
    "conflict": (Conflict, ()),
    "event": (Event, ()),
    "task": (Task, ()),
    "session": (Session, ()),
    "source": (Source, ()),
    "status": (Status, ("behind",)),
    "synced": (Synced, ()),
    "excerpt": (Excerpt, ()),
    "trashed": (Trashed, ()),
    "token": (Token, ()),
    "stats": (Stats, ()),
    "check": (Check, ()),
    "filled": (Filled, ()),
}
HIT = {
    "score": "number",
    "hit_confidence": "number or null",
    "likely": "true or false",
    "snippet": "text",
    "also": "[id]",
    "corrected_by": "id or null",
}
# Nouns that are put together for an answer: what stands at each key. `[…]` is a list.
MADE: dict[str, Mapping[str, str]] = {
    "added": {
        "id": "id", "created": "true or false", "memory": "memory", "replaced": "[id]", "similar": "[short hit]",
        "notes": "[text]",
    },
    "short hit": {
        "id": "id", "space": "text", "kind": "text", "title": "text", "date": "day", "document": "text or null",
        "lines": "[first, last] or null", **HIT,
    },
    "hit": {
        **{field.name: "as in memory" for field in fields(Memory)}, **HIT, "why": "share of the score by signal",
        "words": "[text]", "neighbours": "[memory]",
    },
    "results": {"results": "[short hit]", "tiers": "[text]", "notes": "[text]", "doubtful": "true or false"},
    "full results": {"results": "[hit]", "tiers": "[text]", "notes": "[text]", "doubtful": "true or false"},
    "context": {"text": "text", "tokens": "number", "ids": "[id]"},
    "space": {"space": "text", "memories": "number"},
    "subject": {"subject": "text", "memories": "number"},
    "tag": {"tag": "text", "memories": "number"},
    "kind": {"kind": "text", "memories": "number", "what": "text or null"},
    "setting": {"key": "text", "value": "any", "origin": "text", "what": "text"},
    "project": {"path": "text", "trusted": "true or false", "why_not": "text or null", "foreign": "true or false"},
}  # fmt: skip
# What a command prints with --json: a noun, or what stands at each key.
ANSWERS: dict[str, str | Mapping[str, str]] = {
    "add": "added",
    "add --jsonl": {"outcomes": "[added with line, or error]", "created": "number", "known": "number",
        "refused": "number"},
    "supersede": "added",
    "update": "memory",
    "confirm": "memory",
    "undelete": "memory",
    "revert": "reverted",
    "delete": {"deleted": "[id]"},
    "search": "results",
    "search --full": "full results",
    "turns search": "full results",
    "turns add": {"turns": "[memory]"},
    "capture": {"turns": "[memory]"},
    "get": {"memories": "[memory]"},
    "get --around": {"excerpts": "[excerpt]"},
    "list": {"memories": "[memory]", "notes": "[text]"},
    "history": {"memories": "[memory]", "steps": "[step]", "edits": "[edit]"},
    "timeline": {"events": "[event]", "notes": "[text]"},
    "context": "context",
    "spaces": {"spaces": "[space]"},
    "subjects": {"subjects": "[subject]"},
    "kinds": {"kinds": "[kind]"},
    "tags": {"tags": "[tag]"},
    "conflicts": {"conflicts": "[conflict]"},
    "tasks": {"tasks": "[task]"},
    "tasks create": "task",
    "sessions": {"sessions": "[session]"},
    "sessions start": "session",
    "sources": {"sources": "[source]"},
    "status": "status",
    "sync": "synced",
    "trash": {"trash": "[trashed]"},
    "stats": "stats",
    "check": "check",
    "backfill": "filled",
    "export --csv": {"file": "text", "memories": "number"},
    "token": {"tokens": "[token]"},
    "config --origin": {"settings": "[setting]"},
    "trust --list": {"projects": "[project]"},
}  # fmt: skip


def keys_of(noun: str) -> list[str]:
    """The keys of a noun in JSON."""
    if noun in MADE:
        return list(MADE[noun])
    kind, more = NOUNS[noun]
    return [*(field.name for field in fields(kind)), *more]
