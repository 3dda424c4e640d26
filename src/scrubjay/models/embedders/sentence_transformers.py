"""A model of the sentence-transformers library on the user's disk, by its name or its folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from scrubjay.errors import Invalid
from scrubjay.models.embedders.libraries import Library, installed
from scrubjay.models.embedders.prefixes import prefixes

__all__ = ["connect"]


def connect(name: str, dimensions: int = 0) -> Library:
    installed("sentence-transformers")
    if not Path(name).is_absolute() and os.path.lexists(name):  # the library would take it for the model of that name
        raise Invalid(f"There is something named {name!r} in this folder; name a model's folder by its full path.")
    return Library("sentence-transformers", name, dimensions, _load, _ask)


def _load(name: str) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(name, local_files_only=True)


def _ask(model: Any, name: str, texts: list[str], query: bool) -> Any:
    for_query, for_document = prefixes(name)
    prefix = for_query if query else for_document
    return model.encode([prefix + text for text in texts], normalize_embeddings=True)
