"""Kinds that are given to something, and may be misspelt."""

from __future__ import annotations

from scrubjay import Scrubjay
from scrubjay.text.kinds import KNOWN
from scrubjay.text.nearest import nearest

__all__ = ["misspelt_kind"]


def misspelt_kind(jay: Scrubjay, kind: str | None) -> list[str]:
    """What a filter says of such a kind, if it is spelt almost like a known one and no memory has it."""
    if kind is None or kind in KNOWN or nearest(kind, KNOWN) is None:
        return []
    return jay.filter_notes(kinds=[kind])
