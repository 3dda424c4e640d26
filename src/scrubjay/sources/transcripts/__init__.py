"""Transcripts that agent clients write, read as what a person would call the conversation."""

from __future__ import annotations

from scrubjay.sources.transcripts.jsonl import captured, read, unpacked
from scrubjay.sources.transcripts.locations import Place, guess, places
from scrubjay.sources.transcripts.parser import CLIENTS, Parser, Talk, Told, Turn, open_parser

__all__ = [
    "CLIENTS",
    "VERSION",
    "Parser",
    "Place",
    "Talk",
    "Told",
    "Turn",
    "captured",
    "guess",
    "open_parser",
    "places",
    "read",
    "unpacked",
]

VERSION = 1  # changes when the same file would be read differently
