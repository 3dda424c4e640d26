"""The shape of every noun in JSON, and which nouns each command answers with. The reference page is made from this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from scrubjay.memory.trash import Trashed
from scrubjay.records import Contact, Difference, Project, ProjectSource, Skill, Version
from scrubjay.types import Added, Memory, Trust
from scrubjay.types.agents import Activity, Context, Event, Session, Task
from scrubjay.types.documents import Changed, Excerpt, Level, Place, Skipped, Source, Status, Synced
from scrubjay.types.history import Conflict, Edit, MemoryChange, Reverted, Step
from scrubjay.types.memories import Citation
from scrubjay.types.models import CacheUse, Filled, Job, Provider, Quarantined, Spent
from scrubjay.types.reports import (
    Access,
    BackedUp,
    Certificate,
    Check,
    Evicted,
    Exported,
    Imported,
    LimitUse,
    Moved,
    Removed,
    Restored,
    Stats,
)
from scrubjay.types.tokens import Token
from scrubjay.upkeep.extract import Dropped, Extracted
from scrubjay.upkeep.synthesise import Applied, Change, Plan

__all__ = ["ANSWERS", "MADE", "NOUNS", "Shape", "shape_of"]

# What stands at each key: a noun, or one of text, number, id, time, day, trust, object, any, null, true, false.
# `[…]` is a list, and "or" stands between alternatives.
Shape = Mapping[str, str]

# Nouns that are data types of Python: a key for each field, with the same name. More keys stand behind the type.
NOUNS: dict[str, tuple[type, Shape]] = {
    "memory": (Memory, {}),
    "step": (Step, {}),
    "edit": (Edit, {}),
    "reverted": (Reverted, {}),
    "conflict": (Conflict, {}),
    "memory change": (MemoryChange, {}),
    "event": (Event, {}),
    "task": (Task, {}),
    "session": (Session, {}),
    "contact": (Contact, {}),
    "project record": (Project, {}),
    "project source": (ProjectSource, {}),
    "skill": (Skill, {}),
    "version": (Version, {}),
    "difference": (Difference, {}),
    "activity": (Activity, {}),
    "full context": (Context, {}),
    "source": (Source, {}),
    "status": (Status, {"behind": "number"}),
    "status of a source": (Level, {}),
    "synced": (Synced, {}),
    "changed": (Changed, {}),
    "skipped": (Skipped, {}),
    "place": (Place, {}),
    "excerpt": (Excerpt, {}),
    "trashed": (Trashed, {}),
    "evicted": (Evicted, {}),
    "token": (Token, {}),
    "stats": (Stats, {}),
    "limit": (LimitUse, {}),
    "access": (Access, {}),
    "cache": (CacheUse, {"rate": "number"}),
    "generation": (Spent, {}),
    "check": (Check, {}),
    "filled": (Filled, {}),
    "quarantined": (Quarantined, {}),
    "job": (Job, {}),
    "provider": (Provider, {}),
    "extracted": (Extracted, {}),
    "dropped": (Dropped, {}),
    "plan": (Plan, {}),
    "applied": (Applied, {}),
    "change": (Change, {}),
    "exported": (Exported, {}),
    "imported": (Imported, {}),
    "backed up": (BackedUp, {}),
    "restored": (Restored, {}),
    "moved": (Moved, {}),
    "certificate": (Certificate, {}),
    "removed": (Removed, {}),
}
WORDS: dict[Any, str] = {str: "text", int: "number", float: "number", bool: "true or false", datetime: "time"}
WORDS |= {NoneType: "null", Trust: "trust", Any: "any", Added: "added", Citation: "text"}
WORDS |= {kind: noun for noun, (kind, _) in NOUNS.items()}


def shape_of(noun: str) -> Shape:
    """The keys of a noun in JSON, and what stands at each."""
    if noun in MADE:
        return MADE[noun]
    kind, more = NOUNS[noun]
    return {**_fields_of(kind), **more}


def _fields_of(kind: type) -> Shape:
    """The fields of a data type, each with its type as it is in JSON."""
    hints = get_type_hints(kind)
    return {field.name: _in_json(hints[field.name]) for field in fields(kind)}


def _in_json(hint: Any) -> str:
    if hint in WORDS:
        return WORDS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(map(_in_json, arguments))
    if hint == tuple[int, int]:
        return "[first, last]"
    if origin in (tuple, list):
        return f"[{_in_json(arguments[0])}]"
    return "text" if origin is Literal else "object"


HIT = {
    "score": "number",
    "hit_confidence": "number or null",
    "likely": "true or false",
    "snippet": "text",
    "also": "[id]",
    "corrected_by": "id or null",
    "in_place_of": "id or null",
    "citations": "[cited]",
    "linked": "[link]",
}
FULL_HIT = {**_fields_of(Memory), **HIT, "why": "object", "words": "[text]", "neighbours": "[memory]"}
ADDED = {
    "id": "id", "created": "true or false", "memory": "memory", "replaced": "[id]", "similar": "[short hit]",
    "notes": "[text]",
}  # fmt: skip
OF_RESULTS = {"tiers": "[text]", "notes": "[text]", "doubtful": "true or false"}
PROJECT = {"path": "text", "trusted": "true or false", "why_not": "text or null", "foreign": "true or false"}
# Nouns that are put together for an answer.
MADE: dict[str, Shape] = {
    "added": ADDED,
    "added line": {"line": "number", **ADDED},
    "refused line": {"line": "number", "error": "text", "type": "text"},
    "refused": {"error": "text", "type": "text"},
    "full added": {**ADDED, "similar": "[hit]"},
    "short hit": {
        "id": "id", "space": "text", "kind": "text", "title": "text", "date": "day", "document": "text or null",
        "lines": "[first, last] or null", **HIT,
    },
    "hit": FULL_HIT,
    "link": {
        "source": "id", "target": "id", "word": "text", "at": "time", "actor": "text or null",
        "undone_at": "time or null", "undone_by": "text or null", "id": "id or null", "kind": "text or null",
        "title": "text or null",
    },
    "cited": {"cites": "text", "state": "text", "detail": "text"},
    "results": {"results": "[short hit]", **OF_RESULTS},
    "full results": {"results": "[hit]", **OF_RESULTS},
    "explained hit": {**FULL_HIT, "because": "[text]"},
    "explained results": {"results": "[explained hit]", **OF_RESULTS, "because": "[text]"},
    "context": {"text": "text", "tokens": "number", "ids": "[id]", "why": "object", "notes": "[text]"},
    "space": {"space": "text", "memories": "number"},
    "subject": {"subject": "text", "memories": "number"},
    "tag": {"tag": "text", "memories": "number"},
    "kind": {"kind": "text", "memories": "number", "what": "text or null"},
    "setting": {"key": "text", "value": "any", "origin": "text", "what": "text"},
    "set": {"key": "text", "value": "any", "file": "text"},
    "project": PROJECT,
    "client": {"client": "text", "title": "text", "files": "[client file]", "to_do": "text"},
    "client file": {"path": "text", "changed": "true or false", "diff": "text or null"},
    "finding": {"about": "text", "state": "text", "text": "text", "remedy": "text"},
}  # fmt: skip


def _of_records(command: str, noun: str) -> dict[str, str | Shape]:
    """The answers of the verbs that all records have."""
    verbs = ("create", "get", "update", "delete", "rollback")
    return {
        command: {command: f"[{noun}]"},
        **{f"{command} {verb}": noun for verb in verbs},
        f"{command} history": {"versions": "[version]"},
        f"{command} diff": {"differences": "[difference]"},
    }


# What a command prints with --json: a noun, or what stands at each key.
ANSWERS: dict[str, str | Shape] = {
    "add": "added",
    "add --jsonl": {"outcomes": "[added line or refused line]", "created": "number", "known": "number",
        "refused": "number"},
    "supersede": "added",
    "update": "memory",
    "confirm": "memory",
    "undelete": "memory",
    "revert": "reverted",
    "delete": {"deleted": "[id]"},
    "search": "results",
    "search --full": "full results",
    "search --explain": "explained results",
    "turns search": "full results",
    "turns add": {"turns": "[memory]"},
    "get": {"memories": "[memory]"},
    "get --around": {"excerpts": "[excerpt]"},
    "list": {"memories": "[memory]", "notes": "[text]"},
    "history": {"memories": "[memory]", "steps": "[step]", "edits": "[edit]", "links": "[link]"},
    "timeline": {"events": "[event]", "notes": "[text]"},
    "context": "context",
    "spaces": {"spaces": "[space]"},
    "subjects": {"subjects": "[subject]"},
    "kinds": {"kinds": "[kind]"},
    "tags": {"tags": "[tag]"},
    "sync": "synced",
    "sync --agents": {"found": "[place]"},
    "watch": "synced",
    "status": "status",
    "status --deep": {**_fields_of(Status), "behind": "number", "providers": "[provider]"},
    "sources": {"sources": "[source]"},
    "sources remove": "changed",
    "capture": {"turns": "[memory]"},
    "conflicts": {"conflicts": "[conflict]"},
    "link": "link",
    "unlink": {"unlinked": "number"},
    "links": {"links": "[link]"},
    "citations": {"citations": "[cited]"},
    "rate": "memory",
    "tasks": {"tasks": "[task]"},
    "tasks create": "task",
    "tasks update": "task",
    "sessions": {"sessions": "[session]"},
    "sessions start": "session",
    "sessions end": "session",
    "sessions export": {"session": "session", "turns": "[memory]"},
    "profile": {"path": "text or null", "value": "any"},
    "profile set": "version",
    "profile unset": "version",
    "profile merge": "version",
    "profile history": {"versions": "[version]"},
    "profile diff": {"differences": "[difference]"},
    "profile rollback": "version",
    **_of_records("contacts", "contact"),
    **_of_records("projects", "project record"),
    "projects sources": {"sources": "[project source]"},
    "projects set-source": "project source",
    "projects remove-source": "project record",
    **_of_records("skills", "skill"),
    "skills due": {"skills": "[skill]"},
    "skills ran": "skill",
    "skills read": "skill",
    "skills write": {"file": "text"},
    "extract": "extracted",
    "synthesise": "plan",
    "synthesise --apply": "applied",
    "stats": "stats",
    "check": "check",
    "accesses": {"accesses": "[access]"},
    "cleanup": {"would_remove": "[evicted]", "removed": "[evicted]", "notes": "[text]"},
    "trash": {"trash": "[trashed]"},
    "trash --empty": {"erased": "number"},
    "backfill": "filled",
    "reindex": "filled",
    "export": "exported",
    "export --format markdown": {"file": "text", "memories": "number"},
    "export --csv": {"file": "text", "memories": "number"},
    "import": "imported",
    "backup": "backed up",
    "restore": "restored",
    "move": "moved",
    "forget": {
        "memories": "[id]", "derived": "[id]", "session": "text or null", "certificate": "certificate or null",
    },
    "activity": {"activity": "[activity]"},
    "activity --follow": "activity",
    "events": {"changes": "[memory change]", "last": "text"},
    "events --follow": "memory change",
    "token": {"tokens": "[token]"},
    "token create": {**_fields_of(Token), "secret": "text"},
    "token revoke": "token",
    "install": {"clients": "[client]", "dry_run": "true or false"},
    "uninstall": {"clients": "[client]", "dry_run": "true or false"},
    "doctor": {"findings": "[finding]"},
    "init": {"store": "text", "created": "true or false"},
    "trust": {**PROJECT, "taken_over": "number"},
    "trust --list": {"projects": "[project]"},
    "distrust": "project",
    "config": {"settings": "[setting]", "file": "text"},
    "config KEY": "setting",
    "config KEY VALUE": "set",
    "config unset": "set",
    "completion": {"shell": "text", "script": "text"},
    "demo": {"steps": "[text]"},
}  # fmt: skip
