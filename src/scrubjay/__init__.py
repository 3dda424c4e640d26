"""Persistent memory for AI agents: one file, offline, found by word and by meaning."""

TYPE_CHECKING = False  # importing typing for it would take longer than all that a hook needs
if TYPE_CHECKING:
    from scrubjay.adapters.tools import Tools, tools
    from scrubjay.agents.context import recent
    from scrubjay.api import Scrubjay
    from scrubjay.async_api import AsyncScrubjay, aopen
    from scrubjay.errors import Invalid, NotFound, ScrubjayError
    from scrubjay.memory.trash import Trashed
    from scrubjay.opening import move, open, repair, restore
    from scrubjay.records import Contact, Difference, Project, ProjectSource, Skill, Version
    from scrubjay.types import Added, Hit, Memory, Results
    from scrubjay.types.agents import Activity, Context, Event, Session, Task
    from scrubjay.types.documents import Changed, Document, Excerpt, Level, Place, Skipped, Source, Status, Synced
    from scrubjay.types.history import Conflict, Edit, History, MemoryChange, Reverted, Step
    from scrubjay.types.models import CacheUse, Filled, Quarantined, Spent
    from scrubjay.types.reports import Access, Check, Cleaned, Evicted, Stats
    from scrubjay.types.tokens import Token

__all__ = [
    "Access",
    "Activity",
    "Added",
    "AsyncScrubjay",
    "CacheUse",
    "Changed",
    "Check",
    "Cleaned",
    "Conflict",
    "Contact",
    "Context",
    "Difference",
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
    "MemoryChange",
    "NotFound",
    "Place",
    "Project",
    "ProjectSource",
    "Quarantined",
    "Results",
    "Reverted",
    "Scrubjay",
    "ScrubjayError",
    "Session",
    "Skill",
    "Skipped",
    "Source",
    "Spent",
    "Stats",
    "Status",
    "Step",
    "Synced",
    "Task",
    "Token",
    "Tools",
    "Trashed",
    "Version",
    "aopen",
    "move",
    "open",
    "recent",
    "repair",
    "restore",
    "tools",
]

__version__ = "0.1.0"

# The module of each name. It is imported when the name is first used: a hook, which runs at every prompt, needs none.
MODULES = {
    "adapters.tools": "Tools tools",
    "agents.context": "recent",
    "api": "Scrubjay",
    "async_api": "AsyncScrubjay aopen",
    "errors": "Invalid NotFound ScrubjayError",
    "memory.trash": "Trashed",
    "opening": "move open repair restore",
    "records": "Contact Difference Project ProjectSource Skill Version",
    "types": "Added Hit Memory Results",
    "types.agents": "Activity Context Event Session Task",
    "types.documents": "Changed Document Excerpt Level Place Skipped Source Status Synced",
    "types.history": "Conflict Edit History MemoryChange Reverted Step",
    "types.models": "CacheUse Filled Quarantined Spent",
    "types.reports": "Access Check Cleaned Evicted Stats",
    "types.tokens": "Token",
}

if not TYPE_CHECKING:  # a type checker reads the imports above

    def _hint(name):
        from importlib.util import find_spec

        if find_spec(f"{__name__}.{name}"):  # Python asks here before it imports a module of ours
            return ""
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
