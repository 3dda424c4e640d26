"""Ollama's wire format for text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubjay.models.generators.served import MOST_TOKENS, Format, Schema, Served
from scrubjay.models.http import bearer
from scrubjay.models.providers import Access, Endpoint

__all__ = ["connect"]


def connect(endpoint: Endpoint, access: Access) -> Served:
    return Served(endpoint, access, FORMAT)


def _body(model: str, prompt: str, schema: Schema | None) -> Mapping[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "stream": False,
        "options": {"temperature": 0, "num_predict": MOST_TOKENS},
    }
    return body if schema is None else {**body, "format": schema}


FORMAT = Format(
    lambda model: "/api/chat",
    _body,
    lambda answer: str(answer["message"]["content"]),
    lambda answer: (answer["prompt_eval_count"], answer["eval_count"]),
    bearer,
)
