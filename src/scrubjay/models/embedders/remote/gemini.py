"""Gemini's wire format for vectors; each text is marked as a question or a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from scrubjay.models.embedders.remote.served import RemoteEmbedder, VectorFormat
from scrubjay.models.http import google_key
from scrubjay.models.providers import Credentials, Endpoint

__all__ = ["connect"]


def connect(endpoint: Endpoint, credentials: Credentials, dimensions: int = 0) -> RemoteEmbedder:
    return RemoteEmbedder(endpoint, credentials, FORMAT, dimensions)


def _path(model: str) -> str:
    return f"/models/{quote(model, safe='')}:batchEmbedContents"


def _body(model: str, texts: Sequence[str], query: bool) -> Mapping[str, Any]:
    task = "RETRIEVAL_QUERY" if query else "RETRIEVAL_DOCUMENT"
    asked = {"model": f"models/{model}", "taskType": task}
    return {"requests": [{**asked, "content": {"parts": [{"text": text}]}} for text in texts]}


def _vectors(answer: Any) -> Sequence[Sequence[float]]:
    return [item["values"] for item in answer["embeddings"]]


FORMAT = VectorFormat(_path, _body, _vectors, google_key)
