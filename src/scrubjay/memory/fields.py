"""What a caller may say of a memory: each field checked, and nothing let in that must not reach the disk."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict, cast, get_args

from scrubjay.dates.phrases import deadline, first_moment
from scrubjay.dates.timestamps import Moment
from scrubjay.errors import Invalid
from scrubjay.memory.arguments import count, whole_text
from scrubjay.text import secret_scan
from scrubjay.text.kinds import kind_of
from scrubjay.types import KINDS_CUT_FROM_A_SOURCE, Memory, Trust, first_words, limits

__all__ = [
    "FIELDS",
    "Fields",
    "TurnFields",
    "admitted",
    "checked",
    "compose",
    "loggable",
    "long_text",
    "masked",
    "nameable",
    "short_text",
]

LOOKED_THROUGH, LOGGED = 20_000, 200  # characters of a question
KIND = re.compile(r"[a-z][a-z0-9_-]{0,49}")
NAMED_BY = ("name", "key", "id", "variable")  # the key of a pair whose other key is "value"
SECRET = (
    "This holds what looks like a secret ({}); nothing was stored. Store it redacted with --redact (elsewhere: redact),"
    " or keep it once with --allow-secret, typed at a terminal."
)
NEAR_CHARACTERS = 60
SECRET_NAME = "{} cannot hold what looks like a secret ({}); give another."


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


def compose(
    text: str,
    space: str,
    now: datetime,
    fields: Mapping[str, Any],
    *,
    turn: bool = False,
    secrets: str = "refuse",
    secrets_in_text: str | None = None,
) -> Memory:
    """A memory, not stored yet, of what a caller gave. Raises `Invalid` with a sentence for what is wrong.

    The text may have a policy for secrets of its own.
    """
    allowed = FIELDS | {"speaker", "position"} if turn else FIELDS
    if unknown := sorted(set(fields) - allowed):
        raise Invalid(f"A memory has no field {unknown[0]!r}; it has {', '.join(sorted(allowed))}.")
    if secrets != "off":
        admitted(fields.get("kind"), "refuse")  # before a sentence about it could repeat it
    given = {name: checked(name, value, now) for name, value in fields.items() if value is not None}
    kind = given.pop("kind", "turn" if turn else None)
    policy = "redact" if secrets == "refuse" and kind in KINDS_CUT_FROM_A_SOURCE else secrets
    given = {name: kept for name, value in given.items() if (kept := admitted(value, policy)) != ""}
    text = _text(admitted(_text(text), secrets_in_text or policy))
    return Memory(
        id=0,
        uid=os.urandom(16).hex(),
        space=space,
        text=text,
        kind=kind or kind_of(text),
        title=given.pop("title", None) or first_words(text),
        happened_at=given.pop("happened_at", now),
        created_at=now,
        updated_at=now,
        **given,
    )


def admitted(value: Any, secrets: str) -> Any:
    """What may be stored of a value, however deep: no private part, and no secret unless the guard is off."""
    try:
        return _admitted(value, secrets)
    except RecursionError:
        raise Invalid("This is nested too deeply to be stored; make it flatter.") from None


def masked(document: str, secrets: str) -> str:
    """A document as it may be cut and shown, line for line: a part of a secret no longer tells that it is one."""
    public = secret_scan.without_private(document, lines=True)
    return public if secrets == "off" else secret_scan.redact(public, lines=True)


def loggable(question: str) -> str:
    """What the access log may hold of a question: guarded before it is cut, so that no part of a secret is left."""
    return secret_scan.redact(secret_scan.without_private(question[:LOOKED_THROUGH]))[:LOGGED]


def nameable(what: str, name: str) -> str:
    """A name that is stored as it is, and so must hold no secret whatever the guard is set to."""
    if found := secret_scan.find_secrets(name):
        raise Invalid(SECRET_NAME.format(what, _described(found[0])))
    return name


def _admitted(value: Any, secrets: str, key: str = "") -> Any:
    """`key` is what the value stands under, also from outside of a list or of an object."""
    if isinstance(value, str):
        return _admitted_named(key, _admitted_text(value, secrets), secrets)
    if isinstance(value, Mapping):
        return _admitted_object(value, secrets, key)
    if isinstance(value, list | tuple):
        items = [kept for item in value if (kept := _admitted(item, secrets, key)) != "" or item == ""]
        return items if isinstance(value, list) else tuple(items)
    return _admitted_named(key, value, secrets)


def _admitted_object(given: Mapping[Any, Any], secrets: str, outer: str) -> dict[Any, Any]:
    """Each value together with its keys, which may tell that it is a secret: {"credentials": {"value": …}}."""
    pairs = [(_admitted(key, secrets), item) for key, item in given.items()]
    return {
        key: _admitted(item, secrets, "_".join(filter(None, (outer, _name_of(key, given)))))
        for key, item in pairs
        if key != ""
    }


def _name_of(key: Any, given: Mapping[Any, Any]) -> str:
    """Of the value in {"name": "DB_PASSWORD", "value": …} what it is called; else its key."""
    if str(key).lower() != "value":
        return str(key)
    names = [name for own, name in given.items() if str(own).lower() in NAMED_BY and isinstance(name, str)]
    return names[0] if names else str(key)


def _admitted_named(key: str, value: Any, secrets: str) -> Any:
    if not key or secrets == "off" or isinstance(value, bool) or not isinstance(value, str | int):
        return value
    found = secret_scan.find_secrets(f'{key}: "{value}"')
    if found and secrets == "refuse":
        raise Invalid(SECRET.format(_described(found[0])))
    return f"[redacted: {found[0].kind}]" if found else value


def _admitted_text(text: str, secrets: str) -> str:
    public = secret_scan.without_private(text)
    if secrets == "off":
        return public
    if secrets == "redact":
        return secret_scan.redact(public)
    if found := secret_scan.find_secrets(public):
        raise Invalid(SECRET.format(_described(found[0])))
    return public


def _described(found: secret_scan.Finding) -> str:
    """Of what kind it is and which words stand beside it; never the secret itself."""
    near = found.near[-NEAR_CHARACTERS:]
    return f'{found.kind}, near "{near}"' if near else found.kind


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
        return count(name, value)
    if name == "happened_at":
        return first_moment(value, name, now)
    if name == "expires_at":
        return _expiry(value, now)
    if name == "context":
        return long_text(name, value, limits.CONTEXT_CHARACTERS)
    return short_text(name, value)


def _text(text: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise Invalid("The text is empty; say what to remember.")
    return long_text("text", text)


def long_text(name: str, value: Any, most: int = limits.TEXT_CHARACTERS) -> str:
    text = whole_text(name, value)
    if len(text) > most:
        raise limits.too_long(name, len(text), most)
    return text


def short_text(name: str, value: Any, most: int = limits.SHORT_CHARACTERS) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > most:
        raise Invalid(f"{name} must be text of 1 to {most} characters.")
    return long_text(name, value).strip()


def _kind(value: Any) -> str:
    kind = value.strip().lower() if isinstance(value, str) else ""
    if not KIND.fullmatch(kind):
        raise Invalid(
            f"{str(value)[:40]!r} is no kind; use one lower-case word, e.g. fact, preference, decision or task."
        )
    return kind


def _tags(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Invalid('tags must be a list of words, e.g. ["ui", "theme"].')
    limits.check_tags(value)
    return tuple(dict.fromkeys(short_text("A tag", tag, limits.TAG_CHARACTERS) for tag in value))


def check_metadata(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Invalid('metadata must be a JSON object, e.g. {"ticket": 7}.')
    try:
        plain = json.loads(whole_text("metadata", json.dumps(dict(value), ensure_ascii=False, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(f"metadata must be plain JSON: {problem}.") from None
    limits.check_metadata(plain)
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


def _expiry(value: Any, now: datetime) -> datetime:
    moment = deadline(value, "expires_at", now)
    if moment <= now:
        raise Invalid(f"expires_at lies in the past ({moment:%Y-%m-%d %H:%M} UTC); give a later time.")
    return moment
