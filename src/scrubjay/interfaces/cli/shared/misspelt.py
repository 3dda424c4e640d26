"""Kinds that are given to something, and may be misspelt."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

from scrubjay import Scrubjay, ScrubjayError
from scrubjay.config import DECAY
from scrubjay.text.kinds import KNOWN
from scrubjay.text.nearest import nearest

__all__ = ["misspelt_decay", "misspelt_kind"]


def misspelt_kind(jay: Scrubjay, kind: str | None) -> list[str]:
    """What a filter says of such a kind, if it is spelt almost like a known one and no memory has it."""
    return jay.filter_notes(kinds=[kind]) if kind is not None and _may_be_misspelt(kind) else []


def misspelt_decay(setting: str, opened: Callable[[], AbstractContextManager[Scrubjay]]) -> list[str]:
    """The same for the setting of how a kind fades. A memory that cannot be opened says nothing."""
    kind = setting.removeprefix(DECAY)
    if kind != setting and _may_be_misspelt(kind):
        with suppress(ScrubjayError), opened() as jay:
            return misspelt_kind(jay, kind)
    return []


def _may_be_misspelt(kind: str) -> bool:
    return kind not in KNOWN and nearest(kind, KNOWN) is not None
