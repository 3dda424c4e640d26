"""A model that the user's fastembed has."""

from __future__ import annotations

from typing import Any

from scrubjay.models.embedders.bundled import import_quietly
from scrubjay.models.embedders.libraries import Library, installed

__all__ = ["connect"]

BATCH_TEXTS = 16  # its own 256 of 512 tokens each would take gigabytes


def connect(name: str, dimensions: int = 0) -> Library:
    installed("fastembed")
    return Library("fastembed", name, dimensions, _load, _ask)


def _load(name: str) -> Any:
    import_quietly()  # what fastembed reckons with
    from fastembed import TextEmbedding

    return TextEmbedding(name, local_files_only=True)


def _ask(model: Any, name: str, texts: list[str], query: bool) -> Any:
    """It knows by itself what its models want before a question."""
    return list(model.query_embed(texts) if query else model.embed(texts, BATCH_TEXTS))
