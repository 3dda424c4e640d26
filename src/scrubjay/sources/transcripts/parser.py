"""The contract of a client's parser, and the nouns it speaks in; each parser is imported only when named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from importlib import import_module
from typing import Any, Protocol, TypeAlias

from scrubjay.errors import Invalid
from scrubjay.text.secret_scan import redact

__all__ = ["CLIENTS", "Parser", "Record", "Talk", "Told", "Turn", "open_parser"]

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
    """What one side said, as a person would call it."""

    speaker: str  # "user" or "assistant"
    text: str
    at: datetime | None  # UTC
    session: str | None  # the client's session id
    cwd: str | None  # where the agent worked


@dataclass(slots=True)
class Talk:
    """What earlier lines of a transcript told: kept between two readings of a growing file."""

    session: str | None = None
    cwd: str | None = None
    begun: bool = False  # something of the file was read
    aside: bool = False  # an agent talking to an agent: nothing in this file is for a person
    answered: bool = False  # the assistant spoke since the user did
    partial: bool = False  # the assistant's words come in pieces
    saying: list[str] = field(default_factory=list)  # what is being said, until it is known to be whole
    saying_at: str | float | None = None
    seen: dict[str, None] = field(default_factory=dict)  # the records told last, so that none is told twice
    private: int = 0  # in how many private parts the conversation is

    def to_json(self) -> dict[str, Any]:
        """As it may be stored: nothing of what was said, and of a name with a secret in it only that there was one."""
        names = {name: value and redact(value) for name, value in (("session", self.session), ("cwd", self.cwd))}
        whole = {**asdict(self), **names, "seen": list(self.seen)}
        return {name: value for name, value in whole.items() if name not in ("saying", "saying_at")}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Talk:
        known = {field.name: given[field.name] for field in fields(cls) if field.name in given}
        return cls(**{**known, "seen": dict.fromkeys(given.get("seen", ()))})


class Parser(Protocol):
    """Understands the records of one client, be they from its transcript or from a run without a screen."""

    talk: Talk

    def read(self, record: Record) -> Iterable[Turn]:
        """What one record of the file or stream tells: often nothing, and never an error."""

    def end(self) -> Iterable[Turn]:
        """What was still being said when a piped stream ended."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a stretch of a transcript said."""

    turns: tuple[Turn, ...]
    consumed: int  # bytes that need not be read again: not what is still being said, nor a half-written line
    bad: int  # lines that are no record
    left_out: int = 0  # turns after a <private> that is not closed yet


def open_parser(client: str, talk: Talk | None = None) -> Parser:
    """The parser of that client's records; with an earlier talk it goes on where that one ended."""
    if client not in MODULES:
        raise Invalid(f"There is no client {client!r} whose transcripts can be read; use one of {', '.join(CLIENTS)}.")
    opened: Parser = import_module(MODULES[client]).Transcript(talk or Talk())
    return opened
