"""OpenAI's wire format for vectors, which LM Studio, Groq, vLLM, llama.cpp and many others speak, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrubjay.models.embedders.remote.served import Format, Remote
from scrubjay.models.http import bearer
from scrubjay.models.providers import Access, Endpoint

__all__ = ["connect"]


def connect(endpoint: Endpoint, access: Access, dimensions: int = 0) -> Remote:
    return Remote(endpoint, access, FORMAT, dimensions)


def _body(model: str, texts: Sequence[str], query: bool) -> Mapping[str, Any]:
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _vectors(answer: Any) -> Sequence[Sequence[float]]:
    """In the order of the texts, which the answer need not keep."""
    items = sorted(answer["data"], key=lambda item: int(item["index"]))
    if [item["index"] for item in items] != list(range(len(items))):
        raise ValueError("a place is missing, or was given twice")
    return [item["embedding"] for item in items]


FORMAT = Format(lambda model: "/embeddings", _body, _vectors, bearer)
