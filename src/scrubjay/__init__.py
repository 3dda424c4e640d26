"""Persistent memory for AI agents: one file, offline, found by word and by meaning."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    "open",
    "recent",
]

__version__ = "0.1.0"

HOMES = {
    "Scrubjay": "jay",
    "open": "jay",
    "Invalid": "errors",
    "NotFound": "errors",
    "ScrubjayError": "errors",
    "recent": "context",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: the command line starts loading its model before all of this."""
    if name not in __all__:
        raise AttributeError(f"module 'scrubjay' has no attribute {name!r}")
    value = getattr(import_module(f"scrubjay.{HOMES.get(name, 'types')}"), name)
    globals()[name] = value
    return value
