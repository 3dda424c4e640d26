"""Reads the transcripts that agent clients write: only what the user and the assistant said to each other.

To add a client: parser.py says how.
"""

from __future__ import annotations

from scrubjay.sources.transcripts.jsonl import captured, read, unpacked
from scrubjay.sources.transcripts.locations import Location, guess, locations, writer_of
from scrubjay.sources.transcripts.parser import CLIENTS, ConversationState, ParsedTurns, Parser, Turn, open_parser

__all__ = [
    "CLIENTS",
    "VERSION",
    "ConversationState",
    "Location",
    "ParsedTurns",
    "Parser",
    "Turn",
    "captured",
    "guess",
    "locations",
    "open_parser",
    "read",
    "unpacked",
    "writer_of",
]

VERSION = 2  # raise it when the same file would be read differently
