"""A text that is said again: what the known memory takes over from it, what not, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from scrubjay.dates.timestamps import in_local_time
from scrubjay.types import TRUST, Memory, trust
from scrubjay.types.memories import NARRATION

__all__ = ["merged", "needs_vectors", "notes"]

TAKEN = ("title", "context", "importance", "confidence", "expires_at")  # as an update would
KEPT = ("text", "speaker", "project", "source", "session", "happened_at")  # of the first time it was said
CHANGED = "{id} was known; changed as given: {names}."
LESS_TRUSTED = "Not taken: {names}. {id} came from the {trust}; `update {id}` changes it."
FIRST_TIME = "Not taken: {names}. {id} keeps what it had when it was first said."
EXPIRES = "{id} still expires, on {day:%Y-%m-%d}; `update {id} --clear expires` keeps it."


def merged(known: Memory, again: Memory, given: Collection[str] = ()) -> Memory:
    """The known memory with what was given again; someone less trusted adds what is missing and changes nothing."""
    weaker = trust.outranks(known, again.trust)
    metadata = {**again.metadata, **known.metadata} if weaker else {**known.metadata, **again.metadata}
    taken = {} if weaker else {name: getattr(again, name) for name in TAKEN if name in given}
    return replace(
        known,
        **taken,
        tags=tuple(dict.fromkeys((*known.tags, *again.tags))),
        aliases=tuple(dict.fromkeys((*known.aliases, *again.aliases))),
        cites=tuple({str(one): one for one in (*known.cites, *again.cites)}.values()),
        paths=tuple(dict.fromkeys((*known.paths, *again.paths))),
        metadata=metadata,
        trust=max(known.trust, again.trust, key=TRUST.index),
        updated_at=again.created_at,
    )


def needs_vectors(known: Memory | None, again: Memory) -> bool:
    """Whether a text must be embedded: it is new, or known but given another title, which is embedded, too."""
    if again.kind == "turn" and NARRATION in again.tags:
        return False
    return known is None or (again.given_title is not None and again.given_title != known.given_title)


def notes(before: Memory | None, after: Memory, again: Memory, given: Collection[str]) -> tuple[str, ...]:
    """What to tell the caller: names of fields, never what they hold, since a caller may write but not read."""
    return tuple(_notes(before, after, again, {*given, "text"}))


def _notes(before: Memory | None, after: Memory, again: Memory, given: Collection[str]) -> Iterator[str]:
    if changed := [name for name in TAKEN if before and _differ(before, after, name)]:
        yield CHANGED.format(id=after.id, names=", ".join(changed))
    refused = [name for name in TAKEN if name in given and _differ(after, again, name)]
    refused += [f"metadata {key}" for key, value in again.metadata.items() if after.metadata[key] != value]
    if refused:
        yield LESS_TRUSTED.format(id=after.id, names=", ".join(refused), trust=after.trust)
    if kept := [name for name in KEPT if name in given and _differ(after, again, name)]:
        yield FIRST_TIME.format(id=after.id, names=", ".join(kept))
    if after.expires_at is not None and "expires_at" not in given:
        yield EXPIRES.format(id=after.id, day=in_local_time(after.expires_at))


def _differ(one: Memory, other: Memory, name: str) -> bool:
    if name == "text":  # of a turn, which is known by its place; elsewhere texts differ in blanks at most
        return one.kind == "turn" and one.text != other.text
    return bool(getattr(one, name) != getattr(other, name))
