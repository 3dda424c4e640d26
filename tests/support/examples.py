"""How much a test tries: a fixed choice for `make test`, all of it for `make prove`."""

from __future__ import annotations

from hypothesis import settings

__all__ = ["examples", "thorough"]


def thorough() -> bool:
    """Whether `make prove` runs: its profile tries more than the usual 100 examples."""
    return settings().max_examples > 100


def examples(count: int, searched: int = 0) -> int:
    """How many examples to try where the usual 100 take too long; at random ten times as many, or as said."""
    return (searched or 10 * count) if thorough() else count
