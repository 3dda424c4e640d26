"""A model of the sentence-transformers library on the user's disk, by its name or its folder."""

from __future__ import annotations

from typing import Any

from scrubjay.models.embedders.libraries import Library, installed
from scrubjay.models.embedders.prefixes import prefixes

__all__ = ["connect"]


def connect(name: str, dimensions: int = 0) -> Library:
    installed("sentence-transformers")
    return Library("sentence-transformers", name, dimensions, _load, _ask)


def _load(name: str) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(name, local_files_only=True)


def _ask(model: Any, name: str, texts: list[str], query: bool) -> Any:
    for_query, for_document = prefixes(name)
    prefix = for_query if query else for_document
    return model.encode([prefix + text for text in texts], normalize_embeddings=True)
