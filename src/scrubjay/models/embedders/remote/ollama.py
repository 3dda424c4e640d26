"""Ollama's wire format for vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrubjay.models.embedders.remote.served import RemoteEmbedder, VectorFormat
from scrubjay.models.http import bearer
from scrubjay.models.providers import Credentials, Endpoint

__all__ = ["connect"]


def connect(endpoint: Endpoint, credentials: Credentials, dimensions: int = 0) -> RemoteEmbedder:
    return RemoteEmbedder(endpoint, credentials, FORMAT, dimensions)


def _body(model: str, texts: Sequence[str], query: bool) -> Mapping[str, Any]:
    return {"model": model, "input": list(texts), "truncate": True}


def _vectors(answer: Any) -> Sequence[Sequence[float]]:
    found: Sequence[Sequence[float]] = answer["embeddings"]
    return found


FORMAT = VectorFormat(lambda model: "/api/embed", _body, _vectors, bearer)
