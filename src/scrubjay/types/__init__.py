"""The data types that every room shares: plain frozen dataclasses, one file per subject.

What only some processes need, such as reports, is imported from its own file: making a dataclass takes its time.
"""

from scrubjay.types.agents import Context, Event, Priority, Session, Status, Task
from scrubjay.types.answers import Added, Cited, Hit, Link, Results
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

__all__ = [
    "DEFAULT_SPACE",
    "KINDS_CUT_FROM_A_SOURCE",
    "TITLE_CHARACTERS",
    "TRUST",
    "WEIGHTS",
    "Added",
    "Cited",
    "Conflict",
    "Context",
    "Edit",
    "Event",
    "Filled",
    "Filter",
    "Fusion",
    "History",
    "Hit",
    "Link",
    "Memory",
    "Mode",
    "Model",
    "Priority",
    "Query",
    "RankingFields",
    "Results",
    "Reverted",
    "Session",
    "Status",
    "Step",
    "Task",
    "Trust",
    "first_words",
]
