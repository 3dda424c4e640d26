"""Persistent memory for AI agents: one file, offline, found by word and by meaning."""

from scrubjay.context import recent
from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.jay import Scrubjay, open
from scrubjay.types import (
    Added,
    Check,
    Conflict,
    Context,
    Event,
    Evicted,
    Filled,
    History,
    Hit,
    Memory,
    Results,
    Session,
    Stats,
    Step,
    Task,
    Token,
)

__all__ = [
    "Added",
    "Check",
    "Conflict",
    "Context",
    "Event",
    "Evicted",
    "Filled",
    "History",
    "Hit",
    "Invalid",
    "Memory",
    "NotFound",
    "Results",
    "Scrubjay",
    "ScrubjayError",
    "Session",
    "Stats",
    "Step",
    "Task",
    "Token",
    "open",
    "recent",
]

__version__ = "0.1.0"
