"""Persistent memory for AI agents: one file, offline, found by word and by meaning."""

from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.jay import Scrubjay, open
from scrubjay.types import Added, Check, Filled, Hit, Memory, Results, Stats

__all__ = [
    "Added",
    "Check",
    "Filled",
    "Hit",
    "Invalid",
    "Memory",
    "NotFound",
    "Results",
    "Scrubjay",
    "ScrubjayError",
    "Stats",
    "open",
]

__version__ = "0.1.0"
