"""A clock that a test sets by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["Clock"]


class Clock:
    """Time that passes only when told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)
