"""The data types that every room shares: plain frozen dataclasses, one file per subject.

What a search does not need, such as reports, is imported from its own file, and only where it is used: making a
dataclass takes its time.
"""

from scrubjay.types.answers import Added, Cited, Hit, Link, Results
from scrubjay.types.memories import (
    DEFAULT_SPACE,
    KINDS_CUT_FROM_A_SOURCE,
    TITLE_CHARACTERS,
    TRUST,
    Memory,
    Trust,
    first_words,
)
from scrubjay.types.queries import WEIGHTS, Filter, Fusion, Mode, Query, RankingFields
from scrubjay.types.vectors import Model

__all__ = [
    "DEFAULT_SPACE",
    "KINDS_CUT_FROM_A_SOURCE",
    "TITLE_CHARACTERS",
    "TRUST",
    "WEIGHTS",
    "Added",
    "Cited",
    "Filter",
    "Fusion",
    "Hit",
    "Link",
    "Memory",
    "Mode",
    "Model",
    "Query",
    "RankingFields",
    "Results",
    "Trust",
    "first_words",
]
