"""OpenAI's wire format for vectors, also used by LM Studio, Groq, vLLM, llama.cpp and many others."""

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
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _vectors(answer: Any) -> Sequence[Sequence[float]]:
    """In the order of the texts; the answer may have another order."""
    items = sorted(answer["data"], key=lambda item: int(item["index"]))
    if [item["index"] for item in items] != list(range(len(items))):
        raise ValueError("an index is missing or occurs twice")
    return [item["embedding"] for item in items]


FORMAT = VectorFormat(lambda model: "/embeddings", _body, _vectors, bearer)
