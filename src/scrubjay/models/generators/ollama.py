"""Ollama's wire format for text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrubjay.models.generators.served import MAX_TOKENS, Schema, ServedGenerator, TextFormat
from scrubjay.models.http import bearer
from scrubjay.models.providers import Credentials, Endpoint

__all__ = ["connect"]


def connect(endpoint: Endpoint, credentials: Credentials) -> ServedGenerator:
    return ServedGenerator(endpoint, credentials, FORMAT)


def _body(model: str, prompt: str, schema: Schema | None) -> Mapping[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "stream": False,
        "options": {"temperature": 0, "num_predict": MAX_TOKENS},
    }
    return body if schema is None else {**body, "format": schema}


FORMAT = TextFormat(
    lambda model: "/api/chat",
    _body,
    lambda answer: str(answer["message"]["content"]),
    lambda answer: (answer["prompt_eval_count"], answer["eval_count"]),
    bearer,
)
