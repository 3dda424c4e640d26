"""The write path: check what was given, see whether it is known, embed it, store it."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, cast, get_args

from scrubjay.embedders import Embedder
from scrubjay.embedding import Progress, embed_memories
from scrubjay.errors import EmbedderUnavailable, Invalid
from scrubjay.kinds import kind_of
from scrubjay.stores import Store
from scrubjay.times import Moment, end_of, start_of
from scrubjay.types import Added, Memory, Model, Trust, first_words

if TYPE_CHECKING:
    from scrubjay.embedders import Matrix

__all__ = ["FIELDS", "Fields", "TurnFields", "add", "check_metadata", "checked", "compose", "space_name"]

TEXT_CHARACTERS = 1_000_000
SHORT_CHARACTERS = 500
NAME = re.compile(r"[\w][\w.@:+-]{0,99}")
KIND = re.compile(r"[a-z][a-z0-9_-]{0,49}")


class Fields(TypedDict, total=False):
    """What may be said of a memory besides its text."""

    kind: str | None
    subject: str | None
    title: str | None
    context: str | None
    tags: Sequence[str]
    metadata: Mapping[str, Any]
    source: str
    client: str | None
    actor: str | None
    trust: Trust
    importance: int
    confidence: float
    happened_at: Moment | None
    expires_at: Moment | None
    project: str | None
    session: str | None


class TurnFields(Fields, total=False):
    """What may be said of a turn of a conversation."""

    text: str
    speaker: str | None
    position: int


FIELDS = frozenset(Fields.__annotations__)


def compose(text: str, space: str, now: datetime, fields: Mapping[str, Any], *, turn: bool = False) -> Memory:
    """A memory, not stored yet, of what a caller gave. Raises `Invalid` with a sentence for what is wrong."""
    allowed = FIELDS | {"speaker", "position"} if turn else FIELDS
    if unknown := sorted(set(fields) - allowed):
        raise Invalid(f"A memory has no field {unknown[0]!r}; it has {', '.join(sorted(allowed))}.")
    given = {name: checked(name, value, now) for name, value in fields.items() if value is not None}
    text = _text(text)
    return Memory(
        id=0,
        uid=os.urandom(16).hex(),
        space=space,
        text=text,
        kind=given.pop("kind", None) or ("turn" if turn else kind_of(text)),
        title=given.pop("title", None) or first_words(text),
        happened_at=given.pop("happened_at", now),
        created_at=now,
        updated_at=now,
        **given,
    )


def add(
    store: Store,
    embedder: Embedder | None,
    model: Model | None,
    memories: Sequence[Memory],
    *,
    replaces: int | None = None,
    progress: Progress | None = None,
) -> list[Added]:
    """Store memories in one transaction, embedding only those that are new."""
    known = store.known(memories)
    fresh = [memory for memory, before in zip(memories, known, strict=True) if before is None]
    vectors, problem = _vectors(embedder, fresh, progress)
    made = iter(vectors)
    stored = store.put(memories, [next(made) if before is None else None for before in known], model, replaces)
    note = f"Stored without a vector, so found by words only until `scrubjay backfill`: {problem}" if problem else None
    return [Added(memory, created, notes=(note,) if note and created else ()) for memory, created in stored]


def _vectors(
    embedder: Embedder | None, memories: Sequence[Memory], progress: Progress | None
) -> tuple[Sequence[Matrix | None], str | None]:
    if embedder is None or not memories:
        return [None] * len(memories), None
    try:
        return embed_memories(embedder, memories, progress)
    except EmbedderUnavailable as problem:
        return [None] * len(memories), str(problem)


def checked(name: str, value: Any, now: datetime) -> Any:
    """One field, in the form it is stored in."""
    if name == "kind":
        return _kind(value)
    if name == "tags":
        return _tags(value)
    if name == "metadata":
        return check_metadata(value)
    if name == "importance":
        return _importance(value)
    if name == "confidence":
        return _confidence(value)
    if name == "trust":
        return _trust(value)
    if name == "position":
        return _position(value)
    if name == "happened_at":
        return start_of(value, name)
    if name == "expires_at":
        return _expiry(value, now)
    return _long(name, value) if name == "context" else _short(name, value)


def space_name(space: str) -> str:
    if not isinstance(space, str) or not NAME.fullmatch(space):
        raise Invalid(f"{space!r} is no name for a space; use letters, digits and . _ - @ : + (no slash, no blank).")
    return space


def _text(text: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise Invalid("The text is empty; say what to remember.")
    return _long("text", text)


def _long(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise Invalid(f"{name} must be text, not {type(value).__name__}.")
    if len(value) > TEXT_CHARACTERS:
        raise Invalid(f"{name} is {len(value):,} characters long; at most {TEXT_CHARACTERS:,} fit in one memory.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Invalid(f"{name} holds half a character (a lone surrogate); decode it before adding it.") from None
    return value


def _short(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > SHORT_CHARACTERS:
        raise Invalid(f"{name} must be text of 1 to {SHORT_CHARACTERS} characters.")
    return _long(name, value).strip()


def _kind(value: Any) -> str:
    kind = value.strip().lower() if isinstance(value, str) else ""
    if not KIND.fullmatch(kind):
        raise Invalid(f"{value!r} is no kind; use one lower-case word, e.g. fact, preference, decision or task.")
    return kind


def _tags(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Invalid('tags must be a list of words, e.g. ["ui", "theme"].')
    return tuple(dict.fromkeys(_short("A tag", tag) for tag in value))


def check_metadata(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Invalid('metadata must be a JSON object, e.g. {"ticket": 7}.')
    try:
        plain = json.loads(_long("metadata", json.dumps(dict(value), ensure_ascii=False, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(f"metadata must be plain JSON: {problem}.") from None
    return cast("dict[str, Any]", plain)


def _importance(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10:
        raise Invalid(f"importance must be a whole number from 1 to 10, not {value!r}.")
    return value


def _confidence(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or not 0 <= value <= 1:
        raise Invalid(f"confidence must be a number from 0 to 1, not {value!r}.")
    return float(value)


def _trust(value: Any) -> Trust:
    if value not in get_args(Trust):
        raise Invalid(f"trust must be user, agent or external, not {value!r}.")
    return cast("Trust", value)


def _position(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Invalid(f"position must be a whole number from 0 on, not {value!r}.")
    return value


def _expiry(value: Any, now: datetime) -> datetime:
    moment = end_of(value, "expires_at")
    if moment <= now:
        raise Invalid(f"expires_at lies in the past ({moment:%Y-%m-%d %H:%M} UTC); give a later time.")
    return moment
