"""Persistent memory for AI agents: one file, offline, found by word and by meaning."""

from scrubjay.agents.context import recent
from scrubjay.api import Scrubjay
from scrubjay.errors import Invalid, NotFound, ScrubjayError
from scrubjay.memory.trash import Trashed
from scrubjay.opening import open, repair
from scrubjay.types import (
    Added,
    Check,
    Conflict,
    Context,
    Edit,
    Event,
    Evicted,
    Filled,
    History,
    Hit,
    Memory,
    Results,
    Reverted,
    Session,
    Stats,
    Step,
    Task,
)
from scrubjay.types.documents import Changed, Document, Excerpt, Level, Place, Skipped, Source, Status, Synced
from scrubjay.types.models import CacheUse, Quarantined, Spent
from scrubjay.types.tokens import Token

__all__ = [
    "Added",
    "CacheUse",
    "Changed",
    "Check",
    "Conflict",
    "Context",
    "Document",
    "Edit",
    "Event",
    "Evicted",
    "Excerpt",
    "Filled",
    "History",
    "Hit",
    "Invalid",
    "Level",
    "Memory",
    "NotFound",
    "Place",
    "Quarantined",
    "Results",
    "Reverted",
    "Scrubjay",
    "ScrubjayError",
    "Session",
    "Skipped",
    "Source",
    "Spent",
    "Stats",
    "Status",
    "Step",
    "Synced",
    "Task",
    "Token",
    "Trashed",
    "open",
    "recent",
    "repair",
]

__version__ = "0.1.0"
