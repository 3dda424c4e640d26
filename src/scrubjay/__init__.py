"""Persistent memory for AI agents: one file, offline, found by word and by meaning."""

TYPE_CHECKING = False  # importing typing for it would take longer than all that a hook needs
if TYPE_CHECKING:
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
    from scrubjay.types.agents import Activity
    from scrubjay.types.documents import Changed, Document, Excerpt, Level, Place, Skipped, Source, Status, Synced
    from scrubjay.types.models import CacheUse, Quarantined, Spent
    from scrubjay.types.tokens import Token

__all__ = [
    "Activity",
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

# The module of each name. It is imported when the name is first used: a hook, which runs at every prompt, needs none.
MODULES = {
    "agents.context": "recent",
    "api": "Scrubjay",
    "errors": "Invalid NotFound ScrubjayError",
    "memory.trash": "Trashed",
    "opening": "open repair",
    "types": "Added Check Conflict Context Edit Event Evicted Filled History Hit Memory Results Reverted Session Stats"
    " Step Task",
    "types.agents": "Activity",
    "types.documents": "Changed Document Excerpt Level Place Skipped Source Status Synced",
    "types.models": "CacheUse Quarantined Spent",
    "types.tokens": "Token",
}

if not TYPE_CHECKING:  # a type checker reads the imports above

    def _hint(name):
        from scrubjay.api import Scrubjay

        if name.startswith("_") or not hasattr(Scrubjay, name):
            return ""
        return f"; it belongs to an open memory: with scrubjay.open() as jay: jay.{name}(…)"

    def __getattr__(name):
        from importlib import import_module

        module = next((module for module, names in MODULES.items() if name in names.split()), None)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_hint(name)}")
        found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
        return found
