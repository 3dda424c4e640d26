"""Which memory has replaced what a turn states: what was said cannot be changed, only marked as corrected."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.search import constants
from scrubjay.text.words import content_words
from scrubjay.types import Memory

__all__ = ["correction"]


def correction(turn: Memory, replaced: Sequence[tuple[Memory, Memory]]) -> int | None:
    """If the turn states a memory that was replaced, and not its replacement: the id of the replacement."""
    said = content_words(turn.text) if replaced else set()
    for old, new in replaced:
        own = content_words(old.text)
        shared = len(own & said)
        states_it = own and shared / len(own) >= constants.CORRECTION_WORD_OVERLAP
        if states_it and shared > len(content_words(new.text) & said):
            return new.id
    return None
