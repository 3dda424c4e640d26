"""The memory that a set is asked of: each scope in a space of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import scrubjay
from bench.sets import Document, RetrievalSet
from scrubjay.dates.timestamps import now

__all__ = ["fill", "opened"]


def opened(given: RetrievalSet, scope: str, path: Path, embedder: Any) -> scrubjay.Scrubjay:
    """The memory of a scope, at the time at which the set's questions are asked."""
    return scrubjay.open(path, space=scope, embedder=embedder, clock=lambda: given.now or now())


def fill(jay: scrubjay.Scrubjay, documents: Sequence[Document]) -> dict[int, str]:
    """Remember a scope's documents, conversations turn by turn; what they are called, by id."""
    names: dict[int, str] = {}
    for session, group in groupby(documents, key=lambda document: document.session):
        own = list(group)
        if session:
            added = jay.add_turns(
                session, [{"text": one.text, "speaker": one.speaker, "happened_at": one.date} for one in own]
            )
        else:
            added = jay.add_many(
                [
                    {"text": one.text, "title": one.title or None, "kind": one.kind, "happened_at": one.date}
                    for one in own
                ],
                redact=True,  # a text that seems to hold a secret must not end the measuring
            )
        names |= {result.memory.id: document.id for result, document in zip(added, own, strict=True)}
    return names
