"""How many examples a property test tries."""

from __future__ import annotations

from hypothesis import settings

__all__ = ["examples"]


def examples(count: int) -> int:
    """How many examples to try where the usual 100 would take too long; more at random, in the same proportion."""
    return count * settings().max_examples // 100
