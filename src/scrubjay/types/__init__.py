"""The data types that every room shares: plain frozen dataclasses, one file per subject."""

from scrubjay.types.agents import Context, Event, Priority, Session, Status, Task
from scrubjay.types.answers import Added, Hit, Results
from scrubjay.types.history import Conflict, Edit, History, Reverted, Step
from scrubjay.types.memories import (
    DEFAULT_SPACE,
    KINDS_CUT_FROM_A_SOURCE,
    TITLE_CHARACTERS,
    TRUST,
    Memory,
    Trust,
    first_words,
)
from scrubjay.types.models import Filled, Model
from scrubjay.types.queries import WEIGHTS, Filter, Fusion, Mode, Query, RankingFields
from scrubjay.types.reports import Check, Evicted, Limits, Stats

__all__ = [
    "DEFAULT_SPACE",
    "KINDS_CUT_FROM_A_SOURCE",
    "TITLE_CHARACTERS",
    "TRUST",
    "WEIGHTS",
    "Added",
    "Check",
    "Conflict",
    "Context",
    "Edit",
    "Event",
    "Evicted",
    "Filled",
    "Filter",
    "Fusion",
    "History",
    "Hit",
    "Limits",
    "Memory",
    "Mode",
    "Model",
    "Priority",
    "Query",
    "RankingFields",
    "Results",
    "Reverted",
    "Session",
    "Stats",
    "Status",
    "Step",
    "Task",
    "Trust",
    "first_words",
]
