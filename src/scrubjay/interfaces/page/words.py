"""Sentences about a memory, for people: where it came from, and what its kind is for."""

from __future__ import annotations

from functools import cache

from scrubjay.clients import NAMES, load
from scrubjay.dates.timestamps import in_local_time
from scrubjay.text.kinds import DESCRIPTIONS
from scrubjay.types import Memory

__all__ = ["about_kind", "client_title", "provenance", "size"]

WAYS = {"manual": "", "mcp": "over MCP", "api": "over the API", "page": "on this page", "hook": "by a hook"}
WAYS_OF_PEOPLE = ("manual", "page")  # whose client says no more
BYTES = ("bytes", "KB", "MB", "GB", "TB")


@cache
def _titles() -> dict[str, str]:
    return {name: load(name).title for name in NAMES}


def client_title(client: str | None) -> str:
    """The name of an agent client as people write it."""
    return _titles().get(client or "", client or "")


def about_kind(kind: str) -> str:
    return DESCRIPTIONS.get(kind, "")


def provenance(memory: Memory) -> str:
    """Who said it, where, on which day and in which project, in one sentence."""
    at = in_local_time(memory.happened_at)
    parts = [_who(memory), _where(memory), f"on {at.day} {at:%B %Y}"]
    parts += [f"in project {memory.project}"] if memory.project else []
    return " ".join(filter(None, parts)) + "."


def _who(memory: Memory) -> str:
    if memory.kind == "turn":
        return f"Said by {memory.speaker or 'someone'}"
    if memory.kind == "passage" and memory.document:
        lines = f", lines {memory.lines[0]} to {memory.lines[1]}" if memory.lines else ""
        return f"Cut from {memory.document}{lines}"
    who = {"user": "the user", "agent": "an agent", "external": "somebody else"}[memory.trust]
    named = f" ({memory.actor})" if memory.actor and memory.actor not in (memory.client, memory.source) else ""
    return f"Said by {who}{named}"


def _where(memory: Memory) -> str:
    if memory.source.startswith("extract"):
        return "and extracted from a conversation"
    way, _, _ = memory.source.partition(":")
    return f"in {client_title(memory.client)}" if memory.client and way not in WAYS_OF_PEOPLE else WAYS.get(way, "")


def size(number: float) -> str:
    """A number of bytes, as people write it."""
    for unit in BYTES:
        if number < 1000 or unit == BYTES[-1]:
            return f"{number:,.0f} {unit}" if unit == "bytes" or number >= 10 else f"{number:,.1f} {unit}"
        number /= 1000
    raise AssertionError
