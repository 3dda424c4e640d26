"""A model of the fastembed library that is on the user's disk."""

from __future__ import annotations

from typing import Any

from scrubjay.models.embedders.bundled import import_without_telemetry
from scrubjay.models.embedders.libraries import Library, installed

__all__ = ["connect"]

BATCH_TEXTS = 16  # fastembed's default of 256 long texts would take gigabytes of memory


def connect(name: str, dimensions: int = 0) -> Library:
    installed("fastembed")
    return Library("fastembed", name, dimensions, _load, _ask)


def _load(name: str) -> Any:
    import_without_telemetry()  # fastembed runs on onnxruntime
    from fastembed import TextEmbedding

    return TextEmbedding(name, local_files_only=True)


def _ask(model: Any, name: str, texts: list[str], query: bool) -> Any:
    """fastembed itself adds the prefixes that its models need before a question."""
    return list(model.query_embed(texts) if query else model.embed(texts, BATCH_TEXTS))
