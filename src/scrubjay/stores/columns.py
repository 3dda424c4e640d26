"""A row becomes a memory, and a memory a row, in this one place."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from scrubjay.errors import Damaged
from scrubjay.text import words
from scrubjay.types import Memory, first_words

__all__ = [
    "COLUMNS",
    "REPAIR",
    "from_row",
    "instant",
    "moment",
    "moment_or_none",
    "object_from",
    "path_from",
    "segmented",
    "spellings",
    "strings_from",
    "to_row",
]

REPAIR = "run `scrubjay check --deep --repair`"
UNREADABLE = (ValueError, TypeError, AttributeError, RecursionError)  # what a value that is none of ours leads to

COLUMNS = """
    id, uid, space, text, kind, title, project, subject, context, tags, metadata, source, client, actor, trust,
    confidence, importance, session, speaker, document, position, first_line, last_line, happened_at, created_at,
    updated_at, expires_at, superseded_by, superseded_at, confirmed_count, confirmed_at, used_count, used_at
"""


def from_row(row: tuple[Any, ...]) -> Memory:
    try:
        return _memory(row)
    except UNREADABLE as problem:
        raise Damaged(f"Memory {row[0]} cannot be read ({str(problem)[:100]}); {REPAIR}.") from problem


def _memory(row: tuple[Any, ...]) -> Memory:
    (
        id, uid, space, text, kind, title, project, subject, context, tags, metadata, source, client, actor, trust,
        confidence, importance, session, speaker, document, position, first_line, last_line, happened_at, created_at,
        updated_at, expires_at, superseded_by, superseded_at, confirmed_count, confirmed_at, used_count, used_at,
    ) = row  # fmt: skip
    if not isinstance(text, str):
        raise TypeError("its text is no text")
    return Memory(
        id=id,
        uid=uid,
        space=space,
        text=text,
        kind=kind,
        title=title if title is not None else first_words(text),
        project=project,
        subject=subject,
        context=context,
        tags=() if tags == "[]" else tuple(json.loads(tags)),
        metadata={} if metadata == "{}" else json.loads(metadata),
        source=source,
        client=client,
        actor=actor,
        trust=trust,
        confidence=confidence,
        importance=importance,
        session=session,
        speaker=speaker,
        document=document,
        position=position,
        lines=None if first_line is None else (first_line, last_line),
        happened_at=datetime.fromisoformat(happened_at),
        created_at=datetime.fromisoformat(created_at),
        updated_at=datetime.fromisoformat(updated_at),
        expires_at=_moment(expires_at),
        superseded_by=superseded_by,
        superseded_at=_moment(superseded_at),
        confirmed_count=confirmed_count,
        confirmed_at=_moment(confirmed_at),
        used_count=used_count,
        used_at=_moment(used_at),
    )


def to_row(memory: Memory) -> dict[str, Any]:
    """The columns of a memory that is about to be stored; its id is the store's to give."""
    first_line, last_line = memory.lines or (None, None)
    return {
        "uid": memory.uid,
        "space": memory.space,
        "project": memory.project,
        "kind": memory.kind,
        "subject": memory.subject,
        "title": memory.given_title,
        "text": memory.text,
        "context": memory.context,
        "tags": json.dumps(memory.tags, ensure_ascii=False),
        "metadata": json.dumps(memory.metadata, ensure_ascii=False),
        "source": memory.source,
        "client": memory.client,
        "actor": memory.actor,
        "trust": memory.trust,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "session": memory.session,
        "speaker": memory.speaker,
        "document": memory.document,
        "position": memory.position,
        "first_line": first_line,
        "last_line": last_line,
        "happened_at": instant(memory.happened_at),
        "created_at": instant(memory.created_at),
        "updated_at": instant(memory.updated_at),
        "expires_at": memory.expires_at and instant(memory.expires_at),
        "fingerprint": memory.fingerprint,
        "segmented": segmented(memory),
        "spellings": spellings(memory),
        "digest": memory.digest,
    }


def segmented(memory: Memory) -> str | None:
    """What is indexed in place of the text when any field is in an unspaced script."""
    others = (memory.given_title, memory.context, memory.subject, *memory.tags)
    spaced = [part for part in map(words.segment, filter(None, others)) if part]
    text = words.segment(memory.text)
    return "\n".join([text or memory.text, *spaced]) if text or spaced else None


def spellings(memory: Memory) -> str | None:
    """What is indexed besides the fields' own words."""
    text = "\n".join(filter(None, (memory.given_title, memory.text, memory.context, memory.subject, *memory.tags)))
    named = [memory.speaker] if memory.speaker and memory.said != memory.text else []
    return "\n".join([*named, *words.parts(text), *words.respelt(text)]) or None


def instant(moment: datetime) -> str:
    """Text that sorts as time does."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except UNREADABLE as problem:
        raise Damaged(f"A time in the memory cannot be read ({str(problem)[:100]}); {REPAIR}.") from problem


def moment_or_none(text: str | None) -> datetime | None:
    return moment(text) if text else None


def strings_from(text: str) -> tuple[str, ...]:
    """A JSON array of strings."""
    found = _json(text)
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise Damaged(f"A list in the memory cannot be read; {REPAIR}.")
    return tuple(found)


def path_from(text: Any) -> str:
    """The name of a file or folder."""
    if not isinstance(text, str) or "\0" in text:
        raise Damaged(f"The path of a source or document in the memory cannot be read; {REPAIR}.")
    return text


def object_from(text: str) -> dict[str, Any]:
    """A JSON object."""
    found = _json(text)
    if not isinstance(found, dict):
        raise Damaged(f"A row of the memory cannot be read; {REPAIR}.")
    return found


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except UNREADABLE:
        return None
