"""The contract of a client's parser, and its types; each parser is imported only when it is needed.

To add a client: a file with its parser, its name in `MODULES`, and where it keeps its transcripts in locations.py.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from importlib import import_module
from typing import Any, Protocol, TypeAlias

from scrubjay.errors import Invalid
from scrubjay.text.secret_scan import redact
from scrubjay.text.secret_scan.quoting import quoted
from scrubjay.types.documents import SessionNotes

__all__ = ["CLIENTS", "ConversationState", "ParsedTurns", "Parser", "Record", "Turn", "open_parser"]

Record: TypeAlias = Mapping[str, Any]

MODULES = {
    "claude-code": "scrubjay.sources.transcripts.claude_code",
    "codex": "scrubjay.sources.transcripts.codex",
    "gemini": "scrubjay.sources.transcripts.gemini",
    "cursor": "scrubjay.sources.transcripts.cursor",
    "openclaw": "scrubjay.sources.transcripts.openclaw",
}
CLIENTS: tuple[str, ...] = tuple(MODULES)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation: what the user typed, or what the assistant answered."""

    speaker: str  # "user" or "assistant"
    text: str
    at: datetime | None  # UTC
    session: str | None  # the client's session id
    cwd: str | None  # where the agent worked
    kind: str = "turn"  # or summary: the client's own, of what it has compacted
    headless: bool = False  # no person was there: a program asked


@dataclass(slots=True)
class ConversationState:
    """What the parser must remember between two readings of a growing file. Stored: its field names must not change."""

    session: str | None = None
    cwd: str | None = None
    begun: bool = False  # a part of the file was read before
    headless: bool = False  # a program asks, and no person is there
    aside: bool = False  # an agent talks to an agent: no turn of this file is kept
    answered: bool = False  # the last turn was the assistant's
    partial: bool = False  # the assistant's answers come in pieces
    pieces: list[str] = field(default_factory=list)  # of an answer that is not complete yet; never stored
    pieces_at: str | float | None = None
    seen: dict[str, None] = field(default_factory=dict)  # hashes of recent records, so that none becomes a turn twice
    # Of those hashes, so that they cannot be compared with a list of guesses, or with those of another file.
    hashed_with: str = field(default_factory=lambda: os.urandom(16).hex(), compare=False)
    private: int = 0  # how many <private> tags are open
    has_private: bool = False  # something was private: a title that the client makes may tell it
    named: bool = False  # the user has given the session its title
    notes: dict[str, SessionNotes] = field(default_factory=dict)  # by session, of this reading; never stored here

    def to_json(self) -> dict[str, Any]:
        """The part that may be stored: no text of the conversation, and names with their secrets redacted."""
        names = {name: value and redact(value) for name, value in (("session", self.session), ("cwd", self.cwd))}
        whole = {**asdict(self), **names, "seen": list(self.seen)}
        return {name: value for name, value in whole.items() if name not in ("pieces", "pieces_at", "notes")}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> ConversationState:
        known = {field.name: given[field.name] for field in fields(cls) if field.name in given}
        state = cls(**{**known, "seen": dict.fromkeys(given.get("seen", ()))})
        if "hashed_with" not in given:  # an older version kept plain hashes
            state.seen = {state.keyed(plain): None for plain in state.seen}
        return state

    def keyed(self, digest: str) -> str:
        return hmac.digest(self.hashed_with.encode(), digest.encode(), "sha256")[:6].hex()


class Parser(Protocol):
    """Reads the records of one client, from its transcript or from the output of a headless run."""

    state: ConversationState

    def read(self, record: Record) -> Iterable[Turn]:
        """The turns in one record of the file or stream: often none. Never raises."""

    def end(self) -> Iterable[Turn]:
        """The turn that was not complete when a piped stream ended."""


@dataclass(frozen=True, slots=True)
class ParsedTurns:
    """The turns in a part of a transcript."""

    turns: tuple[Turn, ...]
    consumed: int  # bytes that need not be read again: without an incomplete answer or a half-written line
    bad: int  # lines that are not records
    left_out: int = 0  # turns after a <private> that is not closed yet
    notes: tuple[SessionNotes, ...] = ()


def open_parser(client: str, state: ConversationState | None = None) -> Parser:
    """The parser of that client's records; with an earlier state it continues where that one ended."""
    if client not in MODULES:
        raise Invalid(
            f"There is no client {quoted(client)} whose transcripts can be read; use one of {', '.join(CLIENTS)}."
        )
    opened: Parser = import_module(MODULES[client]).Transcript(state or ConversationState())
    return opened
